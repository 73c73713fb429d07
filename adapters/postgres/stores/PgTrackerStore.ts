import * as SqlClient from "@effect/sql/SqlClient"
import { DateTime, Duration, Effect, Layer, Schema } from "effect"
import { keptDays, TrackerStore } from "../../../application/ports/tracker/TrackerStore.ts"
import { Connection } from "../../../domain/connection/Connection.ts"
import { Binding, newSync, Sync } from "../../../domain/tracker/Binding.ts"
import { MirroredIssue } from "../../../domain/tracker/MirroredIssue.ts"
import { RunKey } from "../../../domain/value/RunKey.ts"
import { Timestamp } from "../../../domain/value/Timestamp.ts"
import { Story } from "../../../domain/work/Story.ts"
import { Team, TeamNotFound } from "../../../domain/workspace/Team.ts"
import { WorkspaceId, WorkspaceSlug } from "../../../domain/workspace/Workspace.ts"
import { orDie, transaction } from "../connection/Transactions.ts"
import * as PgMirrorContext from "../context/PgMirrorContext.ts"
import * as PgWorkContext from "../context/PgWorkContext.ts"
import { writeTurns } from "../context/WriteTurns.ts"
import { commit, snake } from "../rows/Commit.ts"
import * as ConnectionRows from "../rows/ConnectionRows.ts"
import * as StoryRows from "../rows/StoryRows.ts"
import * as Table from "../rows/Table.ts"
import * as TrackerRows from "../rows/TrackerRows.ts"

const sync = Schema.transform(Schema.NullOr(Sync), Schema.typeSchema(Sync), {
  strict: true,
  decode: (kept) => kept ?? newSync,
  encode: (kept) => kept
})
const encodeSync = Schema.encodeSync(Schema.parseJson(Sync))
const itself = (columns: string) => `(SELECT row_to_json(o) FROM (SELECT ${columns}) o)`

/** The state of a run that its comment shows. */
const runState = `
  md5(concat_ws('|', r.status, r.stage, r.attempts, r.plan, r.pull_request::text, (
    SELECT string_agg(d.key || d.status, ',' ORDER BY d.seq) FROM decisions d
    WHERE d.workspace_id = r.workspace_id AND d.run_key = r.key)))`

/** Runs of an issue's story, since its team was bound, whose comment shows another state. */
const unwrittenRuns = `
  FROM runs r LEFT JOIN tracker_comments k ON k.workspace_id = r.workspace_id AND k.binding = i.binding
    AND k.issue = i.id AND k.run_key = r.key
  WHERE r.workspace_id = i.workspace_id AND r.story = i.story AND r.created_at >= b.created_at
    AND k.state IS DISTINCT FROM ${runState}`

/** From tracker_issues i, tracker_bindings b and stories s. */
const isUnwritten = `
  i.gone_at IS NULL AND s.rejected_at IS NULL AND (
    (s.column_role <> i.settled AND NOT (i.is_held AND i.is_closed)) OR EXISTS (SELECT ${unwrittenRuns}))`

const ofBinding = "i.workspace_id = b.workspace_id AND i.binding = b.id"
const itsStory = "s.workspace_id = i.workspace_id AND s.key = i.story"
const bound = `
  tracker_bindings b JOIN teams t ON t.workspace_id = b.workspace_id AND t.slug = b.team
    AND t.deleted_at IS NULL AND b.removed_at IS NULL`

const list = `
  SELECT ${itself(TrackerRows.binding)} AS binding, b.sync,
    (SELECT count(*) FROM tracker_issues i WHERE ${ofBinding} AND i.gone_at IS NULL)::integer AS mirrored,
    (SELECT count(*) FROM tracker_issues i JOIN stories s ON ${itsStory} WHERE ${ofBinding} AND ${isUnwritten})::integer
      AS unwritten,
    (SELECT count(*) FROM jobs j WHERE j.workspace_id = b.workspace_id AND j.kind = 'write_story' AND j.team = b.team
      AND j.status IN ('queued', 'running', 'no_adapter'))::integer AS drafts
  FROM ${bound} WHERE b.workspace_id = $1 ORDER BY b.team COLLATE "C"`

const state = { binding: Binding, sync }
const decodeStates = Schema.decodeUnknownSync(
  Schema.Array(Schema.Struct({ ...state, mirrored: Schema.Int, unwritten: Schema.Int, drafts: Schema.Int }))
)

const lockTeam = `
  SELECT FROM workspaces w JOIN teams t ON t.workspace_id = w.id WHERE w.id = $1 AND t.slug = $2 FOR NO KEY UPDATE`

