import type * as SqlClient from "@effect/sql/SqlClient"
import type * as Statement from "@effect/sql/Statement"
import { Effect } from "effect"
import * as Json from "../../application/Json.ts"
import { cut, type Page, type PageRequest } from "../../application/Page.ts"
import { TeamNotFound, type TeamSlug } from "../../domain/Team.ts"
import type { WorkspaceId } from "../../domain/Workspace.ts"
import { held } from "./Records.ts"
import { orDie } from "./Statements.ts"

interface Row {
  readonly team: string | null
  readonly seq: string | null
  readonly json: string | null
}

/** What a list reads: `json` of rows `alias`, a table with workspace_id and seq. */
interface Source {
  /** Whether a deleted team is still a team to this list. */
  readonly ofDeletedTeams?: boolean
  readonly from: string
  readonly alias: string
  readonly json: string
}

/**
 * Newest first below `before`, one row more than asked for to know whether more follow. A team filter is looked up
 * in the same statement, which then answers one row with nulls when the page is empty.
 */
export const page =
  <A>(sql: SqlClient.SqlClient, { alias, from, json, ofDeletedTeams = false }: Source) =>
  (
    workspace: WorkspaceId,
    team: TeamSlug | null,
    filters: ReadonlyArray<Statement.Fragment>,
    { before, limit }: PageRequest
  ): Effect.Effect<Page<A>, TeamNotFound> => {
    const column = (name: string) => sql.literal(`${alias}.${name}`)
    const conditions = sql.and([
      sql`${column("workspace_id")} = ${workspace}`,
      ...(team !== null ? [sql`${column("team")} = ${team}`] : ofDeletedTeams ? [] : [sql.literal(held(alias))]),
      ...filters,
      ...(before === null ? [] : [sql`${column("seq")} < ${before.toString()}`])
    ])
    const rows = sql`
      SELECT ${column("seq")}, ${sql.literal(json)} AS json FROM ${sql.literal(from)}
      WHERE ${conditions} ORDER BY ${column("seq")} DESC LIMIT ${limit + 1}`
    const statement =
      team === null
        ? sql<Row>`SELECT '' AS team, page.seq, page.json FROM (${rows}) page`
        : sql<Row>`
            SELECT t.slug AS team, page.seq, page.json FROM (SELECT) one
            LEFT JOIN teams t ON t.workspace_id = ${workspace} AND t.slug = ${team}
              AND (t.deleted_at IS NULL OR ${ofDeletedTeams})
            LEFT JOIN LATERAL (${rows}) page ON t.slug IS NOT NULL`
    return Effect.flatMap(orDie(statement), (found) =>
      team !== null && found[0]?.team !== team
        ? new TeamNotFound({ team })
        : Effect.succeed(
            cut(
              found.flatMap((row) =>
                row.seq === null || row.json === null ? [] : [{ seq: BigInt(row.seq), json: Json.trust<A>(row.json) }]
              ),
              limit
            )
          )
    )
  }

/** The one object a statement finds, or the refusal that there is none. */
export const one = <A, E>(
  statement: Statement.Statement<{ readonly json: string }>,
  missing: () => E
): Effect.Effect<Json.Json<A>, E> =>
  Effect.flatMap(orDie(statement), ([row]) =>
    row === undefined ? Effect.fail(missing()) : Effect.succeed(Json.trust<A>(row.json))
  )
