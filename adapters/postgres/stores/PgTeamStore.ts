import * as SqlClient from "@effect/sql/SqlClient"
import { Effect, Either, Layer, Schema } from "effect"
import * as Json from "../../../application/ports/Json.ts"
import { TeamStore } from "../../../application/ports/TeamStore.ts"
import { Alert } from "../../../domain/oncall/Alert.ts"
import { freshId } from "../../../domain/work/Fresh.ts"
import type { JobId } from "../../../domain/work/Job.ts"
import * as Key from "../../../domain/value/Key.ts"
import { settingsOf } from "../../../domain/work/DecisionTriggers.ts"
import { Run } from "../../../domain/work/Run.ts"
import { RunKey } from "../../../domain/value/RunKey.ts"
import { Story } from "../../../domain/work/Story.ts"
import { Team, TeamNotFound, TeamSlug, type TeamView } from "../../../domain/workspace/Team.ts"
import { Timestamp } from "../../../domain/value/Timestamp.ts"
import { WorkspaceId } from "../../../domain/workspace/Workspace.ts"
import * as PgWorkContext from "../context/PgWorkContext.ts"
import * as OnCallLock from "../context/OnCallLock.ts"
import { Standing } from "../context/PgIncidentContext.ts"
import { spentSince } from "../reads/BoardReads.ts"
import { one } from "../reads/PageReads.ts"
import * as SharedReads from "../reads/SharedReads.ts"
import * as IncidentRows from "../rows/IncidentRows.ts"
import * as StoryRows from "../rows/StoryRows.ts"
import * as Table from "../rows/Table.ts"
import * as TeamRows from "../rows/TeamRows.ts"
import { orDie } from "../connection/Transactions.ts"

const view = Table.object(TeamRows.teamView)

const oneTeam = `${PgWorkContext.teams} WHERE t.workspace_id = q.workspace AND t.slug = q.key AND t.deleted_at IS NULL`

interface Listed {
  readonly n: number
  readonly items: string | null
}

export const list = {
  parameters: "",
  statement: `
    SELECT q.n, (
      SELECT string_agg(o.json, ',') FROM (
        SELECT ${view} AS json FROM ${PgWorkContext.teams} WHERE t.workspace_id = q.workspace AND t.deleted_at IS NULL
        ORDER BY lower(t.name COLLATE "C") COLLATE "C", t.slug COLLATE "C") o) AS items
    FROM q`,
  answer: (row: Listed | undefined) => Either.right(Json.trust<ReadonlyArray<TeamView>>(`[${row?.items ?? ""}]`))
}

const TeamContext = Schema.Struct({
  ...PgWorkContext.WorkContext.fields,
  ...PgWorkContext.raising,
  unfinishedRuns: Schema.Array(Run),
  openIncidents: Schema.Array(Standing),
  firingAlerts: Schema.Array(Alert)
})
const decodeContext = Schema.decodeUnknownSync(Schema.Array(TeamContext))

/** An inner join, since Postgres removes a left join whose columns are unused. */
const lockTeam = `
  SELECT FROM (SELECT count(*) AS locked FROM (
    SELECT FROM teams t WHERE t.workspace_id = $1 AND t.slug = $2 FOR NO KEY UPDATE) l) t`

const lock = `${lockTeam}
  JOIN LATERAL (
    SELECT ${PgWorkContext.lockPending("d.status = 'pending' AND d.team = $2 AND t.locked > 0")} AS locked) d ON true
  JOIN LATERAL (
    SELECT count(*) FROM (
      SELECT FROM runs r WHERE r.workspace_id = $1 AND r.team = $2 AND r.status IN ('queued', 'running', 'waiting')
        AND d.locked >= 0 ORDER BY r.seq FOR NO KEY UPDATE) l) r ON true`

const onCall = `SELECT ${OnCallLock.lock("$1::text")}`

const present = "FROM teams x WHERE x.workspace_id = $1 AND x.slug = $2 AND x.deleted_at IS NULL"

const load = `
  SELECT ${PgWorkContext.now}, ${PgWorkContext.team("$2")}, NULL AS story, NULL AS run, ${PgWorkContext.pending("d.team = $2")},
    ${PgWorkContext.unfinishedRuns("r.team = $2")}, ${PgWorkContext.fresh("decisions", "$3")} AS "freshDecisions",
    ${PgWorkContext.declined("$2")},
    ${Table.array(
      IncidentRows.standing,
      "incidents i WHERE i.workspace_id = $1 AND i.status = 'open' AND i.team = $2 ORDER BY i.seq"
    )} AS "openIncidents",
    ${Table.array(
      IncidentRows.alert,
      `alerts a WHERE a.workspace_id = $1 AND a.status = 'firing'
        AND a.service IN (SELECT v.id FROM services v WHERE v.workspace_id = $1 AND v.team = $2) ORDER BY a.seq`
    )} AS "firingAlerts"
  ${present}`

