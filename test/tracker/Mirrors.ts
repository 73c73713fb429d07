import { Duration, Effect, Fiber, Schema, TestClock } from "effect"
import * as MemoryTracker from "../../adapters/memory/tracker/MemoryTracker.ts"
import { AuditLog } from "../../application/ports/AuditLog.ts"
import * as Json from "../../application/ports/Json.ts"
import * as WriteTracker from "../../application/work/tracker/WriteTracker.ts"
import { RecordedEntry } from "../../domain/workspace/Audit.ts"
import * as Seed from "../support/Seed.ts"
import { bind, type Fake, mirrored, type Place, place, storyOf, to, writer } from "./Place.ts"

export const bound = (fake: Fake) =>
  Effect.gen(function* () {
    const at = yield* place
    yield* Effect.provide(bind(at), to(fake))
    return at
  })

/** Writes everything, however long the clock has to run. */
export const written = (fake: Fake, minutes = 5) =>
  Effect.gen(function* () {
    const writing = yield* Effect.fork(Effect.provide(WriteTracker.round(), to(fake)))
    yield* TestClock.adjust(Duration.minutes(minutes))
    yield* Fiber.join(writing)
  })

export const decodeEntries = Json.decoder(Schema.Array(RecordedEntry))
export const entries = ({ id }: Place, event: "story_moved" | "story_written" | "story_changed") =>
  Effect.map(
    Effect.flatMap(AuditLog, (log) => log.page(id, { ...Seed.anyEntry, event }, { limit: 1000, before: null })),
    ({ items }) => decodeEntries(items)
  )

export const issue = (fake: Fake, id: string) => {
  const found = fake.issues.get(id)
  if (found === undefined) throw new Error(`no issue ${id}`)
  return found
}

/** A project with one Ready issue, mirrored. */
export const ready = (body = "Text.") =>
  Effect.gen(function* () {
    const fake = MemoryTracker.make()
    const at = yield* bound(fake)
    yield* fake.people.open(writer, { title: "Pay", body, labels: ["ready"] })
    yield* mirrored(fake)
    const { key } = yield* storyOf(at, "#1")
    return { fake, at, key }
  })

/** The next look of the mirror. */
export const later = (fake: Fake) => Effect.zipRight(TestClock.adjust("2 minutes"), mirrored(fake))
