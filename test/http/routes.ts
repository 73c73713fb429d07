import { operations, type Parameter, parametersOf } from "../openapi/Published.ts"
import * as Seed from "../support/Seed.ts"

export const boardId = "0b5cbb1e-6ac8-4f0e-9d1c-4b7c3f3d8f11"

/** A workspace that has every sample key below. */
export const document = {
  ...Seed.small,
  teams: [{ ...Seed.small.teams[0], id: boardId, createdAt: "2026-01-01T10:00:00.000Z" }, Seed.small.teams[1]]
}

interface Values {
  readonly sample?: string
  /** Well-formed, but names nothing. */
  readonly unknown?: string
  readonly malformed: ReadonlyArray<string>
}

/** Values of the parameters that are free text; a definition with an enum or another type has them in itself. */
const texts: Readonly<Record<string, Values>> = {
  team: { sample: "payments", unknown: "nobody", malformed: ["a_b", "%00", "a%2Fb"] },
  story: { sample: "PAY-1", unknown: "PAY-99999", malformed: ["PAY", "PAY-0", "PAY-1%00"] },
  run: { sample: "run-aaaa", unknown: "run-0000", malformed: ["run-aaa", "run-aaai", "dec-aaaa"] },
  decision: { sample: "dec-aaaa", unknown: "dec-0000", malformed: ["dec-aaao", "x"] },
  board: { sample: boardId, unknown: "11111111-2222-4333-8444-555555555555", malformed: ["payments"] },
  source: { sample: "x".repeat(32), malformed: [] },
  cursor: { malformed: ["x"] },
  event: { sample: "story_moved", malformed: ["nothing"] },
  from: { sample: "2026-01-01", malformed: ["yesterday", "2026-02-02&to=2026-02-01"] },
  to: { sample: "2030-12-31", malformed: ["2026-02-30", "tomorrow"] }
}

/** Facts of a route that its definition does not hold. */
interface Row {
  /** The codes of its own refusals by status, beside those of every route with a token. */
  readonly codes?: Readonly<Record<number, ReadonlyArray<string>>>
  /** It takes no token. */
  readonly isOpen?: boolean
  /** The operation recorded when a member requests it, if it requires an admin. */
  readonly adminsOnly?: string
  /** Every workspace has its own audit log, which keeps deleted teams, and an export lengthens it. */
  readonly remembers?: boolean
  /** SQL statements of a request; two by default. */
  readonly statements?: number
}

const intake: Row = {
  isOpen: true,
  codes: {
    400: ["unreadable_alert"],
    401: ["invalid_proof", "timestamp_out_of_window"],
    404: ["source_not_found"],
    413: ["payload_too_large"],
    415: ["unsupported_media_type"],
    503: ["unavailable"]
  }
}
const missing = (code: string) => ({ codes: { 404: [code] } })
const paged = { 400: ["invalid_parameter", "invalid_cursor"] }
const ofTeam = { codes: { ...paged, 404: ["team_not_found"] } }

/** Every route. The tests of `http`, `openapi`, `twins` and of rights read it. */
const table: Readonly<Record<string, Row>> = {
  "GET /v1/teams": { statements: 1 },
  "GET /v1/teams/{team}": missing("team_not_found"),
  "GET /v1/teams/{team}/stories": ofTeam,
  "GET /v1/stories/{story}": missing("story_not_found"),
  "GET /v1/runs": ofTeam,
  "GET /v1/runs/{run}": { ...missing("run_not_found"), statements: 1 },
  "GET /v1/decisions": { ...ofTeam, statements: 1 },
  "GET /v1/decisions/{decision}": missing("decision_not_found"),
  "POST /v1/decisions/{decision}/resolve": {
    codes: {
      400: ["invalid_parameter", "invalid_json", "invalid_request", "note_too_long", "unknown_option"],
      403: ["insufficient_authority"],
      404: ["decision_not_found"],
      409: [
        "decision_already_resolved",
        "decision_expired",
        "decision_cancelled",
        "decision_superseded",
        "idempotency_key_reused"
      ],
      415: ["unsupported_media_type"]
    }
  },
  "GET /v1/audit": { ...ofTeam, remembers: true, adminsOnly: "audit read" },
  "GET /v1/audit/export": {
    codes: { 400: ["invalid_parameter"], 404: ["team_not_found"] },
    remembers: true,
    adminsOnly: "audit export",
    statements: 4
  },
  "POST /signals/{source}": intake,
  "PUT /signals/{source}": intake,
  "GET /boards": {},
  "GET /v1/boards": {},
  "GET /boards/{board}": missing("board_not_found"),
  "GET /v1/boards/{board}": missing("board_not_found"),
  "GET /healthz": { isOpen: true },
  "GET /readyz": { isOpen: true, codes: { 503: ["unavailable"] } },
  "GET /v1/openapi.json": { isOpen: true }
}

