/** A form, or the reading of a page when it has none. */
export interface Visited {
  readonly path: string
  readonly form?: string
}

/** Objects of a workspace, which its twin has under the same ids. */
export interface Shown {
  readonly incident: string
  readonly acknowledged: string
  readonly member: string
  readonly notification: string
  readonly prefix: string
  readonly runner: string
  readonly service: string
  readonly source: string
  readonly delivery: string
  readonly connection: string
}

const read =
  (...paths: ReadonlyArray<string>) =>
  (): ReadonlyArray<Visited> =>
    paths.map((path) => ({ path }))

const sent =
  (path: (at: Shown) => string, ...forms: ReadonlyArray<string>) =>
  (at: Shown): ReadonlyArray<Visited> =>
    forms.map((form) => ({ path: path(at), form }))

const nobody = "00000000-0000-4000-8000-000000000000"

const serviceForm = "hours=some&start=22&end=6&timeZone=Europe%2FBerlin&minimumSeverity=low&places=every&observeOnly=on"

const policyForm =
  "preset=trial&executor=codex&maxConcurrency=2&runCents=1&dayCents=&monthCents=9.5&planApproval=never&mergePolicy=manual&mergeMaxLines=3&gateFailureBudget=1&decisionHours=9&deniedPaths=infra"

