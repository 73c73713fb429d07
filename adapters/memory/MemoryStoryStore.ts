import { DateTime, Effect, Either, Layer } from "effect"
import * as Json from "../../application/ports/Json.ts"
import { Board, BoardStory, mostBriefed, StoryBrief, StoryStore } from "../../application/ports/StoryStore.ts"
import { type StoryContext, unbound } from "../../domain/work/ChangeStory.ts"
import type { Decided } from "../../domain/Change.ts"
import { progress } from "../../domain/work/Run.ts"
import { isOver } from "../../domain/work/RunTransitions.ts"
import { ColumnRole, type Story, StoryDetail } from "../../domain/work/Story.ts"
import { type StoryKey, StoryNotFound, StorySummary, StoryView } from "../../domain/work/Story.ts"
import type { WorkspaceId } from "../../domain/workspace/Workspace.ts"
import { drawn, freeRuns, isHeld, workContext, raising, unfinished, values } from "./MemoryWorkContext.ts"
import { present } from "./MemoryTeamStore.ts"
import { newest } from "./MemoryPages.ts"
import { change, State, type Tenant } from "./MemoryState.ts"
import { ownershipOf } from "./tracker/MemoryMirrorContext.ts"

const encodeSummary = Json.encoder(StorySummary)
const encodeView = Json.encoder(StoryView)
const encodeDetail = Json.encoder(StoryDetail)
const encodeCard = Json.encoder(BoardStory)
const encodeBrief = Json.encoder(StoryBrief)
const encodeBoard = Json.encoder(Board)

/** A story as its board shows it. */
const cardOf =
  (tenant: Tenant | undefined) =>
  (story: Story): BoardStory => {
    const run = values(tenant?.runs).findLast((one) => one.story === story.key)
    const pending = values(tenant?.decisions).find((one) => one.story === story.key && one.status === "pending")
    return { ...story, run: run ? { ...run, ...progress(run) } : null, pending: pending ?? null }
  }

const boardOf = (tenant: Tenant | undefined, team: string, most: number, now: DateTime.Utc): Board => {
  const runs = values(tenant?.runs).filter((run) => run.team === team)
  const today = DateTime.startOf(now, "day")
  return {
    unfinishedRuns: runs.filter(({ latest }) => !isOver(latest.status)).length,
    spentTodayCents: runs
      .flatMap(({ attemptList }) => attemptList)
      .filter(({ startedAt }) => startedAt !== null && DateTime.greaterThanOrEqualTo(startedAt, today))
      .reduce((sum, { costCents }) => sum + costCents, 0),
    columns: ColumnRole.literals.map((role) => {
      const stories = values(tenant?.stories).filter(
        (story) => story.team === team && story.column.role === role && story.rejectedAt === null
      )
      return { role, count: stories.length, stories: stories.toReversed().slice(0, most).map(cardOf(tenant)) }
    })
  }
}

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
      brief: (workspace, key) =>
        Effect.suspend(() => {
          const tenant = state.get(workspace)
          return Effect.flatMap(found(tenant, key), (story) =>
            Effect.map(present(tenant, story.team), (team) => {
              const [last] = story.runKeys
              const decisions = values(tenant?.decisions).filter(({ runKey }) => runKey !== null && runKey === last)
              return encodeBrief({ story, team, decisions: decisions.toReversed().slice(0, mostBriefed) })
            })
          )
        }).pipe(Effect.catchTag("TeamNotFound", () => new StoryNotFound({ story: key }))),
      board: (workspace, team, most) =>
        Effect.flatMap(DateTime.now, (now) => {
          const tenant = state.get(workspace)
          return Effect.map(present(tenant, team), () => encodeBoard(boardOf(tenant, team, most, now)))
        }),
      column: (workspace, { column, team }, request) =>
        Effect.suspend(() => {
          const tenant = state.get(workspace)
          const matches = (story: Story) =>
            story.team === team && story.column.role === column && story.rejectedAt === null
          const encode = (story: Story) => encodeCard(cardOf(tenant)(story))
          return Effect.map(present(tenant, team), () =>
            newest(tenant?.stories.values() ?? [], matches, encode, request)
          )
        }),
      ownership: (workspace, key) =>
        Effect.sync(() => {
          const tenant = state.get(workspace)
          const story = tenant?.stories.get(key)?.value
          return tenant && story ? ownershipOf(tenant, story) : unbound
        }),
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
                ownership: ownershipOf(tenant, story),
                unfinishedRuns: unfinished(tenant, (run) => run.story === key)
              })
            }
          )
        )
    })
  )
)