const ofToken: Row["codes"] = {
  401: ["missing_token", "invalid_token", "token_expired", "token_revoked"],
  403: ["insufficient_permission"],
  413: ["payload_too_large"],
  429: ["rate_limited"],
  500: ["internal_error"],
  503: ["unavailable"]
}

const codesOf = ({ adminsOnly, codes = {}, isOpen }: Row): Readonly<Record<string, ReadonlyArray<string>>> => {
  const all: Record<string, ReadonlyArray<string>> = { ...codes, ...(adminsOnly && { 403: ["admin_required"] }) }
  if (!isOpen) for (const [status, more] of Object.entries(ofToken)) all[status] = [...(all[status] ?? []), ...more]
  return all
}

const valuesOf = ({ name, schema }: Parameter): Values => {
  const [first] = schema.enum ?? []
  if (first !== undefined) {
    const capital = first.slice(0, 1).toUpperCase() + first.slice(1)
    return { sample: first, malformed: [capital, "constructor", "__proto__", "toString"] }
  }
  if (schema.type === "integer") return { sample: "1", malformed: ["0", "-1", "ten", "1.5", "1e2"] }
  if (schema.type === "boolean") return { sample: "true", malformed: ["yes", "1"] }
  return texts[name] ?? { malformed: [] }
}

/** A query that is refused. */
interface BadQuery {
  readonly query: string
  readonly code: string
}

const badQueriesOf = (parameter: Parameter): ReadonlyArray<BadQuery> => {
  const { name } = parameter
  const { malformed } = valuesOf(parameter)
  const code = name === "cursor" ? "invalid_cursor" : "invalid_parameter"
  const twice = { query: `${name}=1&${name}=1`, code: "invalid_parameter" }
  return [...["", ...malformed].map((value) => ({ query: `${name}=${value}`, code })), twice]
}

const routeOf = (name: string, row: Row) => {
  const [method = "", template = ""] = name.split(" ")
  const operation = operations.get(name)
  const parameters = operation === undefined ? [] : parametersOf(operation)
  const inQuery = parameters.filter((parameter) => parameter.in === "query")
  const key = parameters.find((parameter) => parameter.in === "path")
  const at = (value = "") => template.replace(/\{\w+\}/, () => value)
  const values = key === undefined ? null : valuesOf(key)
  return {
    ...row,
    name,
    method,
    path: at(values?.sample),
    /** Of a route with a key: paths that the service knows nothing at. */
    missing: values && {
      code: row.codes?.[404]?.[0] ?? "",
      unknown: at(values.unknown),
      malformed: values.malformed.map(at)
    },
    refusals: codesOf(row),
    isList: operation !== undefined && !("304" in operation.responses),
    isPaged: inQuery.some((parameter) => parameter.name === "cursor"),
    /** One value of each filter. */
    queries: inQuery.flatMap((parameter) => {
      const { sample } = valuesOf(parameter)
      return sample === undefined ? [] : [`${parameter.name}=${sample}`]
    }),
    badQueries: Object.fromEntries(inQuery.map((parameter) => [parameter.name, badQueriesOf(parameter)]))
  }
}

export type Route = ReturnType<typeof routeOf>

export const routes: ReadonlyArray<Route> = Object.entries(table).map(([name, row]) => routeOf(name, row))

/** Routes that read something with a token. */
export const reads = routes.filter(({ isOpen, method }) => method === "GET" && !isOpen)

/** A key of each kind that is in `document`. */
export const sampleKeys = Object.fromEntries(Object.entries(texts).map(([name, { sample = "" }]) => [name, sample]))

const pages = ["/docs"]
export const openPaths = [
  ...pages,
  ...routes.filter(({ isOpen, method }) => method === "GET" && isOpen).map(({ path }) => path)
]
