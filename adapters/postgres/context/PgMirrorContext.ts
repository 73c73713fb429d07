import * as SqlClient from "@effect/sql/SqlClient"
import { Effect, type Either, Schema } from "effect"
import type { MirrorTarget } from "../../../application/ports/tracker/TrackerStore.ts"
import { Binding } from "../../../domain/tracker/Binding.ts"
import type { MirrorContext, Mirrored } from "../../../domain/tracker/MirrorIssue.ts"
import { MirroredIssue } from "../../../domain/tracker/MirroredIssue.ts"
import { Timestamp } from "../../../domain/value/Timestamp.ts"
import { Decision } from "../../../domain/work/Decision.ts"
import { freshId } from "../../../domain/work/Fresh.ts"
import { Run } from "../../../domain/work/Run.ts"
import { Story, type StoryId, StoryKey } from "../../../domain/work/Story.ts"
import type { WorkspaceId } from "../../../domain/workspace/Workspace.ts"
import { transaction } from "../connection/Transactions.ts"
import { commit, snake } from "../rows/Commit.ts"
import * as StoryRows from "../rows/StoryRows.ts"
import * as Table from "../rows/Table.ts"
import * as TrackerRows from "../rows/TrackerRows.ts"
import * as PgWorkContext from "./PgWorkContext.ts"

const ofIssue = `SELECT i.story FROM tracker_issues i WHERE i.workspace_id = $1 AND i.binding = $2 AND i.id = $3`

/** New stories take their number, and new issues their story, under the lock of the workspace. */
const lockNumbers = "SELECT FROM workspaces w WHERE w.id = $1 FOR NO KEY UPDATE"

const isFree = (story: string) =>
  `NOT EXISTS (SELECT FROM tracker_issues i WHERE i.workspace_id = $1 AND i.binding = $2 AND i.story = ${story})`

/** $3 id of the story that the issue was written for. */
const written = `
  SELECT s.key AS story FROM stories s JOIN tracker_bindings b ON b.workspace_id = s.workspace_id AND b.team = s.team
  WHERE s.workspace_id = $1 AND b.id = $2 AND s.id = $3::uuid AND s.tracker IS NULL AND s.rejected_at IS NULL AND ${isFree("s.key")}`

/** $3 id of the issue, which it keeps when its project is renamed, and the team is bound to the new name. */
const renamed = `
  SELECT o.story FROM tracker_bindings b
    JOIN tracker_bindings p ON p.workspace_id = b.workspace_id AND p.team = b.team AND p.connection = b.connection
      AND p.removed_at IS NOT NULL
    JOIN tracker_issues o ON o.workspace_id = p.workspace_id AND o.binding = p.id AND o.id = $3
  WHERE b.workspace_id = $1 AND b.id = $2 AND ${isFree("o.story")}
  ORDER BY p.removed_at DESC LIMIT 1`

/** $3 address of the issue. */
const addressed = `
  SELECT s.key AS story FROM stories s JOIN tracker_bindings b ON b.workspace_id = s.workspace_id AND b.team = s.team
  WHERE s.workspace_id = $1 AND b.id = $2 AND s.tracker IS NOT NULL AND s.tracker->>'url' = $3 AND ${isFree("s.key")}
  ORDER BY s.seq LIMIT 1`

/** The row of the issue is locked after its story. */
const lockIssue = `
  SELECT FROM tracker_issues i WHERE i.workspace_id = $1 AND i.binding = $2 AND i.id = $3 FOR NO KEY UPDATE`

/** The row of the issue under an earlier binding of the team. */
const former = `
  tracker_bindings p JOIN tracker_issues i ON i.workspace_id = p.workspace_id AND i.binding = p.id AND i.id = $3
  WHERE p.workspace_id = $1 AND p.team = b.team AND p.connection = b.connection AND p.removed_at IS NOT NULL
  ORDER BY p.removed_at DESC LIMIT 1`

