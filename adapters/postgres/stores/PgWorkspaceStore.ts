import * as SqlClient from "@effect/sql/SqlClient"
import type * as SqlError from "@effect/sql/SqlError"
import { Effect, type Either, Layer, Schema } from "effect"
import { WorkspaceStore } from "../../../application/ports/WorkspaceStore.ts"
import { Alert } from "../../../domain/oncall/Alert.ts"
import type { Decided } from "../../../domain/Change.ts"
import { Decision } from "../../../domain/work/Decision.ts"
import { Member } from "../../../domain/workspace/Member.ts"
import { Run } from "../../../domain/work/Run.ts"
import { Timestamp } from "../../../domain/value/Timestamp.ts"
import { addressKey } from "../../../domain/workspace/SignInReach.ts"
import { Workspace, type WorkspaceSlug } from "../../../domain/workspace/Workspace.ts"
import { commit } from "../rows/Commit.ts"
import { offline } from "../context/HeldWork.ts"
import * as OnCallLock from "../context/OnCallLock.ts"
import { Standing } from "../context/PgIncidentContext.ts"
import * as DecisionRows from "../rows/DecisionRows.ts"
import * as IdentityRows from "../rows/IdentityRows.ts"
import * as IncidentRows from "../rows/IncidentRows.ts"
import * as RunRows from "../rows/RunRows.ts"
import * as Table from "../rows/Table.ts"
import * as WorkspaceRows from "../rows/WorkspaceRows.ts"
import { orDie, transaction } from "../connection/Transactions.ts"

const Roster = Schema.Struct({
  now: Timestamp,
  workspace: Schema.NullOr(Workspace),
  members: Schema.Array(Member)
})
const decodeRoster = Schema.decodeUnknownSync(Schema.Tuple(Roster))
const WorkspaceContext = Schema.Struct({
  ...Roster.fields,
  unfinishedRuns: Schema.Array(Run),
  pendingDecisions: Schema.Array(Decision),
  openIncidents: Schema.Array(Standing),
  firingAlerts: Schema.Array(Alert)
})
const decodeContext = Schema.decodeUnknownSync(Schema.Tuple(WorkspaceContext))

const roster = `
  iso8601(clock_timestamp()) AS now,
  (SELECT row_to_json(o) FROM (SELECT ${WorkspaceRows.workspace} FROM workspaces w WHERE w.slug = $1) o) AS workspace,
  ${Table.array(
    WorkspaceRows.member,
    `members m JOIN workspaces w ON w.id = m.workspace_id
     WHERE w.slug = $1 AND m.removed_at IS NULL ORDER BY m.created_at, m.id`
  )} AS members`

const Listed = Schema.Struct({ workspace: Workspace, members: Schema.Int, teams: Schema.Int })
const decodeListed = Schema.decodeUnknownSync(Schema.Array(Listed))

/** The operator's list, which no member can read. */
const list = `
  SELECT (SELECT row_to_json(o) FROM (SELECT ${WorkspaceRows.workspace}) o) AS workspace,
    (SELECT count(*)::int FROM members m WHERE m.workspace_id = w.id AND m.removed_at IS NULL) AS members,
    (SELECT count(*)::int FROM teams t WHERE t.workspace_id = w.id AND t.deleted_at IS NULL) AS teams
  FROM workspaces w WHERE w.deleted_at IS NULL AND w.slug COLLATE "C" > $1 ORDER BY w.slug COLLATE "C" LIMIT $2`

const context = `${roster},
  ${Table.array(
    RunRows.run,
    `runs r JOIN workspaces w ON w.id = r.workspace_id
     WHERE w.slug = $1 AND r.status IN ('queued', 'running', 'waiting') ORDER BY r.seq`
  )} AS "unfinishedRuns",
  ${Table.array(
    DecisionRows.decision,
    `decisions d JOIN workspaces w ON w.id = d.workspace_id
     WHERE w.slug = $1 AND d.status = 'pending' ORDER BY d.seq`
  )} AS "pendingDecisions",
  ${Table.array(
    IncidentRows.standing,
    `incidents i JOIN workspaces w ON w.id = i.workspace_id WHERE w.slug = $1 AND i.status = 'open' ORDER BY i.seq`
  )} AS "openIncidents",
  ${Table.array(
    IncidentRows.alert,
    `alerts a JOIN workspaces w ON w.id = a.workspace_id WHERE w.slug = $1 AND a.status = 'firing' ORDER BY a.seq`
  )} AS "firingAlerts"`

const addresses = (members: ReadonlyArray<Member>) => JSON.stringify(members.map(({ email }) => addressKey(email)))

const lockOnCall = `SELECT ${OnCallLock.lock("w.id::text")} FROM workspaces w WHERE w.slug = $1`

const lockDecisions = `
  SELECT FROM decisions d JOIN workspaces w ON w.id = d.workspace_id
  WHERE w.slug = $1 AND d.status = 'pending' ORDER BY d.seq FOR NO KEY UPDATE OF d`

const lockRuns = `
  SELECT FROM runs r JOIN workspaces w ON w.id = r.workspace_id
  WHERE w.slug = $1 AND r.status IN ('queued', 'running', 'waiting') ORDER BY r.seq FOR NO KEY UPDATE OF r`

export const layer = Layer.effect(
  WorkspaceStore,
  Effect.map(SqlClient.SqlClient, (sql) => {
    const change = <M extends typeof Roster.Type, A, E, F>(
      slug: WorkspaceSlug,
      load: Effect.Effect<M, SqlError.SqlError>,
      decide: (current: M) => Either.Either<Decided<A, F>, E>,
      before: Effect.Effect<unknown, SqlError.SqlError> = Effect.void
    ) =>
      Effect.gen(function* () {
        yield* before
        yield* sql`SELECT FROM workspaces WHERE slug = ${slug} FOR NO KEY UPDATE`
        const current = yield* load
        const decided = yield* decide(current)
        const workspace = current.workspace ?? decided.change.added?.workspaces?.[0]
        const { leaving = [] } = decided.change
        if (workspace && leaving.length > 0) yield* sql.unsafe(IdentityRows.leave, [workspace.id, addresses(leaving)])
        if (workspace)
          yield* commit(workspace.id, current.now, yield* offline(workspace.id, current.now, decided.change))
        return decided.answer
      }).pipe(transaction, Effect.flatten, Effect.provideService(SqlClient.SqlClient, sql))
    const readRoster = (slug: WorkspaceSlug) =>
      Effect.map(sql.unsafe(`SELECT ${roster}`, [slug]), (rows) => decodeRoster(rows)[0])
    const readContext = (slug: WorkspaceSlug) =>
      Effect.gen(function* () {
        yield* sql.unsafe(lockDecisions, [slug])
        yield* sql.unsafe(lockRuns, [slug])
        return decodeContext(yield* sql.unsafe(`SELECT ${context}`, [slug]))[0]
      })
    return WorkspaceStore.of({
      isEmpty: Effect.map(orDie(sql`SELECT FROM workspaces LIMIT 1`), (rows) => rows.length === 0),
      list: (after, limit) => Effect.map(orDie(sql.unsafe(list, [after ?? "", limit])), (rows) => decodeListed(rows)),
      roster: (slug) => orDie(readRoster(slug)),
      change: (slug, decide) => change(slug, readRoster(slug), decide),
      close: (slug, decide) => change(slug, readContext(slug), decide, sql.unsafe(lockOnCall, [slug]))
    })
  })
)
