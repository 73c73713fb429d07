import * as SqlClient from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import { Array, type DateTime, Effect, identity, Option } from "effect"
import type { Change, Rows } from "../../../domain/Change.ts"
import { snakeCase } from "../../../domain/value/Text.ts"
import type { WorkspaceId } from "../../../domain/workspace/Workspace.ts"
import { append, appending, parametersOf } from "./AuditRows.ts"
import * as ConnectionRows from "./ConnectionRows.ts"
import * as DecisionRows from "./DecisionRows.ts"
import * as IncidentRows from "./IncidentRows.ts"
import * as JobRows from "./JobRows.ts"
import * as OnCallRows from "./OnCallRows.ts"
import * as RunnerRows from "./RunnerRows.ts"
import * as PullRequestRows from "./PullRequestRows.ts"
import * as RunRows from "./RunRows.ts"
import * as StoryRows from "./StoryRows.ts"
import { plain, type Row, type Table } from "./Table.ts"
import * as TeamRows from "./TeamRows.ts"
import * as TrackerRows from "./TrackerRows.ts"
import * as WorkspaceRows from "./WorkspaceRows.ts"
import { withCommit } from "../connection/PipelinedClient.ts"

const columns = new Map<string, string>()

const columnOf = (field: string): string => {
  const known = columns.get(field) ?? snakeCase(field)
  columns.set(field, known)
  return known
}

/** A row with the names of its columns. */
export const snake = (row: Row): Row => {
  const named: Record<string, unknown> = {}
  for (const field in row) named[columnOf(field)] = row[field]
  return named
}

const each = <A>(all: ReadonlyArray<A> = [], toRow: (one: A) => Row): ReadonlyArray<Row> => all.map((one) => toRow(one))

/** Rows by table, in the order in which they are locked. */
const rowsOf = (rows: Rows): ReadonlyArray<readonly [Table, ReadonlyArray<Row>]> => {
  const teams = (rows.teams ?? []).map((team) => TeamRows.ofTeam(team))
  return [
    [WorkspaceRows.workspaces, each(rows.workspaces, WorkspaceRows.ofWorkspace)],
    [WorkspaceRows.members, each(rows.members, WorkspaceRows.ofMember)],
    [WorkspaceRows.tokens, each(rows.tokens, WorkspaceRows.ofToken)],
    [TeamRows.teams, teams],
    [TeamRows.policies, teams.flatMap(TeamRows.ofPolicy)],
    [OnCallRows.services, each(rows.services, OnCallRows.ofService)],
    [OnCallRows.places, each(rows.places, OnCallRows.ofPlace)],
    [OnCallRows.sources, each(rows.sources, OnCallRows.ofSource)],
    [IncidentRows.incidents, each(rows.incidents, plain)],
    [IncidentRows.alerts, each(rows.alerts, plain)],
    [StoryRows.stories, each(rows.stories, StoryRows.ofStory)],
    [RunnerRows.runners, each(rows.runners, plain)],
    [RunRows.runs, each(rows.runs, RunRows.ofRun)],
    [RunRows.attempts, (rows.runs ?? []).flatMap(RunRows.ofAttempts)],
    [DecisionRows.decisions, each(rows.decisions, plain)],
    [ConnectionRows.connections, each(rows.connections, plain)],
    [TrackerRows.bindings, each(rows.bindings, plain)],
    [PullRequestRows.pullRequests, each(rows.pullRequests, plain)],
    [JobRows.jobs, each(rows.jobs, plain)],
    [IncidentRows.notifications, each(rows.notifications, IncidentRows.ofNotification)],
    [WorkspaceRows.keptAnswers, each(rows.keptAnswers, WorkspaceRows.ofKeptAnswer)]
  ]
}

interface Write {
  readonly how: "insert" | "upsert"
  readonly table: Table
  readonly rows: ReadonlyArray<Row>
}

const writesOf = (how: Write["how"], rows: Rows): ReadonlyArray<Write> =>
  rowsOf(rows).flatMap(([table, all]) => (all.length === 0 ? [] : [{ how, table, rows: all }]))

const textOf = (writes: ReadonlyArray<Write>) => {
  const parts = writes.map(({ how, table }, n) => `w${n} AS (${table[how](`$${n + 2}`)} RETURNING 1)`)
  const written = ["0", ...writes.map((_, n) => `(SELECT count(*) FROM w${n})`)].join(" + ")
  return `WITH RECURSIVE ${[...parts, `w AS (SELECT ${written} AS rows)`].join(", ")}`
}

