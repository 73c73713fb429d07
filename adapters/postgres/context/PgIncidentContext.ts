import * as SqlClient from "@effect/sql/SqlClient"
import { Effect, Either, Schema } from "effect"
import type { OnCallStore } from "../../../application/ports/OnCallStore.ts"
import { Alert } from "../../../domain/oncall/Alert.ts"
import { Decision } from "../../../domain/work/Decision.ts"
import { Incident } from "../../../domain/oncall/Incident.ts"
import { Evidence, hoursOfSuspicion, mostAlertsRead } from "../../../domain/oncall/Investigation.ts"
import { fresh, freshId } from "../../../domain/work/Fresh.ts"
import { Job } from "../../../domain/work/Job.ts"
import * as Key from "../../../domain/value/Key.ts"
import { Email, MemberId } from "../../../domain/workspace/Member.ts"
import { Place } from "../../../domain/oncall/Place.ts"
import { RunKey } from "../../../domain/value/RunKey.ts"
import { Service } from "../../../domain/oncall/Service.ts"
import { SignalSource } from "../../../domain/oncall/SignalSource.ts"
import { Timestamp } from "../../../domain/value/Timestamp.ts"
import { commit, write } from "../rows/Commit.ts"
import * as PgWorkContext from "./PgWorkContext.ts"
import { lock } from "./OnCallLock.ts"
import * as DecisionRows from "../rows/DecisionRows.ts"
import * as IncidentRows from "../rows/IncidentRows.ts"
import * as JobRows from "../rows/JobRows.ts"
import * as OnCallRows from "../rows/OnCallRows.ts"
import * as Table from "../rows/Table.ts"
import { orDie, transaction } from "../connection/Transactions.ts"

type Store = OnCallStore["Type"]

/** A job and its incident. */
const jobOf = "jobs j JOIN incidents i ON i.workspace_id = j.workspace_id AND i.key = j.payload->>'incident'"
const here = "WHERE j.workspace_id = $1 AND j.id = $2 AND j.status <> 'done'"

const incidentContext = `
  ${PgWorkContext.now}, ${PgWorkContext.one(JobRows.job, "(SELECT 1) x")} AS job, ${PgWorkContext.one(IncidentRows.standing, "(SELECT 1) x")} AS standing,
  ${PgWorkContext.one(
    OnCallRows.service,
    `services v JOIN teams t ON t.workspace_id = v.workspace_id AND t.slug = v.team
     WHERE v.workspace_id = $1 AND v.id = i.service`
  )} AS service`

const few = 5

export const members = Table.array(
  "m.id, m.email, m.name",
  "members m WHERE m.workspace_id = $1 AND m.removed_at IS NULL ORDER BY m.email"
)

const loadFollow = `
  SELECT ${incidentContext}, (SELECT w.slug FROM workspaces w WHERE w.id = $1) AS workspace,
    ${members} AS members,
    ${Table.array(
      OnCallRows.place,
      `places p WHERE p.workspace_id = $1 AND p.team = i.team AND p.removed_at IS NULL AND ${Table.held("p")}
       ORDER BY p.name`
    )} AS places,
    ${Table.array(
      OnCallRows.source,
      `signal_sources s JOIN workspaces w ON w.id = s.workspace_id
       WHERE s.workspace_id = $1 AND s.id IN (
         SELECT a.source FROM alerts a WHERE a.workspace_id = $1 AND a.incident = i.key) ORDER BY s.id`
    )} AS sources,
    ${Table.array(
      IncidentRows.alert,
      `alerts a WHERE a.workspace_id = $1 AND a.incident = i.key ORDER BY a.seq DESC LIMIT ${few}`
    )} AS alerts,
    ${PgWorkContext.one(DecisionRows.decision, `decisions d WHERE d.workspace_id = $1 AND d.key = j.payload->>'decision'`)} AS decision
  FROM ${jobOf} ${here}`

export const Recipient = Schema.Struct({ id: MemberId, email: Email, name: Schema.String })

export const Standing = Schema.Struct({ incident: Incident, firing: Schema.Int })

const FollowContext = Schema.Struct({
  now: Timestamp,
  job: Job,
  workspace: Schema.String,
  standing: Standing,
  service: Service,
  members: Schema.Array(Recipient),
  places: Schema.Array(Place),
  sources: Schema.Array(SignalSource),
  alerts: Schema.Array(Alert),
  decision: Schema.NullOr(Decision)
})
const decodeFollow = Schema.decodeUnknownSync(Schema.Array(FollowContext))

const turn = `SELECT ${lock("$1::text")}`

