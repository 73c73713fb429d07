import { Effect, Layer } from "effect"
import * as Json from "../../application/Json.ts"
import { StoryStore } from "../../application/ports/StoryStore.ts"
import { StoryNotFound, StorySummary, StoryView } from "../../domain/Story.ts"
import { present } from "./MemoryTeamStore.ts"
import { newest } from "./Pages.ts"
import { State } from "./State.ts"

const encodeSummary = Json.encoder(StorySummary)
const encodeView = Json.encoder(StoryView)

export const layer = Layer.effect(
  StoryStore,
  Effect.map(State, (state) =>
    StoryStore.of({
      page: (workspace, { drafts, team }, request) =>
        Effect.suspend(() => {
          const tenant = state.get(workspace)
          const stories = tenant?.stories.values() ?? []
          return Effect.as(
            present(tenant, team),
            newest(stories, (story) => story.team === team && (drafts || !story.draft), encodeSummary, request)
          )
        }),
      get: (workspace, key) =>
        Effect.suspend(() => {
          const tenant = state.get(workspace)
          const story = tenant?.stories.get(key)?.value
          if (tenant === undefined || story === undefined) return new StoryNotFound({ story: key })
          const runKeys = [...tenant.runs.values()].filter((run) => run.value.story === key).map((run) => run.value.key)
          return Effect.succeed(encodeView({ ...story, runKeys: runKeys.toReversed() }))
        })
    })
  )
)
