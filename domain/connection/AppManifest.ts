import { cut } from "../value/Text.ts"

/** Permissions that the service needs on GitHub, with their level. */
export const permissions = {
  contents: "write",
  pull_requests: "write",
  issues: "write",
  statuses: "write",
  checks: "write",
  metadata: "read"
} as const

/** Events of which GitHub sends webhooks. */
export const events = ["pull_request", "push", "check_run", "check_suite", "status", "issues", "label"] as const

export interface ManifestInput {
  /** Address of the service, as browsers see it. */
  readonly origin: string
  readonly workspace: string
  /** The last part of the address of its webhooks. */
  readonly token: string
}

/** Name of the App: GitHub allows 34 characters, which no other App has. */
const nameOf = ({ token, workspace }: ManifestInput) =>
  cut(`Gatehouse ${workspace}`, 28).concat(` ${token.slice(0, 5)}`)

/** The App as GitHub is asked to create it. */
export const manifestOf = (input: ManifestInput) => ({
  name: nameOf(input),
  url: input.origin,
  hook_attributes: { url: `${input.origin}/hooks/github/${input.token}`, active: true },
  redirect_url: `${input.origin}/${input.workspace}/settings/connections/app/created`,
  public: false,
  default_permissions: permissions,
  default_events: events
})

/** Page of GitHub that takes a manifest, of an organisation or of the person. */
export const creationPage = (baseUrl: string, organisation: string, state: string): string => {
  const owner = organisation === "" ? "" : `/organizations/${encodeURIComponent(organisation)}`
  return `${baseUrl}${owner}/settings/apps/new?state=${encodeURIComponent(state)}`
}
