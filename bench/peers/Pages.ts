import type { Cursors, Listing } from "./Cursors.ts"
import { notFound } from "./Refusal.ts"
import { type Sql, type Statement, statement } from "./Statements.ts"

/** Objects of a deleted team are hidden from readers. */
export const held = (alias: string) => `
  NOT EXISTS (SELECT FROM teams gone WHERE gone.workspace_id = ${alias}.workspace_id AND gone.slug = ${alias}.team
    AND gone.deleted_at IS NOT NULL)`

/** A condition on one value; without a value there is no condition. */
export type Condition = readonly [sql: string, value: unknown]

/** Newest first, with one row more than requested to detect a next page; one statement for each set of filters. */
export const newest = (
  { alias, columns, name, table }: { name: string; table: string; alias: string; columns: string },
  always: ReadonlyArray<string>,
  conditions: ReadonlyArray<Condition>,
  limit: number
): readonly [Statement, ReadonlyArray<unknown>] => {
  const used = conditions.flatMap(([sql, value], index) => (value === null ? [] : [{ sql, value, index }]))
  const where = used.map(({ sql }, index) => `${alias}.${sql} $${index + 1}`)
  const text = `
    SELECT ${columns}, ${alias}.seq FROM ${table} ${alias} WHERE ${[...where, ...always].join(" AND ")}
    ORDER BY ${alias}.seq DESC LIMIT $${used.length + 1}`
  const which = [always.length, ...used.map(({ index }) => index)].join("_")
  return [statement(`${name}_${which}`, text), [...used.map(({ value }) => value), limit + 1]]
}

/** The rows of a page, and the cursor of the next. */
export const cut = <Row extends { readonly seq: string }>(
  rows: ReadonlyArray<Row>,
  limit: number,
  listing: Listing,
  cursors: Cursors
) => {
  const page = rows.slice(0, limit)
  const last = page.at(-1)
  return { page, nextCursor: rows.length > limit && last ? cursors.encode(listing, last.seq) : null }
}

const teamHere = statement(
  "team_here",
  "SELECT deleted_at IS NOT NULL AS gone FROM teams WHERE workspace_id = $1 AND slug = $2"
)

/** Fails unless the workspace has the team; a deleted team counts only with `ofDeleted`. */
export const checkTeam = async (sql: Sql, workspace: string, team: string | null, ofDeleted = false) => {
  if (team === null) return
  const [found] = await sql.query<{ readonly gone: boolean }>(teamHere, [workspace, team])
  if (found === undefined || (found.gone && !ofDeleted)) throw notFound("team")
}
