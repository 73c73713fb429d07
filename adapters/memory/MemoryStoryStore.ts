import { Effect, Either, Layer } from "effect"
import * as Json from "../../application/ports/Json.ts"
import { StoryStore } from "../../application/ports/StoryStore.ts"
import type { StoryContext } from "../../domain/work/ChangeStory.ts"
import type { Decided } from "../../domain/Change.ts"
import { StoryDetail } from "../../domain/work/Story.ts"
import { type StoryKey, StoryNotFound, StorySummary, StoryView } from "../../domain/work/Story.ts"
import type { WorkspaceId } from "../../domain/workspace/Workspace.ts"
import { drawn, freeRuns, isHeld, workContext, raising, unfinished } from "./MemoryWorkContext.ts"
import { present } from "./MemoryTeamStore.ts"
import { newest } from "./MemoryPages.ts"
import { change, State, type Tenant } from "./MemoryState.ts"

const encodeSummary = Json.encoder(StorySummary)
const encodeView = Json.encoder(StoryView)
const encodeDetail = Json.encoder(StoryDetail)

/** A story with the keys of its runs, newest first. */
const found = (tenant: Tenant | undefined, key: StoryKey) =>
  Effect.suspend(() => {
    const story = tenant?.stories.get(key)?.value
    if (!tenant || !story || story.rejectedAt !== null || !isHeld(tenant, story.team))
      return new StoryNotFound({ story: key })
    const runKeys = [...tenant.runs.values()].filter((run) => run.value.story === key).map((run) => run.value.key)
    return Effect.succeed({ ...story, runKeys: runKeys.toReversed() })
  })

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
            newest(
              stories,
              (story) => story.team === team && story.rejectedAt === null && (drafts || !story.draft),
              encodeSummary,
              request
            )
          )
        }),
      get: (workspace, key) => Effect.suspend(() => Effect.map(found(state.get(workspace), key), encodeView)),
      detail: (workspace, key) => Effect.suspend(() => Effect.map(found(state.get(workspace), key), encodeDetail)),
      change: <A, E, F>(
        workspace: WorkspaceId,
        key: StoryKey,
        decide: (at: StoryContext) => Either.Either<Decided<A, F>, E>
      ) =>
        Effect.flatMap(drawn, (keys) =>
          change<A, E | StoryNotFound, F>(
            state,
            () => state.get(workspace),
            (tenant, now) => {
              const story = tenant?.stories.get(key)?.value
              const team = story && tenant?.teams.get(story.team)
              const [freshRun] = tenant ? freeRuns(tenant, keys) : []
              if (!tenant || !story || !team || !freshRun || story.rejectedAt !== null || team.deletedAt !== null)
                return Either.left(new StoryNotFound({ story: key }))
              return decide({
                ...workContext(tenant, now, team, story, null),
                ...raising(tenant, keys, team.slug),
                story,
                freshRun,
                unfinishedRuns: unfinished(tenant, (run) => run.story === key)
              })
            }
          )
        )
    })
  )
)
