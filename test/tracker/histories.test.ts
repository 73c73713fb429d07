import { assert, inject, it } from "@effect/vitest"
import { Effect, TestClock } from "effect"
import * as Memory from "../../adapters/memory/Memory.ts"
import * as MemoryTracker from "../../adapters/memory/tracker/MemoryTracker.ts"
import { TrackerStore } from "../../application/ports/tracker/TrackerStore.ts"
import type { CloseReason, GoneReason } from "../../domain/tracker/TrackerIssue.ts"
import { usualStatuses } from "../../domain/tracker/Mapping.ts"
import { boardStatuses } from "../contract/TrackerContract.ts"
import { isLong } from "../support/Long.ts"
import { random } from "../support/Random.ts"
import {
  bind,
  content,
  type Fake,
  mirrored,
  type Place,
  place,
  project,
  stories,
  stranger,
  to,
  writer
} from "./Place.ts"

const pick = <A>(all: ReadonlyArray<A>): A => all[Math.floor(random() * all.length)] as A
const chance = (share: number) => random() < share

const bodies = [
  "",
  "Plain text.",
  "Why.\n\n## Acceptance criteria\n\n- [ ] It pays\n- [ ] It refunds\n\n## Demonstrate\n\n1. Pay",
  "## Acceptance criteria\n\n- [ ] It pays\n\n## Test plan\n\nTry it twice.",
  "<script>alert(1)</script>\n\n## Demonstrate\n\n1. Look"
]
const labels = ["ready", "refining", "doing", "review", "size/l", "expedite", "bug"]
const statuses = [...boardStatuses, null]
const reasons: ReadonlyArray<CloseReason> = ["completed", "not_planned", "duplicate"]
const ways: ReadonlyArray<GoneReason> = ["deleted", "transferred", "converted"]

/** One act of a person on a random issue; returns the id of the issue. */
const act = ({ issues, people }: Fake) =>
  Effect.gen(function* () {
    const ids = [...issues.keys()]
    const by = chance(0.3) ? stranger : writer
    if (ids.length < 2 || (ids.length < 8 && chance(0.2))) {
      const given = chance(0.3) ? [pick(labels)] : []
      return (yield* people.open(by, { title: `Issue ${ids.length + 1}`, body: pick(bodies), labels: given })).id
    }
    const id = pick(ids)
    if (chance(0.2)) {
      yield* people.move(by, id, pick(statuses))
      return id
    }
    const roll = random()
    if (roll < 0.25) yield* people.edit(by, id, { body: pick(bodies) })
    else if (roll < 0.35) yield* people.edit(by, id, { title: pick(["Pay", "Refund", "  Two\nlines "]) })
    else if (roll < 0.6) yield* people.label(by, id, pick(labels))
    else if (roll < 0.75) yield* people.unlabel(id, pick(labels))
    else if (roll < 0.85) yield* people.close(id, pick(reasons))
    else if (roll < 0.92) yield* people.close(id, null)
    else yield* people.leave(id, issues.get(id)?.gone === null ? pick(ways) : null)
    return id
  })

/** Webhooks come late, twice, in any order, or never. */
const deliver = (at: Place, waiting: Array<string>, share: number) =>
  Effect.gen(function* () {
    const store = yield* TrackerStore
    while (waiting.length > 0 && chance(share)) {
      const [id] = waiting.splice(Math.floor(random() * waiting.length), 1)
      if (id === undefined || chance(0.3)) continue
      if (chance(0.3)) waiting.push(id)
      yield* store.hint(at.id, at.connection.id, project, { id, key: id.replace("i", "#") })
    }
  })

const history = Effect.gen(function* () {
  const fake = MemoryTracker.make({ pageSize: pick([1, 2, 3, 100]) })
  const at = yield* place
  const only = {
    ...(chance(0.2) && { only: "bug" }),
    ...(chance(0.4) && { columns: usualStatuses, board: { name: "acme/1", field: "Status" } })
  }
  yield* Effect.provide(bind(at, only), to({ ...fake, tracker: { ...fake.tracker, inspect: known } }))
  const waiting: Array<string> = []
  for (let step = 0; step < 25; step++) {
    const id = yield* act(fake)
    waiting.push(id)
    if (chance(0.7)) yield* TestClock.adjust(`${Math.floor(random() * 200)} seconds`)
    yield* deliver(at, waiting, 0.5)
    if (chance(0.3)) yield* mirrored(fake, 1)
  }
  yield* TestClock.adjust("25 hours")
  yield* mirrored(fake, 30)
  const fresh = yield* place
  yield* Effect.provide(bind(fresh, only), to({ ...fake, tracker: { ...fake.tracker, inspect: known } }))
  yield* mirrored(fake, 30)
  const [mirror, again] = [(yield* stories(at)).map(content), (yield* stories(fresh)).map(content)]
  assert.deepStrictEqual(mirror, again, `SEED=${inject("seed")}`)
})

const known: Fake["tracker"]["inspect"] = (at) =>
  Effect.succeed({
    project: at.project,
    url: "https://tracker.example.com",
    labels,
    statuses: boardStatuses,
    missing: []
  })

const turns = inject("full") ? 1000 : isLong ? 150 : 6

it.effect(
  `${turns} histories of issues, delivered in any order, doubled or dropped, end as a fresh mirror`,
  ({ task }) =>
    Effect.zipRight(
      Effect.replicateEffect(Effect.provide(history, Memory.layer), turns, { discard: true }),
      Effect.sync(() => void (task.meta.figures = `${turns.toLocaleString("en")} histories of 25 acts each`))
    ),
  1_800_000
)
