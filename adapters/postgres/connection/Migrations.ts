import * as Migrator from "@effect/sql/Migrator"
import * as SqlClient from "@effect/sql/SqlClient"
import { Effect, Layer, Option, Schema } from "effect"
import workspaces from "../migrations/0001_Workspaces.ts"
import work from "../migrations/0002_Work.ts"
import reach from "../migrations/0009_Reach.ts"
import uptimeChecks from "../migrations/0008_UptimeChecks.ts"
import refusedDeliveries from "../migrations/0010_RefusedDeliveries.ts"
import following from "../migrations/0007_Following.ts"
import onCall from "../migrations/0006_OnCall.ts"
import auditTimes from "../migrations/0005_AuditTimes.ts"
import answers from "../migrations/0004_Answers.ts"
import jobs from "../migrations/0003_Jobs.ts"
import mergeHolds from "../migrations/0011_MergeHolds.ts"
import jobLeases from "../migrations/0012_JobLeases.ts"
import changeFeed from "../migrations/0013_ChangeFeed.ts"
import onCallLists from "../migrations/0014_OnCallLists.ts"
import identity from "../migrations/0016_Identity.ts"
import notices from "../migrations/0017_Notices.ts"
import decisionQueue from "../migrations/0018_DecisionQueue.ts"
import incidentHistory from "../migrations/0019_IncidentHistory.ts"
import runners from "../migrations/runner/0020_Runners.ts"
import pullRequests from "../migrations/0021_PullRequests.ts"
import runnerGuards from "../migrations/runner/0022_RunnerGuards.ts"
import askedBy from "../migrations/0023_AskedBy.ts"
import onCallPages from "../migrations/0024_OnCallPages.ts"
import boards from "../migrations/0025_Boards.ts"
import leaseHints from "../migrations/runner/0026_LeaseHints.ts"
import openId from "../migrations/0027_OpenId.ts"
import drains from "../migrations/runner/0030_Drains.ts"
import connections from "../migrations/codehost/0031_Connections.ts"
import trackers from "../migrations/codehost/0032_Trackers.ts"
import boardStatus from "../migrations/codehost/0033_BoardStatus.ts"
import writeLimits from "../migrations/codehost/0034_WriteLimits.ts"

/** A migration has no time limit. */
const patient = <E, R>(migration: Effect.Effect<unknown, E, R>) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Effect.asVoid(Effect.zipRight(sql.unsafe("SET LOCAL statement_timeout = 0; SET LOCAL lock_timeout = 0"), migration))
  )

const migrations = {
  "0001_Workspaces": patient(workspaces),
  "0002_Work": patient(work),
  "0003_Jobs": patient(jobs),
  "0004_Answers": patient(answers),
  "0005_AuditTimes": patient(auditTimes),
  "0006_OnCall": patient(onCall),
  "0007_Following": patient(following),
  "0008_UptimeChecks": patient(uptimeChecks),
  "0009_Reach": patient(reach),
  "0010_RefusedDeliveries": patient(refusedDeliveries),
  "0011_MergeHolds": patient(mergeHolds),
  "0012_JobLeases": patient(jobLeases),
  "0013_ChangeFeed": patient(changeFeed),
  "0014_OnCallLists": patient(onCallLists),
  "0016_Identity": patient(identity),
  "0017_Notices": patient(notices),
  "0018_DecisionQueue": patient(decisionQueue),
  "0019_IncidentHistory": patient(incidentHistory),
  "0020_Runners": patient(runners),
  "0021_PullRequests": patient(pullRequests),
  "0022_RunnerGuards": patient(runnerGuards),
  "0023_AskedBy": patient(askedBy),
  "0024_OnCallPages": patient(onCallPages),
  "0025_Boards": patient(boards),
  "0026_LeaseHints": patient(leaseHints),
  "0027_OpenId": patient(openId),
  "0030_Drains": patient(drains),
  "0031_Connections": patient(connections),
  "0032_Trackers": patient(trackers),
  "0033_BoardStatus": patient(boardStatus),
  "0034_WriteLimits": patient(writeLimits)
}

/** The schema this program is built for, by the name of its last migration. */
export const known = Object.keys(migrations).toSorted().at(-1) ?? ""

export class SchemaTooNew extends Schema.TaggedError<SchemaTooNew>()("SchemaTooNew", { found: Schema.String }) {
  override get message() {
    return (
      `The database has schema ${this.found}, which a newer Gatehouse made; this one knows schemas up to ${known}. ` +
      "Nothing was changed. Start the newer release, or restore a backup that was made before it first ran."
    )
  }
}

/** The schema of the database; none before the first migration. */
export const found = Effect.flatMap(SqlClient.SqlClient, (sql) =>
  sql<{ schema: string }>`
    SELECT lpad(migration_id::text, 4, '0') || '_' || name AS schema FROM migrations
    ORDER BY migration_id DESC LIMIT 1`.pipe(Effect.map(([row]) => Option.fromNullable(row?.schema)))
)

/** The same, also before there are migrations. */
const present = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [table] = yield* sql<{ exists: boolean }>`SELECT to_regclass('migrations') IS NOT NULL AS exists`
  return table?.exists === true ? yield* found : Option.none()
})

const refuseNewer = Effect.gen(function* () {
  const schema = yield* present
  if (Option.isSome(schema) && schema.value.slice(0, 4) > known.slice(0, 4))
    return yield* new SchemaTooNew({ found: schema.value })
})

const migrate = Migrator.make({})({ table: "migrations", loader: Migrator.fromRecord(migrations) })

const lock = 7_261_001
const take = `SET statement_timeout = 0; SET lock_timeout = 0; SELECT pg_advisory_lock(${lock})`
const leave = `SELECT pg_advisory_unlock(${lock}); RESET statement_timeout; RESET lock_timeout`

/** False, too, when another start migrates for longer than a statement may wait: its turn is waited for without a limit. */
const isPresent = Effect.orElseSucceed(Effect.map(present, Option.contains(known)), () => false)

/** Migrates at start, never backwards; concurrent starts take turns on a lock that ends with its session. */
export const layer = Layer.effectDiscard(
  Effect.scoped(
    Effect.gen(function* () {
      if (yield* isPresent) return
      const sql = yield* SqlClient.SqlClient
      const session = yield* sql.reserve
      yield* Effect.acquireRelease(session.executeRaw(take, []), () => Effect.orDie(session.executeRaw(leave, [])))
      yield* refuseNewer
      yield* migrate
    })
  )
)
