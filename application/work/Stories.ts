import { Effect, Either, Schema } from "effect"
import * as Audit from "../../domain/workspace/Audit.ts"
import { built } from "../../domain/value/Validated.ts"
import { answered } from "../../domain/Change.ts"
import { boundedDifference } from "../../domain/value/FieldChanges.ts"
import { JobId, queued } from "../../domain/work/Job.ts"
import { cancelled, runChanged, storyEntity } from "../../domain/work/WorkContext.ts"
import * as MoveStory from "../../domain/work/MoveStory.ts"
import * as RunTransitions from "../../domain/work/RunTransitions.ts"
import { type ColumnRole, readiness, Story, StoryKey } from "../../domain/work/Story.ts"
import type { TeamSlug } from "../../domain/workspace/Team.ts"
import { WebAddress } from "../../domain/value/Text.ts"
import * as Uuid from "../../domain/value/Uuid.ts"
import { byOf, permit, type Person } from "../workspace/Authorization.ts"
import * as Import from "./Import.ts"
import { StoryStore } from "../ports/StoryStore.ts"

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

export const create = Effect.fn("Stories.create")(function* (
  person: Person,
  input: Content & {
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

/** Recorded fields; criteria are recorded by text. */
const auditedFields = (story: Story) => ({
  title: story.title,
  description: story.description,
  testPlan: story.testPlan,
  size: story.size,
  complexity: story.complexity,
  classOfService: story.classOfService,
  demonstrate: story.demonstrate,
  acceptanceCriteria: story.acceptanceCriteria.map(({ text }) => text),
  readinessScore: story.readinessScore
})

export const edit = Effect.fn("Stories.edit")(function* (person: Person, key: StoryKey, content: Content) {
  yield* permit(person, "story edit")
  return yield* (yield* StoryStore).change(person.workspace, key, ({ now, story }) =>
    Either.gen(function* () {
      const owned = (["title", "description"] as const).find((field) => content[field] !== undefined)
      if (story.tracker !== null && owned !== undefined)
        return yield* Either.left(new TrackerOwnsText({ story: key, field: owned, url: story.tracker.url }))
      const { acceptanceCriteria: texts, ...rest } = content
      const written = { ...story, ...rest, ...(texts && { acceptanceCriteria: criteria(story, texts) }) }
      const edited = yield* built(
        () => new Story({ ...written, readinessScore: readiness(written), updatedAt: now }),
        (field, problem) => new InvalidStory({ field, problem })
      )
      const details = boundedDifference(auditedFields(story), auditedFields(edited))
      return yield* answered(
        {
          changed: { stories: [edited] },
          audit: [Audit.fact(byOf(person), "story_changed", storyEntity(edited), { team: story.team, details })]
        },
        edited
      )
    })
  )
})

/** Turns a draft into a story and queues its write to the tracker. */
export const approve = Effect.fn("Stories.approve")(function* (person: Person, key: StoryKey) {
  yield* permit(person, "story approve")
  const job = JobId.make(yield* Uuid.make)
  return yield* (yield* StoryStore).change(person.workspace, key, ({ now, story, team }) =>
    Either.gen(function* () {
      if (!story.draft) return yield* Either.left(new NotADraft({ story: key }))
      if (story.readinessScore < 100)
        return yield* Either.left(new NotReady({ story: key, score: story.readinessScore }))
      const approved = new Story({ ...story, draft: false, updatedAt: now })
      const place = { team: team.slug, story: key, runKey: null, decision: null }
      const details = { before: { draft: true }, after: { draft: false } }
      return yield* answered(
        {
          changed: { stories: [approved] },
          added: { jobs: [queued({ id: job, kind: "write_story", ...place, payload: { title: story.title } }, now)] },
          audit: [Audit.fact(byOf(person), "story_changed", storyEntity(story), { team: story.team, details })]
        },
        approved
      )
    })
  )
})

/** Removes the draft with its pending decisions and unfinished runs. */
export const reject = Effect.fn("Stories.reject")(function* (person: Person, key: StoryKey) {
  yield* permit(person, "story reject")
  const by = byOf(person)
  return yield* (yield* StoryStore).change(person.workspace, key, ({ now, pending, story, unfinishedRuns }) =>
    Either.gen(function* () {
      if (!story.draft) return yield* Either.left(new NotADraft({ story: key }))
      const rejected = new Story({ ...story, rejectedAt: now, updatedAt: now })
      const moot = cancelled(by, pending)
      const stopped = unfinishedRuns.map((run) => ({ before: run, after: RunTransitions.stop(run, now) }))
      const details = { before: { draft: true }, after: { rejected: true } }
      return yield* answered(
        {
          changed: { stories: [rejected], decisions: moot.decisions, runs: stopped.map(({ after }) => after) },
          audit: [
            Audit.fact(by, "story_changed", storyEntity(story), { team: story.team, details }),
            ...stopped.map(({ after, before }) => runChanged(by, before, after)),
            ...moot.audit
          ]
        },
        rejected
      )
    })
  )
})

/** Moves a story to another column by hand. */
export const move = Effect.fn("Stories.move")(function* (person: Person, key: StoryKey, column: ColumnRole) {
  yield* permit(person, "story move")
  return yield* (yield* StoryStore).change(person.workspace, key, MoveStory.move(byOf(person), column))
})