const loadTeam = `
  SELECT ${PgWorkContext.now}, ${PgWorkContext.team("$2")},
    ${Table.array(TrackerRows.binding, `${bound} WHERE b.workspace_id = $1 ORDER BY b.team COLLATE "C"`)} AS bindings,
    ${Table.array(ConnectionRows.connection, "connections c WHERE c.workspace_id = $1 AND c.removed_at IS NULL ORDER BY c.name")}
      AS connections`

const decodeTeam = Schema.decodeUnknownSync(
  Schema.Tuple(
    Schema.Struct({
      now: Timestamp,
      team: Schema.NullOr(Team),
      bindings: Schema.Array(Binding),
      connections: Schema.Array(Connection)
    })
  )
)

/** $3 the state at the beginning. */
const begin = `
  UPDATE tracker_bindings b SET due_at = ${Table.moment}, sync = jsonb_set(
    $3::jsonb, '{swept}', coalesce(b.sync::jsonb #> '{sweep,number}', b.sync::jsonb -> 'swept', '0'))::json
  WHERE b.workspace_id = $1 AND b.team = $2 AND b.removed_at IS NULL`

const issues = `
  SELECT ${TrackerRows.issue} FROM tracker_issues i
  WHERE i.workspace_id = $1 AND i.binding = $2 AND i.id IN (SELECT json_array_elements_text($3::json))`
const decodeIssues = Schema.decodeUnknownSync(Schema.Array(MirroredIssue))

const hinted = `
  SELECT h.id, h.key, h.mark::text AS mark FROM tracker_hints h
  WHERE h.workspace_id = b.workspace_id AND h.binding = b.id AND h.due_at <= statement_timestamp()`
const freed = `
  SELECT i.id, i.key, '' FROM tracker_issues i WHERE ${ofBinding} AND i.is_held AND NOT EXISTS (
    SELECT FROM runs r WHERE r.workspace_id = i.workspace_id AND r.story = i.story
      AND r.status IN ('queued', 'running', 'waiting'))`

const due = `
  UPDATE tracker_bindings b SET due_at = ${Table.moment} + make_interval(secs => $1)
  FROM (
    SELECT b.workspace_id, b.id, ${itself(ConnectionRows.connection)} AS connection
    FROM ${bound} JOIN workspaces w ON w.id = b.workspace_id AND w.deleted_at IS NULL
      JOIN connections c ON c.workspace_id = b.workspace_id AND c.id = b.connection AND c.removed_at IS NULL
    WHERE b.due_at <= statement_timestamp() ORDER BY b.due_at LIMIT 20 FOR NO KEY UPDATE OF b SKIP LOCKED) o
  WHERE b.workspace_id = o.workspace_id AND b.id = o.id
  RETURNING b.workspace_id AS workspace, ${itself(TrackerRows.binding)} AS binding, o.connection, b.sync, (
    SELECT coalesce(json_agg(json_build_object('issue', json_build_object('id', l.id, 'key', l.key), 'mark', l.mark)), '[]')
    FROM (SELECT * FROM ((${hinted} ORDER BY h.mark) UNION ALL ${freed}) a LIMIT 200) l) AS hints`

const Ref = Schema.Struct({ id: Schema.String, key: Schema.String })
const place = { workspace: WorkspaceId, binding: Binding, connection: Connection }
const decodeDue = Schema.decodeUnknownSync(
  Schema.Array(
    Schema.Struct({ ...place, sync, hints: Schema.Array(Schema.Struct({ issue: Ref, mark: Schema.String })) })
  )
)

const progress = `
  UPDATE tracker_bindings b SET sync = $3::json, due_at = ${Table.moment} + make_interval(secs => $4)
  WHERE b.workspace_id = $1 AND b.id = $2 AND b.updated_at = $5::timestamptz AND b.removed_at IS NULL`

const seen = `
  UPDATE tracker_issues i SET sweep = $4::integer
  WHERE i.workspace_id = $1 AND i.binding = $2 AND i.id IN (SELECT json_array_elements_text($3::json))`

const unseen = `
  SELECT i.id, i.key FROM tracker_issues i
  WHERE i.workspace_id = $1 AND i.binding = $2 AND i.sweep < $3::integer AND i.gone_at IS NULL
  ORDER BY i.id COLLATE "C" LIMIT $4::integer`
const decodeRefs = Schema.decodeUnknownSync(Schema.Array(Ref))

