import * as SqlClient from "@effect/sql/SqlClient"
import { type DateTime, Effect, type Either, Schema } from "effect"
import type { Decided } from "../../../domain/Change.ts"
import { Decision, DecisionKey, Kind } from "../../../domain/work/Decision.ts"
import { MergeHold } from "../../../domain/work/MergeHold.ts"
import { Run } from "../../../domain/work/Run.ts"
import { Story } from "../../../domain/work/Story.ts"
import { Team } from "../../../domain/workspace/Team.ts"
import { Timestamp } from "../../../domain/value/Timestamp.ts"
import type { WorkspaceId } from "../../../domain/workspace/Workspace.ts"
import { conclude } from "../rows/Commit.ts"
import * as DecisionRows from "../rows/DecisionRows.ts"
import * as RunRows from "../rows/RunRows.ts"
import * as StoryRows from "../rows/StoryRows.ts"
import * as Table from "../rows/Table.ts"
import * as TeamRows from "../rows/TeamRows.ts"
import { transaction } from "../connection/Transactions.ts"
import { withNext } from "../connection/PipelinedClient.ts"

/** SQL of the rows a decision reads; each text is one column of a statement whose $1 is the workspace. */

export const one = (columns: string, from: string) => `(SELECT row_to_json(o) FROM (SELECT ${columns} FROM ${from}) o)`

export const teams = "teams t LEFT JOIN policies p ON p.workspace_id = t.workspace_id AND p.team = t.slug"

export const now = `iso8601(clock_timestamp()) AS now`

export const team = (slug: string) =>
  `${one(TeamRows.team, `${teams} WHERE t.workspace_id = $1 AND t.slug = ${slug}`)} AS team`

export const story = (key: string) =>
  `${one(StoryRows.story, `stories s WHERE s.workspace_id = $1 AND s.key = ${key}`)} AS story`

export const run = (key: string) => `${one(RunRows.run, `runs r WHERE r.workspace_id = $1 AND r.key = ${key}`)} AS run`

export const pending = (condition: string) =>
  `${Table.array(
    DecisionRows.decision,
    `decisions d WHERE d.workspace_id = $1 AND d.status = 'pending' AND ${condition} ORDER BY d.seq`
  )} AS pending`

export const unfinishedRuns = (condition: string) =>
  `${Table.array(
    RunRows.run,
    `runs r WHERE r.workspace_id = $1 AND r.status IN ('queued', 'running', 'waiting') AND ${condition} ORDER BY r.seq`
  )} AS "unfinishedRuns"`

/** Unused keys of a JSON array; `OFFSET 0` keeps Postgres from reading every key in the table. */
export const fresh = (table: "decisions" | "runs" | "incidents", parameter: string) => `
  ARRAY(SELECT k.value FROM json_array_elements_text(${parameter}::json) k
    WHERE NOT EXISTS (SELECT FROM ${table} x WHERE x.workspace_id = $1 AND x.key = k.value OFFSET 0))`

export const declined = (slug: string) => `
  ${Table.array(
    "d.key, d.kind, d.title",
    `decisions d, json_array_elements(d.options) o
     WHERE d.workspace_id = $1 AND d.team = ${slug} AND d.status = 'resolved'
       AND d.kind IN ('maintenance_proposal', 'strategy_proposal')
       AND o->>'id' = d.resolution->>'optionId' AND o->>'action' = 'decline_proposal'`
  )} AS declined`

export const mergeHold = (team: string) => `${DecisionRows.mergeHold("$1", team)} AS "mergeHold"`

export const merging = { mergeHold: Schema.NullOr(MergeHold) }

export const WorkContext = Schema.Struct({
  now: Timestamp,
  team: Team,
  story: Schema.NullOr(Story),
  run: Schema.NullOr(Run),
  pending: Schema.Array(Decision)
})

export const raising = {
  freshDecisions: Schema.Array(DecisionKey),
  declined: Schema.Array(Schema.Struct({ key: DecisionKey, kind: Kind, title: Schema.String }))
}

/** Locks pending decisions in their order, in which callers that need several take them. */
export const lockPending = (condition: string) => `
  (SELECT count(*) FROM (
    SELECT FROM decisions d WHERE d.workspace_id = $1 AND ${condition} ORDER BY d.seq FOR NO KEY UPDATE) l)`

/** One transaction: lock, read, decide, write. Fails with `missing` when nothing is found. */
export const change = <M extends { readonly now: DateTime.Utc }, A, E, F, N>(
  workspace: WorkspaceId,
  statements: {
    readonly before?: readonly [statement: string, ...parameters: ReadonlyArray<string>]
    readonly lock: string
    readonly load: string
    /** Parameters after the workspace; the lock needs only the first. */
    readonly parameters: readonly [key: string, ...rest: ReadonlyArray<string | null>]
  },
  decode: (rows: ReadonlyArray<unknown>) => ReadonlyArray<M>,
  missing: () => N,
  decide: (at: M) => Either.Either<Decided<A, F>, E>
): Effect.Effect<A, E | F | N, SqlClient.SqlClient> =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const [key, ...rest] = statements.parameters
    if (statements.before) yield* sql.unsafe(withNext(statements.before[0]), statements.before.slice(1))
    yield* sql.unsafe(withNext(statements.lock), [workspace, key])
    const [at] = decode(yield* sql.unsafe(statements.load, [workspace, key, ...rest]))
    if (at === undefined) return yield* Effect.fail(missing())
    const { answer, change } = yield* decide(at)
    yield* conclude(workspace, at.now, change)
    return answer
  }).pipe(transaction, Effect.flatten)

/** Locks the pending decisions, the unfinished runs and the row of a story, $2, in the order of all that change them. */
export const lockStory = `
  SELECT FROM (SELECT ${lockPending("d.status = 'pending' AND d.story = $2")} AS locked) n
  LEFT JOIN LATERAL (
    SELECT count(*) AS locked FROM (
      SELECT FROM runs r WHERE r.workspace_id = $1 AND r.story = $2 AND r.status IN ('queued', 'running', 'waiting')
        AND n.locked >= 0 ORDER BY r.seq FOR NO KEY UPDATE) l) r ON true
  LEFT JOIN LATERAL (
    SELECT FROM stories s WHERE s.workspace_id = $1 AND s.key = $2 AND r.locked >= 0 FOR NO KEY UPDATE) s ON true`