/** Writes to several tables in one statement that `end` completes; caches the text for the same tables. */
const together = (end: (text: string, next: number) => string) => {
  const texts = new Map<string, string>()
  return (workspace: WorkspaceId, writes: ReadonlyArray<Write>) => {
    const name = writes.map(({ how, table }) => `${how} ${table.name}`).join()
    const text = texts.get(name) ?? end(textOf(writes), writes.length + 2)
    texts.set(name, text)
    return { text, parameters: [workspace, ...writes.map(({ rows }) => JSON.stringify(rows.map(snake)))] }
  }
}

const counted = together((text) => `${text} SELECT rows FROM w`)

const put = (workspace: WorkspaceId, writes: ReadonlyArray<Write>) =>
  Effect.gen(function* () {
    if (writes.length === 0) return
    const { parameters, text } = counted(workspace, writes)
    yield* (yield* SqlClient.SqlClient).unsafe(text, parameters)
  })

/** Only one incident may be open per service and environment, so resolved ones are written before new ones. */
const makeRoom = (workspace: WorkspaceId, { added = {}, changed = {} }: Omit<Change, "audit">) => {
  const { incidents, ...rest } = changed
  const ended = writesOf("upsert", incidents ? { incidents } : {})
  const others = [...writesOf("insert", added), ...writesOf("upsert", rest)]
  return added.incidents === undefined
    ? Effect.succeed([...ended, ...others])
    : Effect.as(put(workspace, ended), others)
}

/** Writes rows whose cause is already recorded, inside the caller's transaction. */
export const write = (workspace: WorkspaceId, change: Omit<Change, "audit">) =>
  Effect.flatMap(makeRoom(workspace, change), (writes) => put(workspace, writes))

type Put = (
  workspace: WorkspaceId,
  now: DateTime.Utc,
  writes: ReadonlyArray<Write>,
  audit: Change["audit"]
) => Effect.Effect<unknown, SqlError, SqlClient.SqlClient>

const atOnce = (mark: (text: string) => string): Put => {
  const audited = together((text, next) => mark(`${text}, ${appending(`$${next}`, `$${next + 1}`)}`))
  return (workspace, now, writes, audit) => {
    const { parameters, text } = audited(workspace, writes)
    return Effect.flatMap(SqlClient.SqlClient, (sql) =>
      Effect.flatMap(parametersOf(now, audit), (facts) => sql.unsafe(text, [...parameters, ...facts]))
    )
  }
}

/** Variants within a transaction and as its last statement. */
const amid = atOnce(identity)
const last = atOnce(withCommit)

const most = 200

/** An import of thousands of rows takes too long, and gets a bad plan, as one statement. */
const inTurns: Put = (workspace, now, writes, audit) =>
  Effect.all(
    [
      ...writes.map((one) => put(workspace, [one])),
      ...Array.chunksOf(audit, most).map((facts) => append(workspace, now, facts))
    ],
    { discard: true }
  )

const committing = Effect.fnUntraced(function* (
  workspace: WorkspaceId,
  now: DateTime.Utc,
  { added = {}, audit, changed = {} }: Change,
  whole: Put
) {
  const sql = yield* SqlClient.SqlClient
  const { workspaces, ...rest } = changed
  if (added.workspaces) {
    yield* write(workspace, { added, changed: rest })
    yield* sql`INSERT INTO audit_heads (workspace_id) VALUES (${workspace})`
    return yield* append(workspace, now, audit)
  }
  const writes = yield* makeRoom(workspace, { added, changed: rest })
  const isLarge = [audit, ...writes.map(({ rows }) => rows)].some((all) => all.length > most)
  yield* (isLarge ? inTurns : workspaces ? amid : whole)(workspace, now, writes, audit)
  // The holder of the head still needs the row of the workspace, which entries reference.
  if (workspaces) yield* put(workspace, writesOf("upsert", { workspaces }))
})

/** Writes a whole change with its audit entries inside the caller's transaction. */
export const commit = (workspace: WorkspaceId, now: DateTime.Utc, change: Change) =>
  committing(workspace, now, change, amid)

/** The same as the last step of the caller's transaction, which it commits. */
export const conclude = (workspace: WorkspaceId, now: DateTime.Utc, change: Change) =>
  Effect.flatMap(Effect.serviceOption(SqlClient.TransactionConnection), (within) => {
    const isInner = Option.exists(within, ([, depth]) => depth > 0)
    return committing(workspace, now, change, isInner ? amid : last)
  })
