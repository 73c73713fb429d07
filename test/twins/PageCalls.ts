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
}

const read =
  (...paths: ReadonlyArray<string>) =>
  (): ReadonlyArray<Visited> =>
    paths.map((path) => ({ path }))

const sent =
  (path: (at: Shown) => string, ...forms: ReadonlyArray<string>) =>
  (at: Shown): ReadonlyArray<Visited> =>
    forms.map((form) => ({ path: path(at), form }))

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
  "GET settings/api": read("settings/api"),
  "POST settings/api": sent(() => "settings/api", "name=", "name=ci&permissions=read&lifetime=30d"),
  "GET settings/api/:prefix/revoke": ({ prefix }) => [{ path: `settings/api/${prefix}/revoke` }],
  "POST settings/api/:prefix/revoke": sent(({ prefix }) => `settings/api/${prefix}/revoke`, ""),
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
    .replace(/(since|cursor)=[\w-]+/g, "$1")
    .replace(/width="\d+"/g, "width")
    .replace(onlyMarked, "")
