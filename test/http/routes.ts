import * as Seed from "../support/Seed.ts"

export const boardId = "0b5cbb1e-6ac8-4f0e-9d1c-4b7c3f3d8f11"
const stranger = "11111111-2222-4333-8444-555555555555"
export const document = {
  ...Seed.small,
  teams: [{ ...Seed.small.teams[0], id: boardId, createdAt: "2026-01-01T10:00:00.000Z" }, Seed.small.teams[1]]
}

/** A read route and its refusals. */
export interface Route {
  readonly path: string
  /** Present on routes of one resource: the answer for an unknown and a malformed key. */
  readonly missing?: { readonly code: string; readonly unknown: string; readonly malformed: ReadonlyArray<string> }
  /** Every workspace has its own audit log, and an export lengthens it. */
  readonly remembers?: boolean
  readonly badQueries?: ReadonlyArray<string>
}

const badPaging = [
  "limit=0",
  "limit=-1",
  "limit=ten",
  "limit=1.5",
  "limit=",
  "limit=1e2",
  "limit=5&limit=6",
  "cursor=x",
  "cursor="
]

export const routes: ReadonlyArray<Route> = [
  { path: "/v1/teams" },
  {
    path: "/v1/teams/payments",
    missing: {
      code: "team_not_found",
      unknown: "/v1/teams/nobody",
      malformed: ["/v1/teams/a_b", "/v1/teams/%00", "/v1/teams/a%2Fb"]
    }
  },
  {
    path: "/v1/teams/payments/stories",
    missing: { code: "team_not_found", unknown: "/v1/teams/nobody/stories", malformed: ["/v1/teams/a_b/stories"] },
    badQueries: [...badPaging, "drafts=yes", "drafts=1", "drafts="]
  },
  {
    path: "/v1/stories/PAY-1",
    missing: {
      code: "story_not_found",
      unknown: "/v1/stories/PAY-99",
      malformed: ["/v1/stories/PAY", "/v1/stories/PAY-0", "/v1/stories/PAY-1%00"]
    }
  },
  { path: "/v1/runs", badQueries: [...badPaging, "team=a_b", "team=", "story=PAY", "story="] },
  {
    path: "/v1/runs/run-aaaa",
    missing: {
      code: "run_not_found",
      unknown: "/v1/runs/run-0000",
      malformed: ["/v1/runs/run-aaa", "/v1/runs/run-aaai", "/v1/runs/dec-aaaa"]
    }
  },
  {
    path: "/v1/decisions",
    badQueries: [...badPaging, "status=open", "status=Pending", "status=", "team=a_b", "run=run-1", "run=dec-aaaa"]
  },
  {
    path: "/v1/decisions/dec-aaaa",
    missing: {
      code: "decision_not_found",
      unknown: "/v1/decisions/dec-0000",
      malformed: ["/v1/decisions/dec-aaao", "/v1/decisions/x"]
    }
  },
  {
    path: "/v1/audit",
    remembers: true,
    badQueries: [
      ...badPaging,
      "team=a_b",
      "actor=robot",
      "actor=constructor",
      "actor=__proto__",
      "event=nothing",
      "run=x",
      "from=yesterday",
      "to=2026-02-30",
      "from=2026-02-02&to=2026-02-01"
    ]
  },
  { path: "/v1/audit/export", remembers: true, badQueries: ["format=xml", "format=", "actor=toString", "to=tomorrow"] },
  { path: "/boards" },
  { path: "/v1/boards" },
  {
    path: `/boards/${boardId}`,
    missing: { code: "board_not_found", unknown: `/boards/${stranger}`, malformed: ["/boards/payments"] }
  },
  {
    path: `/v1/boards/${boardId}`,
    missing: { code: "board_not_found", unknown: `/v1/boards/${stranger}`, malformed: ["/v1/boards/x"] }
  }
]
export const isList = (route: Route) => route.missing === undefined || route.path.endsWith("/stories")
export const openRoutes = ["/docs", "/healthz", "/readyz", "/v1/openapi.json"]
