import { assert, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import * as Memory from "../../adapters/memory/Memory.ts"
import * as MemoryTracker from "../../adapters/memory/tracker/MemoryTracker.ts"
import { JobStore } from "../../application/ports/JobStore.ts"
import * as Json from "../../application/ports/Json.ts"
import { TrackerFailed } from "../../application/ports/tracker/Trackers.ts"
import * as Stories from "../../application/work/Stories.ts"
import * as WriteStory from "../../application/work/tracker/WriteStory.ts"
import { JobView } from "../../domain/work/Job.ts"
import type { StoryKey } from "../../domain/work/Story.ts"
import { content, type Place, stories, team, to } from "./Place.ts"
import { bound, entries, later } from "./Mirrors.ts"

const content100 = {
  description: "Pays.",
  acceptanceCriteria: ["It pays", "It refunds"],
  demonstrate: ["Pay", "Look"],
  testPlan: "Try it."
}

const draft = (at: Place, title: string) =>
  Effect.gen(function* () {
    const story = yield* Stories.create(at.owner, { team, title, column: "backlog", draft: true, ...content100 })
    yield* Stories.approve(at.owner, story.key)
    return story.key
  })

const decodeJobs = Json.decoder(Schema.Array(JobView))

const jobsOf = (at: Place) =>
  Effect.map(
    Effect.flatMap(JobStore, (store) => store.page(at.id, { status: null }, { limit: 1000, before: null })),
    ({ items }) => decodeJobs(items).map((job) => ({ workspace: at.id, job }))
  )

it.effect("an approved draft becomes one issue, which is read back as the same story, however often it is tried", () =>
  Effect.gen(function* () {
    const fake = MemoryTracker.make()
    const at = yield* bound(fake)
    const key = yield* draft(at, "Pay")
    const before = (yield* stories(at)).map(content)
    const [job] = yield* jobsOf(at)
    if (job === undefined) return assert.fail("no job")
    // The process ends after the call: nothing of it is kept here.
    const lost = { ...fake, tracker: { ...fake.tracker, create: fake.tracker.create } }
    yield* fake.tracker.create(
      { workspace: at.id, connection: at.connection, project: "acme/pay" },
      yield* issueOf(at, key)
    )
    yield* Effect.provide(WriteStory.write(job), to(lost))
    yield* Effect.provide(WriteStory.write(job), to(lost))
    yield* later(fake)
    assert.strictEqual(fake.issues.size, 1)
    assert.deepStrictEqual(
      (yield* stories(at)).map(content),
      before.map((one) => ({ ...one, issue: "#1" }))
    )
    assert.deepStrictEqual(
      (yield* entries(at, "story_written")).map(({ entity }) => entity.id),
      [key]
    )
  }).pipe(Effect.provide(Memory.layer))
)

/** The issue that the service would write for a story. */
const issueOf = (at: Place, key: StoryKey) =>
  Effect.gen(function* () {
    const other = MemoryTracker.make()
    const [job] = yield* jobsOf(at)
    const seen: Array<{ readonly title: string; readonly body: string; readonly labels: ReadonlyArray<string> }> = []
    const refusing = {
      ...other.tracker,
      create: (_: unknown, issue: (typeof seen)[number]) => {
        seen.push(issue)
        return new TrackerFailed({ reason: `killed while it wrote ${key}`, isFinal: false })
      }
    }
    if (job !== undefined)
      yield* Effect.ignore(Effect.provide(WriteStory.write(job), to({ ...other, tracker: refusing })))
    const [issue] = seen
    if (issue === undefined) throw new Error("no issue was written")
    return issue
  })

it.effect("the mirror links an issue that was written, when the process ended before it could", () =>
  Effect.gen(function* () {
    const fake = MemoryTracker.make()
    const at = yield* bound(fake)
    const key = yield* draft(at, "Pay")
    yield* fake.tracker.create(
      { workspace: at.id, connection: at.connection, project: "acme/pay" },
      yield* issueOf(at, key)
    )
    yield* later(fake)
    assert.deepStrictEqual(
      (yield* stories(at)).map((one) => [one.key, one.tracker?.key]),
      [[key, "#1"]]
    )
    assert.deepStrictEqual(
      (yield* entries(at, "story_written")).map(({ entity }) => entity.id),
      [key]
    )
  }).pipe(Effect.provide(Memory.layer))
)