/** Requests of every page, below the address of its workspace. */
export const pageCalls: Readonly<Record<string, (at: Shown) => ReadonlyArray<Visited>>> = {
  "GET navigation": read("navigation"),
  "GET decisions": read("decisions", "decisions?view=answered", "decisions?team=payments", "decisions?view=closed"),
  "GET decisions/news": read("decisions/news?since=0&known=dec-aaaa+dec-eeee"),
  "GET decisions/:key": read("decisions/dec-aaaa", "decisions/dec-eeee", "decisions/dec-dddd", "decisions/dec-0000"),
  "POST decisions/:key": sent(() => "decisions/dec-aaaa", "option=nope", "option=yes&note=Fine"),
  "GET incidents": read("incidents", "incidents?status=all", "incidents?service=checkout", "incidents?status=resolved"),
  "GET incidents/:key": ({ acknowledged, incident }) =>
    [acknowledged, incident, "inc-0000"].map((key) => ({ path: `incidents/${key}` })),
  "POST incidents/:key/acknowledge": sent(({ incident }) => `incidents/${incident}/acknowledge`, "", ""),
  "GET incidents/:key/resolve": ({ incident }) => [{ path: `incidents/${incident}/resolve` }],
  "POST incidents/:key/resolve": sent(({ incident }) => `incidents/${incident}/resolve`, "", ""),
  "POST incidents/:key/note": sent(({ incident }) => `incidents/${incident}/note`, "note=", "note=Seen"),
  "GET notifications": read("notifications"),
  "POST notifications/read": sent(() => "notifications/read", ""),
  "POST notifications/mail": sent(() => "notifications/mail", "kinds=incident_opened"),
  "POST notifications/:id/read": sent(({ notification }) => `notifications/${notification}/read`, ""),
  "GET pulls/:number": read("pulls/1", "pulls/2", "pulls/3", "pulls/9", "pulls/none"),
  "GET runs": read("runs", "runs?team=payments", "runs?team=nobody"),
  "GET runs/:key": read("runs/run-aaaa", "runs/run-nnnn", "runs/run-vvvv", "runs/run-0000"),
  "GET runs/:key/log": read("runs/run-nnnn/log", "runs/run-nnnn/log?attempt=1&after=9"),
  "GET runs/:key/stop": read("runs/run-aaaa/stop"),
  "POST runs/:key/stop": sent(() => "runs/run-aaaa/stop", "", ""),
  "GET runs/:key/retry": read("runs/run-aaaa/retry"),
  "POST runs/:key/retry": sent(() => "runs/run-ffff/retry", "note=Again", "note="),
  "GET new-team": read("new-team"),
  "POST new-team": sent(
    () => "new-team",
    "slug=payments&name=Taken&keyPrefix=NEW",
    "slug=made&name=Made&keyPrefix=MADE"
  ),
  "GET teams": read("teams"),
  "GET teams/:slug": read("teams/payments", "teams/forge", "teams/nobody"),
  "GET teams/:slug/columns/:column": read("teams/payments/columns/in_progress", "teams/payments/columns/moon"),
  "GET teams/:slug/pause": read("teams/payments/pause"),
  "POST teams/:slug/pause": sent(() => "teams/payments/pause", "", ""),
  "POST teams/:slug/resume": sent(() => "teams/web/resume", "", ""),
  "GET teams/:slug/settings": read("teams/payments/settings"),
  "POST teams/:slug/settings": sent(
    () => "teams/payments/settings",
    "repositories=%2Fsrv",
    "repositories=https%3A%2F%2Fcode.test%2Fpay"
  ),
  "GET teams/:slug/tracker": read("teams/web/tracker", "teams/payments/tracker", "teams/nobody/tracker"),
  "POST teams/:slug/tracker": sent(
    () => "teams/payments/tracker",
    "step=check&project=&columns=",
    "step=check&connection=github&project=acme%2Fpay&columns=ready%3Dready",
    "step=bind&connection=github&project=acme%2Fpay&columns=ready%3Dready"
  ),
  "GET teams/:slug/tracker/unbind": read("teams/web/tracker/unbind", "teams/payments/tracker/unbind"),
  "POST teams/:slug/tracker/unbind": sent(() => "teams/web/tracker/unbind", "", ""),
  "GET teams/:slug/new-story": read("teams/payments/new-story"),
  "POST teams/:slug/new-story": sent(() => "teams/payments/new-story", "title=", "title=Made&begin=backlog"),
  "GET stories/:key": read("stories/PAY-1", "stories/PAY-2", "stories/WEB-1", "stories/WEB-99"),
  "GET stories/:key/edit": read("stories/PAY-2/edit", "stories/WEB-1/edit"),
  "POST stories/:key/edit": sent(() => "stories/PAY-2/edit", "title=", "title=Edited&classOfService=expedite"),
  "POST stories/:key/move": sent(
    () => "stories/PAY-3/move",
    "column=moon",
    "column=backlog",
    "column=ready&from=story"
  ),
  "POST stories/:key/approve": sent(() => "stories/PAY-2/approve", "", ""),
  "GET stories/:key/reject": read("stories/PAY-2/reject"),
  "POST stories/:key/reject": sent(() => "stories/PAY-2/reject", "", ""),
  "GET stories/:key/start": read("stories/PAY-3/start"),
  "POST stories/:key/start": () => ["PAY-1", "PAY-3"].map((key) => ({ path: `stories/${key}/start`, form: "" })),
  "GET settings/runners": read("settings/runners"),
  "POST settings/runners": sent(() => "settings/runners", "name=", "name=build&agent=codex&lifetime=30d"),
  "GET settings/runners/:id/drain": ({ runner }) => [{ path: `settings/runners/${runner}/drain` }],
  "POST settings/runners/:id/drain": sent(({ runner }) => `settings/runners/${runner}/drain`, ""),
  "GET settings/runners/:id/remove": ({ runner }) => [{ path: `settings/runners/${runner}/remove` }],
  "POST settings/runners/:id/remove": sent(({ runner }) => `settings/runners/${runner}/remove`, "", ""),
  "GET settings/connections": read("settings/connections"),
  "GET settings/connections/app": read("settings/connections/app", "settings/connections/app?organisation=acme"),
  "GET settings/connections/app/created": read("settings/connections/app/created?code=abc&state=v1.x"),
  "POST settings/connections": sent(
    () => "settings/connections",
    "name=",
    "name=second&baseUrl=https%3A%2F%2Fgithub.com&token=github_pat_x"
  ),
  "POST settings/connections/:id/test": sent(({ connection }) => `settings/connections/${connection}/test`, ""),
  "GET settings/connections/:id/renew": ({ connection }) => [{ path: `settings/connections/${connection}/renew` }],
  "POST settings/connections/:id/renew": sent(
    ({ connection }) => `settings/connections/${connection}/renew`,
    "secret=",
    "secret=github_pat_y"
  ),
  "GET settings/connections/:id/remove": ({ connection }) => [{ path: `settings/connections/${connection}/remove` }],
  "POST settings/connections/:id/remove": sent(({ connection }) => `settings/connections/${connection}/remove`, ""),
  "GET settings/api": read("settings/api"),
  "POST settings/api": sent(() => "settings/api", "name=", "name=ci&permissions=read&lifetime=30d"),
  "GET settings/api/:prefix/revoke": ({ prefix }) => [{ path: `settings/api/${prefix}/revoke` }],
  "POST settings/api/:prefix/revoke": sent(({ prefix }) => `settings/api/${prefix}/revoke`, ""),
  "GET settings/mcp": read("settings/mcp"),
  "GET settings/members": read("settings/members"),
  "POST settings/members": sent(
    () => "settings/members",
    "email=",
    "email=new%40acme.test&name=Nora&role=member",
    "email=new%40acme.test&name=Nora&role=member"
  ),
  "POST settings/members/:id/role": sent(({ member }) => `settings/members/${member}/role`, "role=admin", "role=king"),
  "GET settings/members/:id/remove": ({ member }) => [{ path: `settings/members/${member}/remove` }],
  "POST settings/members/:id/remove": sent(({ member }) => `settings/members/${member}/remove`, "", ""),
  "POST settings/appearance": sent(() => "settings/appearance", "theme=dark"),
  "GET settings/sessions": read("settings/sessions"),
  "POST settings/sessions": sent(() => "settings/sessions", "session=00000000-0000-4000-8000-000000000000"),
  "POST settings/passkeys": sent(() => "settings/passkeys", "response=%7B%7D&label=Key"),
  "POST settings/passkeys/options": sent(() => "settings/passkeys/options", ""),
  "POST settings/passkeys/remove": sent(() => "settings/passkeys/remove", "passkey=none"),
  "GET first-steps": read("first-steps"),
  "GET settings/policy": read("settings/policy"),
  "GET settings/policy/:team": read(
    "settings/policy/payments",
    "settings/policy/web?preset=trial",
    "settings/policy/no"
  ),
  "POST settings/policy/:team": sent(
    () => "settings/policy/web",
    "",
    `version=0&${policyForm}`,
    `version=0&step=save&${policyForm}`,
    `version=0&step=save&${policyForm}`
  ),
  "GET settings/policy/:team/delete": read("settings/policy/payments/delete"),
  "POST settings/policy/:team/delete": sent(() => "settings/policy/payments/delete", "confirm=no", "confirm=payments"),
  "GET services": read("services"),
  "POST services": sent(() => "services", "name=", "name=ledger&team=payments", "name=ledger&team=payments"),
  "GET services/:id": ({ service }) => [service, nobody].map((id) => ({ path: `services/${id}` })),
  "POST services/:id": sent(({ service }) => `services/${service}`, "hours=some", `${serviceForm}&days=mon`),
  "GET services/:id/hours": ({ service }) => [{ path: `services/${service}/hours?${serviceForm}&days=fri` }],
  "GET services/:id/delete": ({ service }) => [{ path: `services/${service}/delete` }],
  "POST services/:id/delete": sent(({ service }) => `services/${service}/delete`, "confirm=no", "confirm=checkout"),
  "GET sources": read("sources"),
  "GET sources/new": read("sources/new", "sources/new?kind=grafana"),
  "POST sources/new": sent(() => "sources/new", "name=", "kind=grafana&name=fresh&services=checkout"),
  "GET sources/:id": ({ source }) => [source, nobody].map((id) => ({ path: `sources/${id}` })),
  "POST sources/:id": sent(({ source }) => `sources/${source}`, "word=page&severity=low&services=checkout"),
  "POST sources/:id/test": sent(({ source }) => `sources/${source}/test`, ""),
  "POST sources/:id/pause": sent(({ source }) => `sources/${source}/pause`, "", ""),
  "POST sources/:id/resume": sent(({ source }) => `sources/${source}/resume`, ""),
  "POST sources/:id/replay": ({ delivery, source }) =>
    [delivery, delivery, nobody].map((one) => ({ path: `sources/${source}/replay`, form: `delivery=${one}` })),
  "POST sources/:id/secret": sent(({ source }) => `sources/${source}/secret`, "secret=", "secret=mine"),
  "GET sources/:id/rotate": ({ source }) => [{ path: `sources/${source}/rotate` }],
  "POST sources/:id/rotate": sent(({ source }) => `sources/${source}/rotate`, ""),
  "GET sources/:id/delete": ({ source }) => [{ path: `sources/${source}/delete` }],
  "POST sources/:id/delete": sent(({ source }) => `sources/${source}/delete`, "confirm=no", "confirm=alerts"),
  "GET settings/places": read("settings/places"),
  "POST settings/places": sent(
    () => "settings/places",
    "team=payments",
    "team=payments&name=room&address=https%3A%2F%2Fchat.example.com%2Fx"
  ),
  "GET settings/places/:team/:name/remove": read(
    "settings/places/payments/chat/remove",
    "settings/places/web/no/remove"
  ),
  "POST settings/places/:team/:name/remove": sent(() => "settings/places/payments/chat/remove", "", ""),
  "GET search": read("search", "search?q=dec-aaaa", "search?q=pay", "search?q=down+prod"),
  "GET audit": read("audit", "audit?team=payments", "audit?event=access_denied", "audit?run=none"),
  "POST audit/check": sent(() => "audit/check", ""),
  "POST audit/export": sent(() => "audit/export", "format=csv", "format=json&team=payments", "run=none")
}

/**
 * Pages that look alike in both workspaces, other than two: a person's sessions are of an address, not of one
 * workspace, and the chain of a copy does not hold.
 */
export const comparable = Object.keys(pageCalls).filter(
  (page) => page !== "GET settings/sessions" && page !== "POST audit/check"
)

/** A text that is empty in the original and the mark alone in its twin. */
const onlyMarked = /<p class="body muted">No reasons were given\.<\/p>|<div class="body md"><p>birch<\/p>\n<\/div>/g

/** Leaves out cursors, and how long ago something was when the page was made. */
export const timeless = (html: string): string =>
  html
    .replace(/<time[^>]*>[^]*?<\/time>/g, "<time>")
    .replace(/for (under )?\d+ [^<]*/g, "for")
    .replace(/(since|cursor|state)=[\w.%-]+/g, "$1")
    .replace(/Gatehouse [^&]+&quot;/g, "Gatehouse")
    .replace(/width="\d+"/g, "width")
    .replace(onlyMarked, "")
