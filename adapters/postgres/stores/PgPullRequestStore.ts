import * as SqlClient from "@effect/sql/SqlClient"
import { Effect, Layer, Schema } from "effect"
import { type Clue, PullRequestStore } from "../../../application/ports/codehost/PullRequestStore.ts"
import {
  PullRequestNotFound,
  PullRequestNumber,
  PullRequestRecord,
  type PullRequestView
} from "../../../domain/codehost/PullRequestRecord.ts"
import { Timestamp } from "../../../domain/value/Timestamp.ts"
import { type WorkspaceId, WorkspaceSlug } from "../../../domain/workspace/Workspace.ts"
import { orDie, transaction } from "../connection/Transactions.ts"
import * as PgWorkContext from "../context/PgWorkContext.ts"
import { one } from "../reads/PageReads.ts"
import { conclude } from "../rows/Commit.ts"
import * as PullRequestRows from "../rows/PullRequestRows.ts"
import * as Table from "../rows/Table.ts"

const decodeBranch = Schema.decodeUnknownSync(
  Schema.Array(
    Schema.Struct({
      now: Timestamp,
      slug: WorkspaceSlug,
      newest: Schema.NullOr(PullRequestRecord),
      next: PullRequestNumber
    })
  )
)
const decodeOne = Schema.decodeUnknownSync(Schema.Array(Schema.Struct({ now: Timestamp, record: PullRequestRecord })))

const found = (condition: string) =>
  PgWorkContext.one(
    PullRequestRows.pullRequest,
    `pull_requests p WHERE p.workspace_id = $1 AND ${condition} ORDER BY p.number DESC LIMIT 1`
  )

/** The number is drawn under the lock of the workspace, so that none is missing. */
const lock = "SELECT FROM workspaces w WHERE w.id = $1 FOR NO KEY UPDATE"

const loadBranch = `
  SELECT ${PgWorkContext.now}, ${found("p.repository = $2 AND p.branch = $3")} AS newest,
    (SELECT coalesce(max(p.number), 0) + 1 FROM pull_requests p WHERE p.workspace_id = $1) AS next, w.slug
  FROM workspaces w WHERE w.id = $1`

const lockOne = "SELECT FROM pull_requests p WHERE p.workspace_id = $1 AND p.number = $2::integer FOR NO KEY UPDATE"

const loadOne = `
  SELECT ${PgWorkContext.now}, (SELECT row_to_json(o) FROM (SELECT ${PullRequestRows.pullRequest}) o) AS record
  FROM pull_requests p WHERE p.workspace_id = $1 AND p.number = $2::integer`

const ofRun = `SELECT ${PgWorkContext.now}, ${found("p.run_key = $2 AND p.reverts IS NULL")} AS record`
const ofRevert = `SELECT ${PgWorkContext.now}, ${found("p.reverts = $2::integer")} AS record`
const ofCommit = `SELECT ${PgWorkContext.now}, ${found("p.merge_commit = $2 AND p.repository = $3")} AS record`

const ofHost = `SELECT ${PgWorkContext.now}, ${found("p.host_url = $2")} AS record`

const openOf = `
  SELECT ${PullRequestRows.pullRequest} FROM pull_requests p
  WHERE p.workspace_id = $1 AND p.repository = $2 AND p.state = 'open' ORDER BY p.number`

const asked = (clue: Clue): readonly [statement: string, parameters: ReadonlyArray<string>] => {
  if ("run" in clue) return [ofRun, [clue.run]]
  if ("reverts" in clue) return [ofRevert, [String(clue.reverts)]]
  if ("hostUrl" in clue) return [ofHost, [clue.hostUrl]]
  return [ofCommit, [clue.mergeCommit, clue.repository]]
}

const decodeFound = Schema.decodeUnknownSync(Schema.Array(Schema.Struct({ record: Schema.NullOr(PullRequestRecord) })))

const decodeMany = Schema.decodeUnknownSync(Schema.Array(PullRequestRecord))

const view = {
  json: Table.object(PullRequestRows.pullRequestView),
  from: `pull_requests p WHERE p.workspace_id = q.workspace AND p.number = q.key::integer AND ${Table.held("p")}`
}

export const layer = Layer.effect(
  PullRequestStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const read = one<PullRequestView, string, PullRequestNotFound>(
      sql,
      yield* Effect.runtime(),
      view,
      (number) => new PullRequestNotFound({ number })
    )
    return PullRequestStore.of({
      get: (workspace, number) => read(workspace, String(number)),
      find: (workspace: WorkspaceId, clue) => {
        const [statement, parameters] = asked(clue)
        return Effect.map(
          orDie(sql.unsafe(statement, [workspace, ...parameters])),
          (rows) => decodeFound(rows)[0]?.record ?? null
        )
      },
      opened: (workspace, repository) => Effect.map(orDie(sql.unsafe(openOf, [workspace, repository])), decodeMany),
      open: (workspace, { branch, repository }, decide) =>
        Effect.gen(function* () {
          yield* sql.unsafe(lock, [workspace])
          const [at] = decodeBranch(yield* sql.unsafe(loadBranch, [workspace, repository, branch]))
          if (at === undefined) return yield* Effect.dieMessage("a statement without rows")
          const { answer, change } = yield* decide(at)
          yield* conclude(workspace, at.now, change)
          return answer
        }).pipe(transaction, Effect.flatten, Effect.provideService(SqlClient.SqlClient, sql)),
      change: (workspace, number, decide) =>
        PgWorkContext.change(
          workspace,
          { lock: lockOne, load: loadOne, parameters: [String(number)] },
          decodeOne,
          () => new PullRequestNotFound({ number: String(number) }),
          decide
        ).pipe(Effect.provideService(SqlClient.SqlClient, sql))
    })
  })
)