const open = `
  SELECT i.id, i.key, i.status, ${Table.at("i.status_since", "statusSince")} FROM tracker_issues i
  WHERE i.workspace_id = $1 AND i.binding = $2 AND i.id COLLATE "C" > $3 AND i.gone_at IS NULL AND NOT i.is_closed
  ORDER BY i.id COLLATE "C" LIMIT $4::integer`
const { status, statusSince } = MirroredIssue.fields
const decodeOpen = Schema.decodeUnknownSync(Schema.Array(Schema.Struct({ ...Ref.fields, status, statusSince })))

/** $2 connection, $3 project, $4 id and $5 key of the issue, $6 seconds to wait. */
const hint = `
  WITH meant AS (
    UPDATE tracker_bindings b SET due_at = CASE WHEN $6::float8 > 0 THEN b.due_at ELSE ${Table.moment} END
    WHERE b.workspace_id = $1 AND b.connection = $2 AND lower(b.project) = lower($3) AND b.removed_at IS NULL
    RETURNING b.workspace_id, b.id)
  INSERT INTO tracker_hints (workspace_id, binding, id, key, due_at)
  SELECT m.workspace_id, m.id, $4, $5, ${Table.moment} + make_interval(secs => $6) FROM meant m
  ON CONFLICT (workspace_id, binding, id) DO UPDATE SET key = excluded.key, mark = DEFAULT, due_at = excluded.due_at`

const followed = `
  DELETE FROM tracker_hints h WHERE h.workspace_id = $1 AND h.binding = $2 AND h.id = $3 AND h.mark::text = $4`

const writable = `
  coalesce(i.leased_until, '-infinity') <= clock_timestamp()
    AND coalesce(i.rests_until, '-infinity') <= clock_timestamp() AND ${isUnwritten}`
const joined = `
  tracker_issues i JOIN ${bound} ON ${ofBinding} JOIN workspaces w ON w.id = i.workspace_id AND w.deleted_at IS NULL
    JOIN connections c ON c.workspace_id = b.workspace_id AND c.id = b.connection AND c.removed_at IS NULL
    JOIN stories s ON ${itsStory}`

/** $1 seconds of the lease, $2 most issues of a connection. */
const unwritten = `
  UPDATE tracker_issues i SET leased_until = clock_timestamp() + make_interval(secs => $1)
  FROM (
    SELECT i.workspace_id, i.binding, i.id, ${itself(ConnectionRows.connection)} AS connection, w.slug,
      ${itself(TrackerRows.binding)} AS bound, ${itself(StoryRows.story)} AS story,
      (SELECT coalesce(json_agg(row_to_json(o)), '[]') FROM (
        SELECT r.key AS run, r.plan, ${runState} AS state, k.id AS comment ${unwrittenRuns} ORDER BY r.seq) o) AS runs
    FROM (
      SELECT i.workspace_id, i.binding, i.id,
        row_number() OVER (PARTITION BY c.workspace_id, c.id ORDER BY s.updated_at, i.id) AS place
      FROM ${joined} WHERE ${writable}) n
      JOIN (${joined}) ON i.workspace_id = n.workspace_id AND i.binding = n.binding AND i.id = n.id
    WHERE n.place <= $2::integer AND ${writable}
    ORDER BY n.place, s.updated_at, i.id LIMIT 60 FOR NO KEY UPDATE OF i SKIP LOCKED) o
  WHERE i.workspace_id = o.workspace_id AND i.binding = o.binding AND i.id = o.id
  RETURNING i.workspace_id AS workspace, o.slug AS "workspaceSlug", o.bound AS binding, o.connection,
    ${itself(TrackerRows.issue)} AS issue, o.story, o.runs`

const UnwrittenRun = Schema.Struct({
  run: RunKey,
  plan: Schema.NullOr(Schema.String),
  state: Schema.String,
  comment: Schema.NullOr(Schema.String)
})
const decodeUnwritten = Schema.decodeUnknownSync(
  Schema.Array(
    Schema.Struct({
      ...place,
      workspaceSlug: WorkspaceSlug,
      issue: MirroredIssue,
      story: Story,
      runs: Schema.Array(UnwrittenRun)
    })
  )
)

const lockRow = `
  SELECT FROM tracker_issues i WHERE i.workspace_id = $1 AND i.binding = $2 AND i.id = $3 AND i.synced_at = $4::timestamptz
  FOR NO KEY UPDATE`

const commented = `
  INSERT INTO tracker_comments (workspace_id, binding, issue, run_key, id, state) VALUES ($1, $2, $3, $4, $5, $6)
  ON CONFLICT (workspace_id, binding, issue, run_key) DO UPDATE SET id = excluded.id, state = excluded.state`

