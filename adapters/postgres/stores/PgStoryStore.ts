import * as SqlClient from "@effect/sql/SqlClient"
import { Effect, Layer, Schema } from "effect"
import { mostBriefed, type StoryBrief, StoryStore } from "../../../application/ports/StoryStore.ts"
import { TextOwnership, unbound } from "../../../domain/work/ChangeStory.ts"
import * as Key from "../../../domain/value/Key.ts"
import { Run } from "../../../domain/work/Run.ts"
import { RunKey } from "../../../domain/value/RunKey.ts"
import type { StoryDetail } from "../../../domain/work/Story.ts"
import { Story, type StoryKey, StoryNotFound, type StorySummary, type StoryView } from "../../../domain/work/Story.ts"
import { orDie } from "../connection/Transactions.ts"
import * as PgWorkContext from "../context/PgWorkContext.ts"
import * as BoardReads from "../reads/BoardReads.ts"
import { one, page } from "../reads/PageReads.ts"
import * as DecisionRows from "../rows/DecisionRows.ts"
import * as StoryRows from "../rows/StoryRows.ts"
import * as Table from "../rows/Table.ts"
import * as TeamRows from "../rows/TeamRows.ts"
import * as TrackerRows from "../rows/TrackerRows.ts"

const StoryContext = Schema.Struct({
  ...PgWorkContext.WorkContext.fields,
  ...PgWorkContext.raising,
  story: Story,
  unfinishedRuns: Schema.Array(Run),
  freshRun: RunKey,
  ownership: TextOwnership
})
const decode = Schema.decodeUnknownSync(Schema.Array(StoryContext))

const load = `
  SELECT ${PgWorkContext.now}, ${PgWorkContext.team("s.team")}, (SELECT row_to_json(o) FROM (SELECT ${StoryRows.story}) o) AS story,
    NULL AS run, ${PgWorkContext.pending("d.story = $2")}, ${PgWorkContext.unfinishedRuns("r.story = $2")},
    ${PgWorkContext.fresh("decisions", "$3")} AS "freshDecisions", (${PgWorkContext.fresh("runs", "$4")})[1] AS "freshRun",
    ${PgWorkContext.declined("s.team")}, ${TrackerRows.ownership} AS ownership
  FROM stories s WHERE s.workspace_id = $1 AND s.key = $2 AND s.rejected_at IS NULL AND ${Table.held("s")}`

const ownership = `
  SELECT o.* FROM stories s, LATERAL json_to_record(${TrackerRows.ownership}) AS o (stated json, "isReleased" boolean)
  WHERE s.workspace_id = $1 AND s.key = $2`
const decodeOwnership = Schema.decodeUnknownSync(Schema.Array(TextOwnership))

const lastRun = `
  (SELECT r.key FROM runs r WHERE r.workspace_id = s.workspace_id AND r.story = s.key ORDER BY r.seq DESC LIMIT 1)`

const brief = `
  (SELECT row_to_json(o) FROM (SELECT ${StoryRows.storyDetail}) o) AS story,
  ${PgWorkContext.one(TeamRows.team, `${PgWorkContext.teams} WHERE t.workspace_id = s.workspace_id AND t.slug = s.team`)}
    AS team,
  ${Table.array(DecisionRows.decisionView, `decisions d WHERE d.workspace_id = s.workspace_id AND d.run_key = ${lastRun} ORDER BY d.seq DESC LIMIT ${mostBriefed}`)}
    AS decisions`

const oneStory = `
  stories s WHERE s.workspace_id = q.workspace AND s.key = q.key AND s.rejected_at IS NULL AND ${Table.held("s")}`

export const layer = Layer.effect(
  StoryStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const runtime = yield* Effect.runtime()
    const stories = page<StorySummary>(sql, runtime, {
      from: "stories s",
      alias: "s",
      json: Table.object(StoryRows.storySummary),
      always: "s.rejected_at IS NULL",
      filters: { approved: "NOT s.draft" }
    })
    return StoryStore.of({
      page: (workspace, { drafts, team }, request) =>
        stories(workspace, team, { approved: drafts ? null : "only" }, request),
      get: one<StoryView, StoryKey, StoryNotFound>(
        sql,
        runtime,
        { json: Table.object(StoryRows.storyView), from: oneStory },
        (story) => new StoryNotFound({ story })
      ),
      detail: one<StoryDetail, StoryKey, StoryNotFound>(
        sql,
        runtime,
        { json: Table.object(StoryRows.storyDetail), from: oneStory },
        (story) => new StoryNotFound({ story })
      ),
      brief: one<StoryBrief, StoryKey, StoryNotFound>(
        sql,
        runtime,
        { json: Table.object(brief), from: oneStory },
        (story) => new StoryNotFound({ story })
      ),
      ...BoardReads.make(sql, runtime),
      ownership: (workspace, key) =>
        Effect.map(orDie(sql.unsafe(ownership, [workspace, key])), (rows) => decodeOwnership(rows)[0] ?? unbound),
      change: (workspace, key, decide) =>
        Effect.flatMap(Effect.all([Key.drawMany("dec", 16), Key.drawMany("run", 16)]), (drawn) =>
          PgWorkContext.change(
            workspace,
            { lock: PgWorkContext.lockStory, load, parameters: [key, ...drawn.map((keys) => JSON.stringify(keys))] },
            decode,
            () => new StoryNotFound({ story: key }),
            decide
          )
        ).pipe(Effect.provideService(SqlClient.SqlClient, sql))
    })
  })
)
