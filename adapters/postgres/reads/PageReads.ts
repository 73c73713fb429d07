import type * as SqlClient from "@effect/sql/SqlClient"
import { type Effect, Either, type Runtime } from "effect"
import * as Json from "../../../application/ports/Json.ts"
import type { Page, PageRequest } from "../../../application/ports/Page.ts"
import { TeamNotFound, type TeamSlug } from "../../../domain/workspace/Team.ts"
import type { WorkspaceId } from "../../../domain/workspace/Workspace.ts"
import * as SharedReads from "./SharedReads.ts"
import * as Table from "../rows/Table.ts"

/** SQL of a list: `json` of rows `alias`, a table with workspace_id and seq. */
export interface Source {
  /** True when the list includes deleted teams. */
  readonly ofDeletedTeams?: boolean
  readonly from: string
  readonly alias: string
  readonly json: string
  /** Condition of every row in the list. */
  readonly always?: string
  /** The condition of each possible filter, which reads `q` and the filter's name. */
  readonly filters: Readonly<Record<string, string>>
}

/** A null filter is not given. */
type Filters = Readonly<Record<string, string | null>>

interface Asked extends Readonly<Record<string, string | number | null>> {
  readonly team: TeamSlug | null
}

interface Row {
  readonly n: number
  readonly team: string | null
  readonly items: string | null
  readonly count: number
  readonly next: string | null
}

const newest = "9223372036854775807"

/**
 * Newest first below `before`, with one row more than requested to detect whether more follow. A team filter is looked
 * up in the same statement.
 */
const statement = (
  { alias, always = "true", filters, from, json, ofDeletedTeams = false }: Source,
  given: ReadonlyArray<string>
) => {
  const ofTeam = given.includes("team")
  const conditions = [
    `${alias}.workspace_id = q.workspace`,
    ofTeam ? `${alias}.team = q.team` : ofDeletedTeams ? "true" : Table.held(alias),
    always,
    ...given.flatMap((name) => filters[name] ?? []),
    `${alias}.seq < q.before`
  ]
  const team = `
    LEFT JOIN LATERAL (
      SELECT x.slug FROM teams x WHERE x.workspace_id = q.workspace AND x.slug = q.team
        AND (x.deleted_at IS NULL OR ${ofDeletedTeams}) LIMIT 1) t ON true`
  return `
    SELECT q.n, ${ofTeam ? "t.slug" : "NULL"} AS team, page.* FROM q ${ofTeam ? team : ""}
    LEFT JOIN LATERAL (
      SELECT string_agg(r.json, ',') FILTER (WHERE r.place <= q.size) AS items, least(count(*), q.size)::int AS count,
        CASE WHEN count(*) > q.size THEN min(r.seq) FILTER (WHERE r.place <= q.size) END AS next
      FROM (
        SELECT x.*, row_number() OVER () AS place FROM (
          SELECT ${alias}.seq, ${json} AS json FROM ${from} WHERE ${conditions.join(" AND ")}
          ORDER BY ${alias}.seq DESC LIMIT q.size + 1) x) r) page ON ${ofTeam ? "t.slug IS NOT NULL" : "true"}`
}

/** The largest page of the API; larger reads are not shared. */
const mostShared = 100

const parametersOf = ({ filters }: Source) =>
  `before bigint, size int, ${["team", ...Object.keys(filters)].map((name) => `"${name}" text`).join(", ")}`

/** Caches the result of `make` for each set of given filters. */
const byFilters = <A>(source: Source, make: (statement: string) => A) => {
  const made = new Map<string, A>()
  const names = ["team", ...Object.keys(source.filters)]
  return (given: Asked): A => {
    const present = names.filter((name) => given[name] != null)
    const known = made.get(present.join())
    if (known !== undefined) return known
    const one = make(statement(source, present))
    made.set(present.join(), one)
    return one
  }
}

const askedOf = (team: TeamSlug | null, filters: Filters, { before, limit }: PageRequest): Asked => ({
  before: before?.toString() ?? newest,
  size: limit,
  ...filters,
  team
})

const pageOf = <A>(row: Row | undefined, { team }: Asked): Either.Either<Page<A>, TeamNotFound> =>
  team !== null && row?.team !== team
    ? Either.left(new TeamNotFound({ team }))
    : Either.right({
        items: Json.trust<ReadonlyArray<A>>(`[${row?.items ?? ""}]`),
        count: row?.count ?? 0,
        next: row?.next == null ? null : BigInt(row.next)
      })

const sharedPage = <A>(source: Source, statement: string) => ({
  parameters: parametersOf(source),
  statement,
  answer: pageOf<A>
})

export const page = <A>(sql: SqlClient.SqlClient, runtime: Runtime.Runtime<never>, source: Source) => {
  const readsOf = byFilters(source, (statement) => SharedReads.shared(sql, runtime, sharedPage<A>(source, statement)))
  return (
    workspace: WorkspaceId,
    team: TeamSlug | null,
    filters: Filters,
    request: PageRequest
  ): Effect.Effect<Page<A>, TeamNotFound> => {
    const asked = askedOf(team, filters, request)
    const { read, readAlone } = readsOf(asked)
    return (request.limit > mostShared ? readAlone : read)(workspace, asked)
  }
}

/** The same for the member with the token of that hash. */
export const polledPage = <A>(sql: SqlClient.SqlClient, runtime: Runtime.Runtime<never>, source: Source) => {
  const pollOf = byFilters(source, (statement) => SharedReads.entered(sql, runtime, sharedPage<A>(source, statement)))
  return (hash: string, team: TeamSlug | null, filters: Filters, request: PageRequest, lane?: string) => {
    const asked = askedOf(team, filters, request)
    return pollOf(asked)(hash, asked, lane)
  }
}

/** SQL that reads one object: `from` selects it by `q.key`. */
export interface Resource {
  readonly json: string
  readonly from: string
}

interface Held {
  readonly n: number
  readonly json: string | null
}

const sharedOne = <A, K extends string, E>({ from, json }: Resource, missing: (key: K) => E) => ({
  parameters: "key text",
  statement: `SELECT q.n, (SELECT ${json} FROM ${from} LIMIT 1) AS json FROM q`,
  answer: (row: Held | undefined, { key }: { readonly key: K }): Either.Either<Json.Json<A>, E> =>
    row?.json == null ? Either.left(missing(key)) : Either.right(Json.trust<A>(row.json))
})

/** Reads one object by its key, or fails with `missing`. */
export const one = <A, K extends string, E>(
  sql: SqlClient.SqlClient,
  runtime: Runtime.Runtime<never>,
  resource: Resource,
  missing: (key: K) => E
) => {
  const { read } = SharedReads.shared(sql, runtime, sharedOne<A, K, E>(resource, missing))
  return (workspace: WorkspaceId, key: K) => read(workspace, { key })
}

/** The same for the member with the token of that hash. */
export const polledOne = <A, K extends string, E>(
  sql: SqlClient.SqlClient,
  runtime: Runtime.Runtime<never>,
  resource: Resource,
  missing: (key: K) => E
) => {
  const poll = SharedReads.entered(sql, runtime, sharedOne<A, K, E>(resource, missing))
  return (hash: string, key: K, lane?: string) => poll(hash, { key }, lane)
}
