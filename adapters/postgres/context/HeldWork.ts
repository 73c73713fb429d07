import * as SqlClient from "@effect/sql/SqlClient"
import { type DateTime, Effect, Schema } from "effect"
import type { Change } from "../../../domain/Change.ts"
import { Runner } from "../../../domain/runner/Runner.ts"
import { endsTokens, revokedBy, withOffline } from "../../../domain/runner/TakeOffline.ts"
import { Run } from "../../../domain/work/Run.ts"
import type { WorkspaceId } from "../../../domain/workspace/Workspace.ts"
import * as RunnerRows from "../rows/RunnerRows.ts"
import * as RunRows from "../rows/RunRows.ts"
import * as Table from "../rows/Table.ts"

/** Tokens that end: $2 lists ids of tokens, $3 ids of members who leave. Locked before runners and runs. */
const tokens = `
  SELECT k.id FROM api_tokens k WHERE k.workspace_id = $1 AND (k.id = ANY ($2::uuid[]) OR k.member_id = ANY ($3::uuid[]))
  ORDER BY k.id FOR NO KEY UPDATE`

const runners = "u.workspace_id = $1 AND u.token = ANY ($2::uuid[])"
const runs = "r.workspace_id = $1 AND r.lease_token = ANY ($2::uuid[])"

const work = `
  SELECT ${Table.array(RunnerRows.runner, `runners u WHERE ${runners} ORDER BY u.registered_at, u.id`)} AS runners,
    ${Table.array(RunRows.run, `runs r WHERE ${runs} ORDER BY r.seq`)} AS held`

const decode = Schema.decodeUnknownSync(
  Schema.Tuple(Schema.Struct({ runners: Schema.Array(Runner), held: Schema.Array(Run) }))
)

/** Adds the end of leases to a change that ends tokens, under locks of the caller's transaction. */
export const offline = (workspace: WorkspaceId, now: DateTime.Utc, change: Change) =>
  Effect.gen(function* () {
    if (!endsTokens(change)) return change
    const sql = yield* SqlClient.SqlClient
    const left = (change.leaving ?? []).map(({ id }) => id)
    const ended = yield* sql.unsafe<{ readonly id: string }>(tokens, [workspace, revokedBy(change), left])
    const parameters = [workspace, ended.map(({ id }) => id)]
    yield* sql.unsafe(`SELECT FROM runners u WHERE ${runners} ORDER BY u.id FOR NO KEY UPDATE`, parameters)
    yield* sql.unsafe(`SELECT FROM runs r WHERE ${runs} ORDER BY r.seq FOR NO KEY UPDATE`, parameters)
    const [held] = decode(yield* sql.unsafe(work, parameters))
    return withOffline(change, held, now)
  })
