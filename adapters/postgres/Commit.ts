import * as SqlClient from "@effect/sql/SqlClient"
import { type DateTime, Effect, Schema } from "effect"
import { Alert } from "../../domain/Alert.ts"
import { ApiToken } from "../../domain/ApiToken.ts"
import type { Change, Rows } from "../../domain/Change.ts"
import { Decision } from "../../domain/Decision.ts"
import { Incident } from "../../domain/Incident.ts"
import { Job } from "../../domain/Job.ts"
import { KeptAnswer } from "../../domain/KeptAnswer.ts"
import { Member } from "../../domain/Member.ts"
import { Notification } from "../../domain/Notification.ts"
import { Place } from "../../domain/Place.ts"
import { progress, Run } from "../../domain/Run.ts"
import { Service } from "../../domain/Service.ts"
import { SignalSource } from "../../domain/SignalSource.ts"
import { Story } from "../../domain/Story.ts"
import { Team } from "../../domain/Team.ts"
import { snakeCase } from "../../domain/Text.ts"
import { Workspace, type WorkspaceId } from "../../domain/Workspace.ts"
import { append } from "./AuditRows.ts"
import { type TableName, tables } from "./Tables.ts"

type Row = Readonly<Record<string, unknown>>

const snake = (row: Row): Row => Object.fromEntries(Object.entries(row).map(([key, value]) => [snakeCase(key), value]))

const encode = {
  workspace: Schema.encodeSync(Workspace),
  member: Schema.encodeSync(Member),
  token: Schema.encodeSync(ApiToken),
  team: Schema.encodeSync(Team),
  service: Schema.encodeSync(Service),
  place: Schema.encodeSync(Place),
  source: Schema.encodeSync(SignalSource),
  incident: Schema.encodeSync(Incident),
  alert: Schema.encodeSync(Alert),
  story: Schema.encodeSync(Story),
  run: Schema.encodeSync(Run),
  decision: Schema.encodeSync(Decision),
  job: Schema.encodeSync(Job),
  notification: Schema.encodeSync(Notification),
  keptAnswer: Schema.encodeSync(KeptAnswer)
}

const rowsOf = (rows: Rows): ReadonlyArray<readonly [TableName, ReadonlyArray<Row>]> => {
  const teams = (rows.teams ?? []).map((team) => encode.team(team))
  const runs = (rows.runs ?? []).map((run) => ({ ...encode.run(run), ...progress(run) }))
  return [
    ["workspaces", (rows.workspaces ?? []).map((workspace) => encode.workspace(workspace))],
    ["members", (rows.members ?? []).map((member) => encode.member(member))],
    ["api_tokens", (rows.tokens ?? []).map((token) => encode.token(token))],
    ["teams", teams],
    ["policies", teams.flatMap(({ policy, slug }) => (policy ? [{ team: slug, ...policy, ...policy.budgets }] : []))],
    ["services", (rows.services ?? []).map((service) => encode.service(service))],
    ["places", (rows.places ?? []).map((place) => encode.place(place))],
    [
      "signal_sources",
      (rows.sources ?? []).map((source) => {
        const { check, ...rest } = encode.source(source)
        return { ...rest, checkSettings: check }
      })
    ],
    ["incidents", (rows.incidents ?? []).map((incident) => encode.incident(incident))],
    ["alerts", (rows.alerts ?? []).map((alert) => encode.alert(alert))],
    [
      "stories",
      (rows.stories ?? []).map((story) => {
        const { column, ...rest } = encode.story(story)
        return { ...rest, columnId: column.id, columnName: column.name, columnRole: column.role }
      })
    ],
    ["runs", runs],
    ["attempts", runs.flatMap((run) => run.attemptList.map((attempt) => ({ runKey: run.key, ...attempt })))],
    ["decisions", (rows.decisions ?? []).map((decision) => encode.decision(decision))],
    ["jobs", (rows.jobs ?? []).map((job) => encode.job(job))],
    ["notifications", (rows.notifications ?? []).map((notification) => encode.notification(notification))],
    [
      "kept_answers",
      (rows.keptAnswers ?? []).map((kept) => {
        const { token, ...rest } = encode.keptAnswer(kept)
        return { ...rest, tokenId: token }
      })
    ]
  ]
}

const writer = (sql: SqlClient.SqlClient, workspace: WorkspaceId) => (statement: "insert" | "upsert", rows: Rows) =>
  Effect.forEach(
    rowsOf(rows).filter(([, all]) => all.length > 0),
    ([name, all]) => sql.unsafe(tables[name][statement], [workspace, JSON.stringify(all.map(snake))]),
    { discard: true }
  )

/** Writes what follows from what is on record already, inside the caller's transaction. */
export const write = Effect.fn("Postgres.write")(function* (
  workspace: WorkspaceId,
  { added = {}, changed = {} }: Omit<Change, "audit">
) {
  const put = writer(yield* SqlClient.SqlClient, workspace)
  const { incidents, ...rest } = changed
  // Of a service and environment one is open, so those that end make room for the next.
  if (incidents) yield* put("upsert", { incidents })
  yield* put("insert", added)
  yield* put("upsert", rest)
})

/** Writes a whole change inside the caller's transaction; the audit head is locked last. */
export const commit = Effect.fn("Postgres.commit")(function* (
  workspace: WorkspaceId,
  now: DateTime.Utc,
  { added = {}, audit, changed = {} }: Change
) {
  const sql = yield* SqlClient.SqlClient
  const { workspaces, ...rest } = changed
  yield* write(workspace, { added, changed: rest })
  if (added.workspaces) yield* sql`INSERT INTO audit_heads (workspace_id) VALUES (${workspace})`
  yield* append(workspace, now, audit)
  // Whoever holds the head still needs the row of the workspace, to which entries refer.
  if (workspaces) yield* writer(sql, workspace)("upsert", { workspaces })
})
