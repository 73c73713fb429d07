import { type DateTime, Either, Schema } from "effect"
import type { By } from "../workspace/Actor.ts"
import { answered, type Decided } from "../Change.ts"
import { RunKey } from "../value/RunKey.ts"
import type { Decision } from "./Decision.ts"
import type { Run } from "./Run.ts"
import { ColumnRole, columnOf, moveTo, type Story, StoryKey } from "./Story.ts"
import { cancelled, storyMoved } from "./WorkContext.ts"

export class StoryAlreadyThere extends Schema.TaggedError<StoryAlreadyThere>()("StoryAlreadyThere", {
  story: StoryKey,
  column: ColumnRole
}) {
  override get message() {
    return `${this.story} is in ${columnOf(this.column).name} already.`
  }
}

export class RunHoldsStory extends Schema.TaggedError<RunHoldsStory>()("RunHoldsStory", {
  story: StoryKey,
  run: RunKey
}) {
  override get message() {
    return `${this.run} works on ${this.story} and moves it. Wait for it, or stop it with 'gatehouse run stop --run ${this.run}'.`
  }
}

/** Columns of a story that nobody has approved. */
const ofDrafts: ReadonlyArray<ColumnRole> = ["backlog", "refining"]

export class DraftNotMovable extends Schema.TaggedError<DraftNotMovable>()("DraftNotMovable", {
  story: StoryKey,
  column: ColumnRole
}) {
  override get message() {
    return `${this.story} is a draft and cannot move to ${columnOf(this.column).name}; drafts stay in ${ofDrafts.map((role) => columnOf(role).name).join(" or ")}. Approve it first with 'gatehouse story approve --story ${this.story}'.`
  }
}

export type MoveRefusal = StoryAlreadyThere | RunHoldsStory | DraftNotMovable

/** The story to move, with its unfinished runs and pending decisions. */
export interface MoveContext {
  readonly now: DateTime.Utc
  readonly story: Story
  readonly unfinishedRuns: ReadonlyArray<Run>
  readonly pending: ReadonlyArray<Decision>
}

/**
 * Moves a story to another column by hand. An unfinished run alone moves its story. A story that is done has nothing
 * left to decide: its pending decisions are cancelled. The reason for its return stays until its next run reads it.
 */
export const move =
  (by: By, role: ColumnRole) =>
  ({ now, pending, story, unfinishedRuns }: MoveContext): Either.Either<Decided<Story>, MoveRefusal> => {
    const [busy] = unfinishedRuns
    if (story.column.role === role) return Either.left(new StoryAlreadyThere({ story: story.key, column: role }))
    if (busy) return Either.left(new RunHoldsStory({ story: story.key, run: busy.key }))
    if (story.draft && !ofDrafts.includes(role))
      return Either.left(new DraftNotMovable({ story: story.key, column: role }))
    const moved = moveTo(story, role, now)
    const moot = cancelled(by, role === "done" ? pending : [])
    return answered(
      {
        changed: { stories: [moved], decisions: moot.decisions },
        audit: [storyMoved(by, story, moved, null), ...moot.audit]
      },
      moved
    )
  }
