import { type DateTime, Either, Schema, Struct } from "effect"
import { answered, type Decided } from "../Change.ts"
import { type JobId, queued } from "./Job.ts"
import type { RaiseContext } from "./RaiseDecision.ts"
import type { Run } from "./Run.ts"
import { readiness, Story, StoryKey } from "./Story.ts"
import { cancelled, stopped } from "./WorkContext.ts"
import { boundedDifference } from "../value/FieldChanges.ts"
import type { RunKey } from "../value/RunKey.ts"
import { nameProblem, WebAddress } from "../value/Text.ts"
import { format, Timestamp } from "../value/Timestamp.ts"
import { validated } from "../value/Validated.ts"
import type { By } from "../workspace/Actor.ts"
import * as Audit from "../workspace/Audit.ts"

/** A story with its unfinished runs and pending decisions. */
export interface StoryContext extends RaiseContext {
  readonly story: Story
  readonly unfinishedRuns: ReadonlyArray<Run>
  readonly freshRun: RunKey
  readonly ownership: TextOwnership
}

/** Parts of a story that the text of an issue may state. */
export const StatedPart = Schema.Literal("acceptanceCriteria", "demonstrate", "testPlan")

/** The part of a tracker in the text of a story. */
export const TextOwnership = Schema.Struct({
  /** Parts that the story's mirrored issue states. */
  stated: Schema.Array(StatedPart),
  /** True when the team was unbound from the project of the issue: the text is the story's own. */
  isReleased: Schema.Boolean
})
export type TextOwnership = typeof TextOwnership.Type

export const unbound: TextOwnership = { stated: [], isReleased: false }

const ownedWords = {
  title: "title",
  description: "description",
  acceptanceCriteria: "acceptance criteria",
  demonstrate: "Demonstrate block",
  testPlan: "test plan"
}

/** Fields of a story that are changed in its tracker alone. */
export const ownedFields = (
  { tracker }: Pick<Story, "tracker">,
  { isReleased, stated }: TextOwnership
): ReadonlyArray<keyof typeof ownedWords> => (tracker === null || isReleased ? [] : ["title", "description", ...stated])

/** Fields of a story that a person may write. */
export type Content = Partial<
  Pick<Story, "title" | "description" | "testPlan" | "size" | "complexity" | "classOfService" | "demonstrate"> & {
    readonly acceptanceCriteria: ReadonlyArray<string>
  }
>

export class TrackerOwnsText extends Schema.TaggedError<TrackerOwnsText>()("TrackerOwnsText", {
  story: StoryKey,
  field: Schema.String,
  url: WebAddress
}) {
  override get message() {
    return `The ${this.field} of ${this.story} is kept in the tracker. Change it there: ${this.url}`
  }
}

export class InvalidStory extends Schema.TaggedError<InvalidStory>()("InvalidStory", {
  field: Schema.String,
  problem: Schema.String
}) {
  override get message() {
    return `${this.field}: ${this.problem}. The story is unchanged.`
  }
}

export class StoryChangedMeanwhile extends Schema.TaggedError<StoryChangedMeanwhile>()("StoryChangedMeanwhile", {
  story: StoryKey,
  updatedAt: Timestamp
}) {
  override get message() {
    return `${this.story} has changed since you read it, at ${format(this.updatedAt)}. Nothing was written. Read it again, and send the change with that updatedAt.`
  }
}

export class NotADraft extends Schema.TaggedError<NotADraft>()("NotADraft", { story: StoryKey }) {
  override get message() {
    return `${this.story} is no draft; only drafts are approved or rejected.`
  }
}

export class NotReady extends Schema.TaggedError<NotReady>()("NotReady", {
  story: StoryKey,
  score: Schema.Number
}) {
  override get message() {
    return `${this.story} has a readiness score of ${this.score}; a draft is approved at 100: description, acceptance criteria and a Demonstrate step.`
  }
}

