import { type DateTime, Effect } from "effect"
import * as ChangeStory from "../../domain/work/ChangeStory.ts"
import { settingsOf } from "../../domain/work/DecisionTriggers.ts"
import { JobId } from "../../domain/work/Job.ts"
import * as MoveStory from "../../domain/work/MoveStory.ts"
import type { ColumnRole, Story, StoryKey } from "../../domain/work/Story.ts"
import { settings } from "../../domain/workspace/Policy.ts"
import { startingPreset } from "../../domain/workspace/SetPolicy.ts"
import type { TeamSlug } from "../../domain/workspace/Team.ts"
import type { WorkspaceId } from "../../domain/workspace/Workspace.ts"
import * as Uuid from "../../domain/value/Uuid.ts"
import { byOf, permit, type Person } from "../workspace/Authorization.ts"
import * as Import from "./Import.ts"
import { type StoryBrief, StoryStore } from "../ports/StoryStore.ts"

export const create = Effect.fn("Stories.create")(function* (
  person: Person,
  input: ChangeStory.Content & {
    readonly team: TeamSlug
    readonly title: string
    readonly column: ColumnRole
    readonly draft: boolean
  }
) {
  yield* permit(person, "story create")
  const { acceptanceCriteria, column, ...rest } = input
  const story = {
    ...rest,
    column: { role: column },
    ...(acceptanceCriteria && { acceptanceCriteria: acceptanceCriteria.map((text) => ({ text })) })
  }
  const { stories } = yield* Import.write(byOf(person), person.workspaceSlug, { stories: [story] }, {})
  return stories[0] as Story
})

/** Writes content into a story, unless it has changed since the person read it with `expected` as its `updatedAt`. */
export const edit = Effect.fn("Stories.edit")(function* (
  person: Person,
  key: StoryKey,
  content: ChangeStory.Content,
  expected: DateTime.Utc | null = null
) {
  yield* permit(person, "story edit")
  return yield* (yield* StoryStore).change(person.workspace, key, ChangeStory.edit(byOf(person), content, expected))
})

export const approve = Effect.fn("Stories.approve")(function* (person: Person, key: StoryKey) {
  yield* permit(person, "story approve")
  const job = JobId.make(yield* Uuid.make)
  return yield* (yield* StoryStore).change(person.workspace, key, ChangeStory.approve(byOf(person), job))
})

export const reject = Effect.fn("Stories.reject")(function* (person: Person, key: StoryKey) {
  yield* permit(person, "story reject")
  return yield* (yield* StoryStore).change(person.workspace, key, ChangeStory.reject(byOf(person)))
})

/** Everything an agent needs to work on a story: its text, the policy of its team, and what people decided in its last run. */
export const brief = Effect.fn("Stories.brief")(function* (workspace: WorkspaceId, key: StoryKey) {
  // Storage vouches for the text; decoding it took a fifth of the request.
  const { decisions, story, team } = JSON.parse(
    yield* (yield* StoryStore).brief(workspace, key)
  ) as typeof StoryBrief.Encoded
  const { pausedAt, policy } = team
  return {
    ...story,
    policy: {
      preset: policy?.preset ?? startingPreset,
      custom: policy?.custom ?? false,
      paused: pausedAt !== null,
      ...settings(settingsOf(policy))
    },
    decisions
  }
})

/** Moves a story to another column by hand. */
export const move = Effect.fn("Stories.move")(function* (person: Person, key: StoryKey, column: ColumnRole) {
  yield* permit(person, "story move")
  return yield* (yield* StoryStore).change(person.workspace, key, MoveStory.move(byOf(person), column))
})
