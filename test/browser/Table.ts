/** Keys of what a workspace has, for the addresses of its pages. */
export interface Place {
  readonly workspace: string
  readonly pending: string
  /** Takes an admin. */
  readonly restricted: string
  readonly answered: string
  readonly expired: string
  readonly open: string
  readonly resolved: string
  readonly token: string
  readonly member: string
  readonly link: string
  readonly runner: string
  readonly connection: string
  /** A story that a run works on. */
  readonly story: string
  /** A story whose tracker owns its text. */
  readonly tracked: string
  readonly draft: string
  readonly run: string
  readonly overRun: string
  /** Slug of a team with a place of the name room. */
  readonly team: string
  /** Ids of a service and of a source that sent alerts. */
  readonly service: string
  readonly source: string
}

interface Row {
  readonly path: (at: Place) => string
  /** Its reader: owner if left out, null for nobody. */
  readonly as?: "member" | null
  readonly status?: number
}

/** Every page of the app: a new one is a row here. */
export const pages: Readonly<Record<string, Row>> = {
  "sign in": { path: () => "/sign-in?because=expired", as: null },
  "sign in by link": { path: ({ link }) => link, as: null },
  "sign out": { path: () => "/sign-out" },
  decisions: { path: ({ workspace }) => `/${workspace}/decisions` },
  "decisions of others": { path: ({ workspace }) => `/${workspace}/decisions?view=others`, as: "member" },
  "decisions answered": { path: ({ workspace }) => `/${workspace}/decisions?view=answered` },
  "decisions closed": { path: ({ workspace }) => `/${workspace}/decisions?view=closed` },
  decision: { path: ({ pending, workspace }) => `/${workspace}/decisions/${pending}` },
  "decision above the role": {
    path: ({ restricted, workspace }) => `/${workspace}/decisions/${restricted}`,
    as: "member"
  },
  "decision answered": { path: ({ answered, workspace }) => `/${workspace}/decisions/${answered}` },
  "decision expired": { path: ({ expired, workspace }) => `/${workspace}/decisions/${expired}` },
  incidents: { path: ({ workspace }) => `/${workspace}/incidents?status=all` },
  "incident open": { path: ({ open, workspace }) => `/${workspace}/incidents/${open}` },
  "incident resolved": { path: ({ resolved, workspace }) => `/${workspace}/incidents/${resolved}` },
  "resolve an incident": { path: ({ open, workspace }) => `/${workspace}/incidents/${open}/resolve` },
  "pull request": { path: ({ workspace }) => `/${workspace}/pulls/1` },
  teams: { path: ({ workspace }) => `/${workspace}/teams` },
  "new team": { path: ({ workspace }) => `/${workspace}/new-team` },
  board: { path: ({ team, workspace }) => `/${workspace}/teams/${team}` },
  "board for a member": { path: ({ team, workspace }) => `/${workspace}/teams/${team}`, as: "member" },
  column: { path: ({ team, workspace }) => `/${workspace}/teams/${team}/columns/refining` },
  "pause a team": { path: ({ team, workspace }) => `/${workspace}/teams/${team}/pause` },
  "team settings": { path: ({ team, workspace }) => `/${workspace}/teams/${team}/settings` },
  tracker: { path: ({ team, workspace }) => `/${workspace}/teams/${team}/tracker` },
  "tracker for a member": { path: ({ team, workspace }) => `/${workspace}/teams/${team}/tracker`, as: "member" },
  "unbind a tracker": { path: ({ team, workspace }) => `/${workspace}/teams/${team}/tracker/unbind` },
  "new story": { path: ({ team, workspace }) => `/${workspace}/teams/${team}/new-story` },
  story: { path: ({ story, workspace }) => `/${workspace}/stories/${story}` },
  "story draft": { path: ({ draft, workspace }) => `/${workspace}/stories/${draft}` },
  "edit a story": { path: ({ draft, workspace }) => `/${workspace}/stories/${draft}/edit` },
  "edit a story of a tracker": { path: ({ tracked, workspace }) => `/${workspace}/stories/${tracked}/edit` },
  "reject a draft": { path: ({ draft, workspace }) => `/${workspace}/stories/${draft}/reject` },
  "start a run": { path: ({ tracked, workspace }) => `/${workspace}/stories/${tracked}/start` },
  runners: { path: ({ workspace }) => `/${workspace}/settings/runners` },
  "drain a runner": { path: ({ runner, workspace }) => `/${workspace}/settings/runners/${runner}/drain` },
  "remove a runner": { path: ({ runner, workspace }) => `/${workspace}/settings/runners/${runner}/remove` },
  runs: { path: ({ workspace }) => `/${workspace}/runs` },
  "run waiting": { path: ({ run, workspace }) => `/${workspace}/runs/${run}` },
  "run succeeded": { path: ({ overRun, workspace }) => `/${workspace}/runs/${overRun}` },
  "run log": { path: ({ overRun, workspace }) => `/${workspace}/runs/${overRun}/log` },
  "stop a run": { path: ({ run, workspace }) => `/${workspace}/runs/${run}/stop` },
  "retry a run": { path: ({ overRun, workspace }) => `/${workspace}/runs/${overRun}/retry` },
  notifications: { path: ({ workspace }) => `/${workspace}/notifications` },
  tokens: { path: ({ workspace }) => `/${workspace}/settings/api` },
  "revoke a token": { path: ({ token, workspace }) => `/${workspace}/settings/api/${token}/revoke` },
  connections: { path: ({ workspace }) => `/${workspace}/settings/connections` },
  "connections for a member": { path: ({ workspace }) => `/${workspace}/settings/connections`, as: "member" },
  "connect by an app": { path: ({ workspace }) => `/${workspace}/settings/connections/app` },
  "create an app": { path: ({ workspace }) => `/${workspace}/settings/connections/app?organisation=acme` },
  "an app that was not created": { path: ({ workspace }) => `/${workspace}/settings/connections/app/created` },
  "renew a connection": {
    path: ({ connection, workspace }) => `/${workspace}/settings/connections/${connection}/renew`
  },
  "remove a connection": {
    path: ({ connection, workspace }) => `/${workspace}/settings/connections/${connection}/remove`
  },
  "coding agents": { path: ({ workspace }) => `/${workspace}/settings/mcp` },
  members: { path: ({ workspace }) => `/${workspace}/settings/members` },
  "members for a member": { path: ({ workspace }) => `/${workspace}/settings/members`, as: "member" },
  "remove a member": { path: ({ member, workspace }) => `/${workspace}/settings/members/${member}/remove` },
  account: { path: ({ workspace }) => `/${workspace}/settings/sessions` },
  "first steps": { path: ({ workspace }) => `/${workspace}/first-steps` },
  policies: { path: ({ workspace }) => `/${workspace}/settings/policy` },
  policy: { path: ({ team, workspace }) => `/${workspace}/settings/policy/${team}` },
  "policy for a member": { path: ({ team, workspace }) => `/${workspace}/settings/policy/${team}`, as: "member" },
  "delete a team": { path: ({ team, workspace }) => `/${workspace}/settings/policy/${team}/delete` },
  services: { path: ({ workspace }) => `/${workspace}/services` },
  "services for a member": { path: ({ workspace }) => `/${workspace}/services`, as: "member" },
  service: { path: ({ service, workspace }) => `/${workspace}/services/${service}` },
  "service for a member": { path: ({ service, workspace }) => `/${workspace}/services/${service}`, as: "member" },
  "delete a service": { path: ({ service, workspace }) => `/${workspace}/services/${service}/delete` },
  sources: { path: ({ workspace }) => `/${workspace}/sources` },
  "choose a tool": { path: ({ workspace }) => `/${workspace}/sources/new` },
  "add a source": { path: ({ workspace }) => `/${workspace}/sources/new?kind=uptime` },
  source: { path: ({ source, workspace }) => `/${workspace}/sources/${source}` },
  "source for a member": { path: ({ source, workspace }) => `/${workspace}/sources/${source}`, as: "member" },
  "rotate a secret": { path: ({ source, workspace }) => `/${workspace}/sources/${source}/rotate` },
  "delete a source": { path: ({ source, workspace }) => `/${workspace}/sources/${source}/delete` },
  places: { path: ({ workspace }) => `/${workspace}/settings/places` },
  "remove a place": { path: ({ team, workspace }) => `/${workspace}/settings/places/${team}/room/remove` },
  search: { path: ({ workspace }) => `/${workspace}/search?q=pay` },
  "search without a result": { path: ({ workspace }) => `/${workspace}/search?q=nothing-at-all` },
  audit: { path: ({ workspace }) => `/${workspace}/audit` },
  "audit without entries": { path: ({ workspace }) => `/${workspace}/audit?from=2999-01-01` },
  "audit for a member": { path: ({ workspace }) => `/${workspace}/audit`, as: "member", status: 403 },
  "not found": { path: ({ workspace }) => `/${workspace}/decisions/dec-0000`, status: 404 }
}

/** Paths in the app's own list that are parts of other pages. */
export const parts = ["navigation", "decisions/news", "services/:id/hours"]
