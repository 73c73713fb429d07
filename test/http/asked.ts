import { Effect } from "effect"
import * as People from "../support/People.ts"
import * as Seed from "../support/Seed.ts"
import { type Answer, ask, type World } from "../support/World.ts"
import type { Permission } from "../../domain/workspace/ApiToken.ts"
import type { Role } from "../../domain/workspace/Member.ts"
import type { WorkspaceSlug } from "../../domain/workspace/Workspace.ts"

const planned = { kind: "plan_approval", title: "Plan?", recommendation: "yes", options: Seed.options }
const past = "2026-01-02T03:04:05.678Z"
const resolved = {
  status: "resolved",
  resolution: { optionId: "no", note: "Too big" },
  resolvedVia: "slack",
  resolvedAt: past
}

/** Decisions in every state, two of which need a higher role; dec-aaaa is about a waiting run. */
const document = {
  ...Seed.small,
  runs: [{ key: "run-aaaa", story: "PAY-1", status: "waiting", stage: "planning" }],
  decisions: [
    { ...planned, key: "dec-aaaa", run: "run-aaaa" },
    { ...planned, key: "dec-admn", team: "web", authority: "admin" },
    { ...planned, key: "dec-wner", team: "web", authority: "owner" },
    { ...planned, key: "dec-d0ne", team: "web", ...resolved },
    { ...planned, key: "dec-d0wn", team: "web", authority: "owner", ...resolved },
    { ...planned, key: "dec-1ate", team: "web", createdAt: past, expiresAt: past },
    { ...planned, key: "dec-0ver", team: "web", status: "expired", createdAt: past, expiresAt: past },
    { ...planned, key: "dec-cncd", team: "web", status: "cancelled" },
    { ...planned, key: "dec-sprs", team: "web", status: "superseded" },
    ...["dec-fre1", "dec-fre2", "dec-fre3", "dec-fre4", "dec-fre5"].map((key) => ({ ...planned, key, team: "web" }))
  ]
}

interface Sent {
  readonly token?: string
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
}

/** A service with workspaces that have decisions. */
export const visit = (world: () => World) => {
  const workspace = async (content: object = document) => {
    const { slug } = await world().run(Seed.workspace)
    await world().run(Seed.load(slug, content))
    return slug
  }
  const tokenOf = async (
    slug: WorkspaceSlug,
    role: Role = "member",
    permissions: readonly [Permission, ...ReadonlyArray<Permission>] = ["write"]
  ) => {
    const token = Effect.zipRight(People.person(slug, role), Seed.token(slug, permissions, People.emailOf(role)))
    return (await world().run(token)).value
  }
  /** Objects are sent as JSON, strings as they are. */
  const resolve = (key: string, body: unknown, sent: Sent = {}): Promise<Answer> =>
    ask(world().url, `/v1/decisions/${key}/resolve`, {
      method: "POST",
      body: typeof body === "string" ? body : JSON.stringify(body),
      ...sent,
      headers: { "content-type": "application/json", ...sent.headers }
    })
  const read = async (slug: WorkspaceSlug, path: string) =>
    (await ask(world().url, path, { token: await tokenOf(slug, "owner", ["read"]) })).body
  return { workspace, tokenOf, resolve, read }
}