/** $2 binding, $3 issue, $4 story. */
const load = `
  SELECT ${PgWorkContext.now}, (SELECT row_to_json(o) FROM (SELECT ${TrackerRows.binding}) o) AS binding,
    ${PgWorkContext.one(TrackerRows.issue, "tracker_issues i WHERE i.workspace_id = $1 AND i.binding = $2 AND i.id = $3")}
      AS issue,
    ${PgWorkContext.one(TrackerRows.issue, former)} AS former,
    ${PgWorkContext.one(StoryRows.story, "stories s WHERE s.workspace_id = $1 AND s.key = $4")} AS story,
    EXISTS (SELECT FROM runs r WHERE r.workspace_id = $1 AND r.story = $4) AS "hasRun",
    ${PgWorkContext.unfinishedRuns("r.story = $4")}, ${PgWorkContext.pending("d.story = $4")},
    t.key_prefix || '-' || (
      SELECT coalesce(max(n.number), 0) + 1 FROM stories n WHERE n.workspace_id = $1 AND n.team = t.slug) AS "freshKey",
    EXISTS (SELECT FROM tracker_issues l WHERE l.workspace_id = $1 AND l.binding = $2 AND l.id = $3
      AND l.leased_until > clock_timestamp()) AS "isWriting"
  FROM tracker_bindings b JOIN teams t ON t.workspace_id = b.workspace_id AND t.slug = b.team
  WHERE b.workspace_id = $1 AND b.id = $2 AND b.removed_at IS NULL AND t.deleted_at IS NULL`

const decode = Schema.decodeUnknownSync(
  Schema.Array(
    Schema.Struct({
      now: Timestamp,
      binding: Binding,
      issue: Schema.NullOr(MirroredIssue),
      former: Schema.NullOr(MirroredIssue),
      story: Schema.NullOr(Story),
      unfinishedRuns: Schema.Array(Run),
      hasRun: Schema.Boolean,
      pending: Schema.Array(Decision),
      freshKey: StoryKey,
      isWriting: Schema.Boolean
    })
  )
)

/** Key of the issue's story; a new issue is found under the lock of the workspace. */
const storyOf = (workspace: WorkspaceId, { binding, issue, story, url }: MirrorTarget) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const first = (statement: string, key: string) =>
      Effect.map(
        sql.unsafe<{ readonly story: string }>(statement, [workspace, binding, key]),
        ([row]) => row?.story ?? null
      )
    const known = yield* first(ofIssue, issue.id)
    if (known !== null) return known
    yield* sql.unsafe(lockNumbers, [workspace])
    const since = yield* first(ofIssue, issue.id)
    if (since !== null) return since
    const own = story === null ? null : yield* first(written, story)
    return own ?? (url === null ? null : ((yield* first(addressed, url)) ?? (yield* first(renamed, issue.id))))
  })

/** One transaction: lock, read, decide, write the change and the row. */
export const mirror = <E>(
  workspace: WorkspaceId,
  target: MirrorTarget,
  decide: (at: MirrorContext) => Either.Either<Mirrored, E>
): Effect.Effect<Mirrored, E | null, SqlClient.SqlClient> =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const key = yield* storyOf(workspace, target)
    if (key !== null) yield* sql.unsafe(PgWorkContext.lockStory, [workspace, key])
    const place = [workspace, target.binding, target.issue.id]
    yield* sql.unsafe(lockIssue, place)
    const [at] = decode(yield* sql.unsafe(load, [...place, key]))
    if (at === undefined) return yield* Effect.fail(null)
    const { freshKey, ...rest } = at
    const mirrored = yield* decide({ ...rest, fresh: { id: freshId<StoryId>(), key: freshKey } })
    if (mirrored.change !== null) yield* commit(workspace, at.now, mirrored.change)
    const row = JSON.stringify([snake(Table.plain(mirrored.issue))])
    yield* sql.unsafe(TrackerRows.issues.upsert("$2"), [workspace, row])
    return mirrored
  }).pipe(transaction)
