import { boardId, type Route, routes as all } from "../http/routes.ts"
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

const alert = '{"title":"Down","fingerprint":"down","severity":"critical"}'

const delivered =
  (method: string) =>
  ({ source }: Asked): ReadonlyArray<Call> => {
    const [good, bad] = [signed("known to the tests", alert), signed("another secret", alert)]
    return [good, bad].map((headers) => ({ path: `/signals/${source}`, method, headers, body: alert }))
  }

const answers = (): ReadonlyArray<Call> =>
  ["dec-aaaa", "dec-bbbb", "dec-dddd", "dec-0000"].map((key) => ({
    path: `/v1/decisions/${key}/resolve`,
    method: "POST",
    headers: { "content-type": "application/json", "idempotency-key": "once" },
    body: '{"optionId":"merge"}'
  }))

/** A read with its sample key and an unknown one, alone and with each of its filters. */
const read =
  ({ missing, path, queries }: Route) =>
  ({ board }: Asked): ReadonlyArray<Call> =>
    [path, ...queries.map((query) => `${path}?${query}`), ...(missing ? [missing.unknown] : [])].map((one) => ({
      path: one.replace(boardId, board)
    }))

/** Requests of every route. */
export const routes: Readonly<Record<string, (asked: Asked) => ReadonlyArray<Call>>> = {
  ...Object.fromEntries(all.filter(({ method }) => method === "GET").map((route) => [route.name, read(route)])),
  "POST /v1/decisions/{decision}/resolve": answers,
  "POST /signals/{source}": delivered("POST"),
  "PUT /signals/{source}": delivered("PUT")
}

export const boardOf = (rows: ReadonlyArray<string>) =>
  /"id":"([0-9a-f-]{36})"/.exec(rows.find((row) => /^teams .*"payments"/.test(row)) ?? "")?.[1] ?? ""