export const follow =
  (sql: SqlClient.SqlClient): Store["follow"] =>
  (workspace, job, plan) =>
    Effect.gen(function* () {
      yield* sql.unsafe(turn, [workspace])
      const [at] = decodeFollow(yield* sql.unsafe(loadFollow, [workspace, job]))
      if (at === undefined) return
      const wanted = 2 * at.members.length + at.places.length + at.sources.length + 2
      const freshIds = Array.from({ length: wanted }, freshId)
      yield* write(workspace, plan({ ...at, freshIds }))
    }).pipe(transaction, Effect.provideService(SqlClient.SqlClient, sql))

/** A done merge job counts too: the worker on the run need not have reported the merge. */
const merges = `
  (SELECT coalesce(json_agg(row_to_json(m)), '[]') FROM (
    SELECT r.key AS "runKey", r.story, r.pull_request AS "pullRequest", iso8601(x.at) AS "mergedAt", t.title,
      r.evidence->'diff'->'paths' AS paths FROM (
      SELECT r.key, r.merged_at AS at FROM runs r WHERE r.workspace_id = $1 AND r.team = i.team
        AND r.merged_at > clock_timestamp() - interval '${hoursOfSuspicion} hours'
      UNION
      SELECT j.run_key, j.updated_at FROM jobs j WHERE j.workspace_id = $1 AND j.team = i.team
        AND j.kind = 'merge_pull_request' AND j.status = 'done'
        AND j.updated_at > clock_timestamp() - interval '${hoursOfSuspicion} hours') x
    JOIN runs r ON r.workspace_id = $1 AND r.key = x.key
    JOIN stories t ON t.workspace_id = $1 AND t.key = r.story ORDER BY x.at DESC) m)`

const loadEvidence = `
  SELECT i.title, (SELECT v.name FROM services v WHERE v.workspace_id = $1 AND v.id = i.service) AS service, i.environment, iso8601(i.opened_at) AS "openedAt", ${merges} AS merges,
    ARRAY(SELECT o.name FROM services o
      WHERE o.workspace_id = $1 AND o.team = i.team AND o.id <> i.service AND o.deleted_at IS NULL
      ORDER BY o.name COLLATE "C") AS "otherServices",
    ${Table.array(
      'a.title, a.description, a.labels, iso8601(a.started_at) AS "startedAt", s.kind',
      `alerts a JOIN signal_sources s ON s.workspace_id = $1 AND s.id = a.source
       WHERE a.workspace_id = $1 AND a.incident = i.key ORDER BY a.seq LIMIT ${mostAlertsRead}`
    )} AS alerts
  FROM incidents i WHERE i.workspace_id = $1 AND i.key = $2`

const decodeEvidence = Schema.decodeUnknownSync(Schema.Array(Evidence))

export const evidence =
  (sql: SqlClient.SqlClient): Store["evidence"] =>
  (workspace, incident) =>
    Effect.map(orDie(sql.unsafe(loadEvidence, [workspace, incident])), (rows) => decodeEvidence(rows)[0] ?? null)

const loadFinding = `
  SELECT ${incidentContext}, ${PgWorkContext.team("i.team")}, NULL AS story, NULL AS run, ${PgWorkContext.pending("d.team = i.team")},
    ${PgWorkContext.fresh("decisions", "$3")} AS "freshDecisions", ${PgWorkContext.declined("i.team")},
    ${PgWorkContext.fresh("runs", "$4")} AS "freshRuns",
    (SELECT coalesce(max(s.number), 0) + 1 FROM stories s WHERE s.workspace_id = $1 AND s.team = i.team) AS "storyNumber"
  FROM ${jobOf} ${here}`

const FindingContext = Schema.Struct({
  ...PgWorkContext.WorkContext.fields,
  ...PgWorkContext.raising,
  job: Job,
  standing: Standing,
  service: Service,
  freshRuns: Schema.NonEmptyArray(RunKey),
  storyNumber: Schema.Int
})
const decodeFinding = Schema.decodeUnknownSync(Schema.Array(FindingContext))

const numbers = "SELECT FROM workspaces w WHERE w.id = $1 FOR NO KEY UPDATE"

export const conclude =
  (sql: SqlClient.SqlClient): Store["conclude"] =>
  (workspace, job, decide) =>
    Effect.gen(function* () {
      yield* sql.unsafe(turn, [workspace])
      yield* sql.unsafe(numbers, [workspace])
      const [decisions, runs] = [yield* Key.drawMany("dec", 16), yield* Key.drawMany("run", 16)]
      const parameters = [workspace, job, JSON.stringify(decisions), JSON.stringify(runs)]
      const [found] = decodeFinding(yield* sql.unsafe(loadFinding, parameters))
      if (found === undefined) return
      const { freshRuns, storyNumber, ...at } = found
      const decided = decide({
        ...at,
        fresh: fresh(at.team, storyNumber, freshRuns[0])
      })
      if (Either.isRight(decided)) yield* commit(workspace, at.now, decided.right.change)
    }).pipe(transaction, Effect.provideService(SqlClient.SqlClient, sql))