/** Criteria keep their state as long as their text stays. */
const criteria = (
  story: Pick<Story, "acceptanceCriteria">,
  texts: ReadonlyArray<string>
): Story["acceptanceCriteria"] =>
  texts.map((text, index) => {
    const known = story.acceptanceCriteria.find((criterion) => criterion.text === text)
    return { id: `ac-${index + 1}`, text, status: known?.status ?? "pending" }
  })

/** Recorded fields; criteria are recorded by text. */
const auditedFields = (story: Story) => ({
  ...Struct.pick(story, "title", "description", "testPlan", "size", "complexity", "classOfService", "demonstrate"),
  acceptanceCriteria: story.acceptanceCriteria.map(({ text }) => text),
  readinessScore: story.readinessScore
})

const storyChanged = (by: By, story: Story, details: Audit.Fact["details"]): Audit.Fact =>
  Audit.fact(by, "story_changed", Audit.entityOf("story", story), { team: story.team, details })

/** Writes content into a story. `expected` is its `updatedAt` as the person read it: another one is refused. */
export const edit =
  (by: By, content: Content, expected: DateTime.Utc | null = null) =>
  ({
    now,
    ownership,
    story
  }: StoryContext): Either.Either<Decided<Story>, TrackerOwnsText | InvalidStory | StoryChangedMeanwhile> =>
    Either.gen(function* () {
      const { key, updatedAt } = story
      if (expected !== null && expected.epochMillis !== updatedAt.epochMillis)
        return yield* Either.left(new StoryChangedMeanwhile({ story: key, updatedAt }))
      const owned = ownedFields(story, ownership).find((field) => content[field] !== undefined)
      if (story.tracker !== null && owned !== undefined)
        return yield* Either.left(new TrackerOwnsText({ story: key, field: ownedWords[owned], url: story.tracker.url }))
      const { acceptanceCriteria: texts, ...rest } = content
      const written = { ...story, ...rest, ...(texts && { acceptanceCriteria: criteria(story, texts) }) }
      const edited = yield* validated(
        () => new Story({ ...written, readinessScore: readiness(written), updatedAt: now }),
        (field, problem) => new InvalidStory({ field, problem })
      )
      // A title that came from elsewhere may stay as it is.
      const problem = edited.title === story.title ? null : nameProblem(edited.title)
      if (problem !== null) return yield* Either.left(new InvalidStory({ field: "title", problem }))
      const details = boundedDifference(auditedFields(story), auditedFields(edited))
      return yield* answered({ changed: { stories: [edited] }, audit: [storyChanged(by, edited, details)] }, edited)
    })

/** Turns a draft into a story and queues its write to the tracker. */
export const approve =
  (by: By, job: JobId) =>
  ({ now, story, team }: StoryContext): Either.Either<Decided<Story>, NotADraft | NotReady> => {
    const { key, readinessScore: score, title } = story
    if (!story.draft) return Either.left(new NotADraft({ story: key }))
    if (score < 100) return Either.left(new NotReady({ story: key, score }))
    const approved = new Story({ ...story, draft: false, updatedAt: now })
    const place = { team: team.slug, story: key, runKey: null, decision: null }
    return answered(
      {
        changed: { stories: [approved] },
        added: { jobs: [queued({ id: job, kind: "write_story", ...place, payload: { title } }, now)] },
        audit: [storyChanged(by, story, { before: { draft: true }, after: { draft: false } })]
      },
      approved
    )
  }

/** Removes the draft with its pending decisions and unfinished runs. */
export const reject =
  (by: By) =>
  ({ now, pending, story, unfinishedRuns }: StoryContext): Either.Either<Decided<Story>, NotADraft> => {
    if (!story.draft) return Either.left(new NotADraft({ story: story.key }))
    const rejected = new Story({ ...story, rejectedAt: now, updatedAt: now })
    const cancellations = cancelled(by, pending)
    const stops = stopped(by, unfinishedRuns, now)
    return answered(
      {
        changed: { stories: [rejected], decisions: cancellations.decisions, runs: stops.runs },
        audit: [
          storyChanged(by, story, { before: { draft: true }, after: { rejected: true } }),
          ...stops.audit,
          ...cancellations.audit
        ]
      },
      rejected
    )
  }