const Workload = Schema.Struct({
  now: Timestamp,
  team: Team,
  unfinished: Schema.Int,
  spentToday: Schema.Number,
  spentThisMonth: Schema.Number,
  ready: Schema.Array(Story),
  freshRuns: Schema.Array(RunKey)
})
const decodeWorkload = Schema.decodeUnknownSync(Schema.Array(Workload))

/** Stories started at once; the rest waits for the next tick. */
const mostAtOnce = 50

const isReady = `
  s.column_role = 'ready' AND NOT s.draft AND s.rejected_at IS NULL AND NOT EXISTS (
    SELECT FROM runs r WHERE r.workspace_id = s.workspace_id AND r.story = s.key
      AND r.status IN ('queued', 'running', 'waiting'))`

const readyOnes = `
  stories s WHERE s.workspace_id = $1 AND s.team = $2 AND ${isReady}
  ORDER BY s.class_of_service = 'expedite' DESC, s.seq LIMIT ${mostAtOnce}`

const lockWorkload = `${lockTeam}
  JOIN LATERAL (
    SELECT count(*) FROM (
      SELECT FROM stories s WHERE s.workspace_id = $1 AND s.team = $2 AND s.column_role = 'ready' AND NOT s.draft
        AND s.rejected_at IS NULL AND t.locked > 0
      ORDER BY s.key FOR NO KEY UPDATE) l) s ON true`

const loadWorkload = `
  SELECT ${PgWorkContext.now}, ${PgWorkContext.team("$2")},
    (SELECT count(*)::int FROM runs r WHERE r.workspace_id = $1 AND r.team = $2
      AND r.status IN ('queued', 'running', 'waiting')) AS unfinished,
    ${spentSince("day")} AS "spentToday", ${spentSince("month")} AS "spentThisMonth",
    ${Table.array(StoryRows.story, readyOnes)} AS ready, ${PgWorkContext.fresh("runs", "$3")} AS "freshRuns"
  ${present}`

export const withRoom = `
  SELECT t.workspace_id AS workspace, t.slug AS team FROM ${PgWorkContext.teams} JOIN workspaces w ON w.id = t.workspace_id
  WHERE w.deleted_at IS NULL AND t.deleted_at IS NULL AND t.paused_at IS NULL
    AND EXISTS (SELECT FROM stories s WHERE s.workspace_id = t.workspace_id AND s.team = t.slug AND ${isReady})
    AND (SELECT count(*) FROM runs r WHERE r.workspace_id = t.workspace_id AND r.team = t.slug
      AND r.status IN ('queued', 'running', 'waiting')) < coalesce(p.max_concurrency, ${settingsOf(null).maxConcurrency})
  ORDER BY t.workspace_id, t.slug COLLATE "C"`
const decodeIdle = Schema.decodeUnknownSync(Schema.Array(Schema.Struct({ workspace: WorkspaceId, team: TeamSlug })))

export const layer = Layer.effect(
  TeamStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const runtime = yield* Effect.runtime()
    const { read } = SharedReads.shared(sql, runtime, list)
    return TeamStore.of({
      list: (workspace) => read(workspace, {}),
      get: one<TeamView, TeamSlug, TeamNotFound>(
        sql,
        runtime,
        { json: view, from: oneTeam },
        (team) => new TeamNotFound({ team })
      ),
      whole: one<Team, TeamSlug, TeamNotFound>(
        sql,
        runtime,
        { json: Table.object(TeamRows.team), from: oneTeam },
        (team) => new TeamNotFound({ team })
      ),
      change: (workspace, slug, decide) =>
        Effect.flatMap(Key.drawMany("dec", 16), (drawn) =>
          PgWorkContext.change(
            workspace,
            { before: [onCall, workspace], lock, load, parameters: [slug, JSON.stringify(drawn)] },
            decodeContext,
            () => new TeamNotFound({ team: slug }),
            (at) => decide({ ...at, freshJobs: at.openIncidents.map(() => freshId<JobId>()) })
          )
        ).pipe(Effect.provideService(SqlClient.SqlClient, sql)),
      withRoom: Effect.map(orDie(sql.unsafe(withRoom)), decodeIdle),
      schedule: (workspace, slug, decide) =>
        Effect.flatMap(Key.drawMany("run", 2 * mostAtOnce), (drawn) =>
          PgWorkContext.change(
            workspace,
            { lock: lockWorkload, load: loadWorkload, parameters: [slug, JSON.stringify(drawn)] },
            decodeWorkload,
            () => new TeamNotFound({ team: slug }),
            decide
          )
        ).pipe(Effect.provideService(SqlClient.SqlClient, sql))
    })
  })
)
