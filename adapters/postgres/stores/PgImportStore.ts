import * as SqlClient from "@effect/sql/SqlClient"
import { Effect, Layer, Schema } from "effect"
import { ImportStore } from "../../../application/ports/ImportStore.ts"
import { DecisionKey } from "../../../domain/work/Decision.ts"
import { RunKey } from "../../../domain/value/RunKey.ts"
import { StoryId, StoryKey } from "../../../domain/work/Story.ts"
import { Team, TeamSlug } from "../../../domain/workspace/Team.ts"
import { Timestamp } from "../../../domain/value/Timestamp.ts"
import { WorkspaceId, WorkspaceNotFound } from "../../../domain/workspace/Workspace.ts"
import { commit } from "../rows/Commit.ts"
import * as Table from "../rows/Table.ts"
import * as TeamRows from "../rows/TeamRows.ts"
import { transaction } from "../connection/Transactions.ts"

const Catalog = Schema.Struct({
  now: Timestamp,
  workspace: WorkspaceId,
  teams: Schema.Array(Team),
  numbers: Schema.Array(Schema.Struct({ team: TeamSlug, number: Schema.Int })),
  services: Schema.Array(Schema.Struct({ team: TeamSlug, name: Schema.String })),
  stories: Schema.Array(Schema.Struct({ id: StoryId, key: StoryKey, team: TeamSlug })),
  runs: Schema.Array(Schema.Struct({ key: RunKey, team: TeamSlug, story: StoryKey })),
  decisions: Schema.Array(DecisionKey)
})
const decode = Schema.decodeUnknownSync(Schema.Array(Catalog))

const mentioned = (parameter: string) => `(SELECT value FROM json_array_elements_text(${parameter}::json))`

const catalog = `
  SELECT w.id AS workspace, iso8601(clock_timestamp()) AS now,
    ${Table.array(
      TeamRows.team,
      `teams t LEFT JOIN policies p ON p.workspace_id = t.workspace_id AND p.team = t.slug
       WHERE t.workspace_id = w.id`
    )} AS teams,
    ${Table.array(
      "t.slug AS team, max(s.number) AS number",
      `teams t JOIN stories s ON s.workspace_id = t.workspace_id AND s.team = t.slug
       WHERE t.workspace_id = w.id GROUP BY t.slug`
    )} AS numbers,
    ${Table.array("v.team, v.name", "services v WHERE v.workspace_id = w.id")} AS services,
    ${Table.array(
      "s.id, s.key, s.team",
      `stories s WHERE s.workspace_id = w.id
      AND (s.key IN ${mentioned("$2")} OR s.id::text IN ${mentioned("$5")})`
    )} AS stories,
    ${Table.array("r.key, r.team, r.story", `runs r WHERE r.workspace_id = w.id AND r.key IN ${mentioned("$3")}`)} AS runs,
    ARRAY(SELECT d.key FROM decisions d WHERE d.workspace_id = w.id AND d.key IN ${mentioned("$4")}) AS decisions
  FROM workspaces w WHERE w.slug = $1 AND w.deleted_at IS NULL`

export const layer = Layer.effect(
  ImportStore,
  Effect.map(SqlClient.SqlClient, (sql) =>
    ImportStore.of({
      change: (slug, keys, decide) =>
        Effect.gen(function* () {
          yield* sql`SELECT FROM workspaces WHERE slug = ${slug} FOR NO KEY UPDATE`
          const lists = [keys.stories, keys.runs, keys.decisions, keys.storyIds].map((list) => JSON.stringify(list))
          const [found] = decode(yield* sql.unsafe(catalog, [slug, ...lists]))
          if (found === undefined) return yield* new WorkspaceNotFound({ slug })
          const lastStoryNumber = new Map(found.numbers.map(({ number, team }) => [team, number]))
          const { answer, change } = yield* decide({ ...found, lastStoryNumber })
          yield* commit(found.workspace, found.now, change)
          return answer
        }).pipe(transaction, Effect.flatten, Effect.provideService(SqlClient.SqlClient, sql))
    })
  )
)
