import { Either, Schema } from "effect"
import { answered, type Decided } from "../Change.ts"
import type { StoryContext } from "./ChangeStory.ts"
import { queue } from "./QueueRun.ts"
import type { Progress } from "./RunContext.ts"
import { StoryKey } from "./Story.ts"
import type { By } from "../workspace/Actor.ts"
import { TeamIsPaused } from "../workspace/Team.ts"

export class StoryIsDraft extends Schema.TaggedError<StoryIsDraft>()("StoryIsDraft", { story: StoryKey }) {
  override get message() {
    return `${this.story} is a draft. Approve it first.`
  }
}

export class StoryIsWorkedOn extends Schema.TaggedError<StoryIsWorkedOn>()("StoryIsWorkedOn", {
  story: StoryKey,
  run: Schema.String
}) {
  override get message() {
    return `${this.run} works on ${this.story} already. Stop it first, or let it finish.`
  }
}

/** Starts a run for a person, in any column of the story. */
export const start =
  (by: By) =>
  (at: StoryContext): Either.Either<Decided<Progress>, TeamIsPaused | StoryIsDraft | StoryIsWorkedOn> => {
    const [busy] = at.unfinishedRuns
    const { key } = at.story
    if (at.team.pausedAt !== null) return Either.left(new TeamIsPaused({ team: at.team.slug }))
    if (at.story.draft) return Either.left(new StoryIsDraft({ story: key }))
    if (busy) return Either.left(new StoryIsWorkedOn({ story: key, run: busy.key }))
    const { audit, run, story } = queue(by, { ...at, key: at.freshRun })
    const changed = story === at.story ? {} : { stories: [story] }
    return answered({ added: { runs: [run] }, changed, audit }, { run, story, raised: [], mergeHold: null })
  }