const release = `
  UPDATE tracker_issues i SET leased_until = NULL, rests_until = ${Table.moment} + make_interval(secs => $4)
  WHERE i.workspace_id = $1 AND i.binding = $2 AND i.id = $3`

const forget = (table: string) => `
  DELETE FROM ${table} x USING tracker_bindings b
  WHERE b.workspace_id = x.workspace_id AND b.id = x.binding AND b.removed_at < statement_timestamp() - interval '${keptDays} days' AND NOT EXISTS (
    SELECT FROM tracker_bindings n WHERE n.workspace_id = b.workspace_id AND n.team = b.team
      AND n.connection = b.connection AND n.removed_at IS NULL)`

export const layer = Layer.effect(
  TrackerStore,
  Effect.map(SqlClient.SqlClient, (sql) => {
    const run = (statement: string, parameters: ReadonlyArray<unknown> = []) => orDie(sql.unsafe(statement, parameters))
    return TrackerStore.of({
      list: (workspace) => Effect.map(run(list, [workspace]), decodeStates),
      change: (workspace, slug, decide) =>
        Effect.gen(function* () {
          yield* sql.unsafe(lockTeam, [workspace, slug])
          const [{ team, ...at }] = decodeTeam(yield* sql.unsafe(loadTeam, [workspace, slug]))
          if (team === null || team.deletedAt !== null) return yield* new TeamNotFound({ team: slug })
          const { answer, change } = yield* decide({ ...at, team })
          yield* commit(workspace, at.now, change)
          yield* sql.unsafe(begin, [workspace, slug, encodeSync(newSync)])
          return answer
        }).pipe(transaction, Effect.flatten, Effect.provideService(SqlClient.SqlClient, sql)),
      mirror: (workspace, target, decide) =>
        Effect.provideService(PgMirrorContext.mirror(workspace, target, decide), SqlClient.SqlClient, sql),
      issues: (workspace, binding, ids) =>
        Effect.map(run(issues, [workspace, binding, JSON.stringify(ids)]), decodeIssues),
      due: (pauseSeconds) => Effect.map(run(due, [pauseSeconds]), decodeDue),
      progress: (workspace, { id, updatedAt }, kept, wait) => {
        const changed = DateTime.formatIso(updatedAt)
        return Effect.asVoid(run(progress, [workspace, id, encodeSync(kept), Duration.toSeconds(wait), changed]))
      },
      seen: (workspace, binding, sweep, ids) =>
        Effect.asVoid(run(seen, [workspace, binding, JSON.stringify(ids), sweep])),
      unseen: (workspace, binding, sweep, limit) =>
        Effect.map(run(unseen, [workspace, binding, sweep, limit]), decodeRefs),
      open: (workspace, binding, after, limit) =>
        Effect.map(run(open, [workspace, binding, after ?? "", limit]), decodeOpen),
      hint: (workspace, connection, project, { id, key }, wait = Duration.zero) =>
        Effect.asVoid(run(hint, [workspace, connection, project, id, key, Duration.toSeconds(wait)])),
      followed: (workspace, binding, { issue, mark }) =>
        Effect.asVoid(run(followed, [workspace, binding, issue.id, mark])),
      unwritten: (lease, most) => Effect.map(run(unwritten, [Duration.toSeconds(lease), most]), decodeUnwritten),
      wrote: (workspace, issue, before) =>
        Effect.gen(function* () {
          const synced = DateTime.formatIso(before.syncedAt)
          const held = yield* sql.unsafe(lockRow, [workspace, before.binding, before.id, synced])
          if (held.length === 0) return
          yield* sql.unsafe(TrackerRows.issues.upsert("$2"), [workspace, JSON.stringify([snake(Table.plain(issue))])])
        }).pipe(transaction, Effect.provideService(SqlClient.SqlClient, sql)),
      commented: (workspace, { binding, id }, { comment, run: key, state: shown }) =>
        Effect.asVoid(run(commented, [workspace, binding, id, key, comment, shown])),
      release: (workspace, { binding, id }, wait) =>
        Effect.asVoid(run(release, [workspace, binding, id, Duration.toSeconds(wait)])),
      ...writeTurns(run),
      now: Effect.map(
        run(`SELECT ${PgWorkContext.now}`),
        ([row]) => Schema.decodeUnknownSync(Schema.Struct({ now: Timestamp }))(row).now
      ),
      purge: Effect.forEach(["tracker_comments", "tracker_hints", "tracker_issues"], (table) => run(forget(table)), {
        discard: true
      })
    })
  })
)
