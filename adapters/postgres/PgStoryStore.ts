import * as SqlClient from "@effect/sql/SqlClient"
import { Effect, Layer } from "effect"
import { StoryStore } from "../../application/ports/StoryStore.ts"
import { StoryNotFound, type StorySummary, type StoryView } from "../../domain/Story.ts"
import { one, page } from "./Pages.ts"
import * as Records from "./Records.ts"

export const layer = Layer.effect(
  StoryStore,
  Effect.map(SqlClient.SqlClient, (sql) => {
    const stories = page<StorySummary>(sql, {
      from: "stories s",
      alias: "s",
      json: Records.object(Records.storySummary)
    })
    const view = sql.literal(Records.object(Records.storyView))
    return StoryStore.of({
      page: (workspace, { drafts, team }, request) =>
        stories(workspace, team, drafts ? [] : [sql`NOT s.draft`], request),
      get: (workspace, key) =>
        one<StoryView, StoryNotFound>(
          sql`SELECT ${view} AS json FROM stories s WHERE s.workspace_id = ${workspace} AND s.key = ${key}`,
          () => new StoryNotFound({ story: key })
        )
    })
  })
)
