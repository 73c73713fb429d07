import { signed } from "../support/Source.ts"

/** A request by a member of one of the workspaces. */
export interface Call {
  readonly path: string
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

/** Differences between the requests to the workspaces. */
export interface Asked {
  readonly board: string
  readonly source: string
}

const paths =
  (...all: ReadonlyArray<string>) =>
  (): ReadonlyArray<Call> =>
    all.map((path) => ({ path }))

const alert = '{"title":"Down","fingerprint":"down","severity":"critical"}'

const delivered =
  (method: string) =>
  ({ source }: Asked): ReadonlyArray<Call> => {
    const [good, bad] = [signed("known to the tests", alert), signed("another secret", alert)]
    return [good, bad].map((headers) => ({ path: `/signals/${source}`, method, headers, body: alert }))
  }

const boards =
  (prefix: string) =>
  ({ board }: Asked): ReadonlyArray<Call> => [{ path: `${prefix}/${board}` }]

const answers = (): ReadonlyArray<Call> =>
  ["dec-aaaa", "dec-bbbb", "dec-dddd", "dec-0000"].map((key) => ({
    path: `/v1/decisions/${key}/resolve`,
    method: "POST",
    headers: { "content-type": "application/json", "idempotency-key": "once" },
    body: '{"optionId":"merge"}'
  }))

/** Requests of every route. */
export const routes: Readonly<Record<string, (asked: Asked) => ReadonlyArray<Call>>> = {
  "GET /v1/teams": paths("/v1/teams"),
  "GET /v1/teams/{team}": paths("/v1/teams/payments", "/v1/teams/web", "/v1/teams/nobody"),
  "GET /v1/teams/{team}/stories": paths("/v1/teams/payments/stories?drafts=true", "/v1/teams/web/stories?limit=1"),
  "GET /v1/stories/{story}": paths("/v1/stories/PAY-1", "/v1/stories/PAY-99"),
  "GET /v1/runs": paths("/v1/runs", "/v1/runs?team=payments&limit=1", "/v1/runs?story=PAY-1", "/v1/runs?team=nobody"),
  "GET /v1/runs/{run}": paths("/v1/runs/run-aaaa", "/v1/runs/run-0000"),
  "GET /v1/decisions": paths("/v1/decisions", "/v1/decisions?status=pending&team=payments&limit=1"),
  "GET /v1/decisions/{decision}": paths("/v1/decisions/dec-aaaa", "/v1/decisions/dec-0000"),
  "POST /v1/decisions/{decision}/resolve": answers,
  "GET /v1/audit": paths("/v1/audit", "/v1/audit?limit=1", "/v1/audit?team=payments&run=run-gggg&from=2026-01-01"),
  "GET /v1/audit/export": paths("/v1/audit/export", "/v1/audit/export?format=csv"),
  "POST /signals/{source}": delivered("POST"),
  "PUT /signals/{source}": delivered("PUT"),
  "GET /boards": paths("/boards"),
  "GET /v1/boards": paths("/v1/boards"),
  "GET /boards/{board}": boards("/boards"),
  "GET /v1/boards/{board}": boards("/v1/boards"),
  "GET /healthz": paths("/healthz"),
  "GET /readyz": paths("/readyz"),
  "GET /v1/openapi.json": paths("/v1/openapi.json")
}

export const boardOf = (rows: ReadonlyArray<string>) =>
  /"id":"([0-9a-f-]{36})"/.exec(rows.find((row) => /^teams .*"payments"/.test(row)) ?? "")?.[1] ?? ""
