import { assert, it } from "@effect/vitest"
import { DateTime, Duration, Effect, Either, type Layer } from "effect"
import * as Decisions from "../../application/work/Decisions.ts"
import * as Json from "../../application/ports/Json.ts"
import { DecisionStore } from "../../application/ports/DecisionStore.ts"
import { JobStore } from "../../application/ports/JobStore.ts"
import { RunStore } from "../../application/ports/RunStore.ts"
import type { DecisionKey, DecisionStatus } from "../../domain/work/Decision.ts"
import { JobView } from "../../domain/work/Job.ts"
import type { MergeHold } from "../../domain/work/MergeHold.ts"
import type { RunKey } from "../../domain/value/RunKey.ts"
import * as Queue from "../jobs/Queue.ts"
import * as People from "../support/People.ts"
import * as Seed from "../support/Seed.ts"
import type { Stores } from "../support/World.ts"
import { ids, type Place, settle, take } from "./scenes/JobScene.ts"

const options = [
  { id: "revert", label: "Revert", action: "open_revert" },
  { id: "leave", label: "Leave", action: "decline_proposal" }
]

/** A decision of this status about the red main branch of payments. */
const red = (status: DecisionStatus, place: number) => ({
  key: `dec-000${place}`,
  team: "payments",
  kind: "main_red_incident",
  title: "Red",
  recommendation: "revert",
  options,
  status,
  expiresAt: null,
  createdAt: `2026-09-0${place + 1}T08:00:00.000Z`,
  ...(status === "resolved" && { resolution: { optionId: "leave", note: null }, resolvedVia: "app" })
})

const hold = (status: DecisionStatus, place: number): typeof MergeHold.Encoded => ({
  decision: `dec-000${place}`,
  status,
  since: `2026-09-0${place + 1}T08:00:00.000Z`
})

const rows: ReadonlyArray<readonly [ReadonlyArray<DecisionStatus>, typeof MergeHold.Encoded | null]> = [
  [[], null],
  [["pending"], hold("pending", 0)],
  [["resolved"], null],
  [["expired"], hold("expired", 0)],
  [["cancelled"], hold("cancelled", 0)],
  [["superseded", "resolved"], null],
  [["superseded", "pending"], hold("pending", 1)],
  [["cancelled", "resolved"], null],
  [["resolved", "expired"], hold("expired", 1)],
  [["pending", "resolved"], hold("pending", 0)],
  [["expired", "pending"], hold("pending", 1)]
]

const shown = ({ id }: Pick<Place, "id">) =>
  Effect.map(
    Effect.flatMap(JobStore, (store) => store.page(id, { status: null }, { limit: 100, before: null })),
    ({ items }) => JSON.parse(items) as ReadonlyArray<typeof JobView.Encoded>
  )

export const mergeHoldContract = <E>(adapter: string, layer: Layer.Layer<Stores, E>) =>
  it.layer(layer, { timeout: "60 seconds" })(`merge holds (${adapter})`, (it) => {
    const place = Effect.zipRight(settle, Queue.workspace)

    for (const [statuses, expected] of rows)
      it.effect(`of the states [${statuses.join(", ")}], ${expected?.decision ?? "nothing"} holds merges`, () =>
        Effect.gen(function* () {
          const at = yield* place
          if (statuses.length > 0) yield* Seed.load(at.slug, { decisions: statuses.map(red) })
          const [merge, tell] = yield* Queue.put(at, ["merge_pull_request", "tell_agent"], { days: 1 })
          const store = yield* JobStore
          const [, merging] = yield* shown(at)
          assert.deepStrictEqual([merging?.id, merging?.hold], [merge, expected])
          assert.deepStrictEqual(ids(yield* take()), expected === null ? [merge, tell] : [tell])
          assert.deepStrictEqual(yield* store.lag, Duration.zero)
          assert.deepStrictEqual((yield* shown(at))[0]?.hold, null)
        })
      )

    it.effect("a merge that rests without an adapter is held too, one that has begun is not", () =>
      Effect.gen(function* () {
        const at = yield* place
        for (const status of ["queued", "no_adapter", "running", "failed", "done"] as const)
          yield* Queue.put(at, ["merge_pull_request"], { status })
        const waiting = { status: "running", tries: 1, error: "busy", wait: Duration.hours(1) } as const
        for (const { id } of yield* Queue.all(at.id, "running"))
          yield* (yield* JobStore).note(at.id, id, Queue.holder, waiting)
        yield* Seed.load(at.slug, { decisions: [red("pending", 0)] })
        assert.deepStrictEqual(
          (yield* shown(at)).map(({ hold, status }) => `${status} ${hold?.decision ?? "free"}`).toReversed(),
          ["queued dec-0000", "no_adapter dec-0000", "running free", "failed free", "done free"]
        )
        assert.deepStrictEqual(yield* take(), [])
      })
    )

    it.effect("goes on with the answer, and not with the deadline", () =>
      Effect.gen(function* () {
        const at = yield* place
        const due = { ...red("pending", 0), expiresAt: "1969-12-31T23:00:00.000Z" }
        yield* Seed.load(at.slug, { decisions: [due, red("pending", 1)] })
        const [merge] = yield* Queue.put(at, ["merge_pull_request"])
        assert.isAtLeast(yield* Decisions.expireDue(), 1)
        const owner = yield* People.person(at.slug)
        const answer = { decision: "dec-0001" as DecisionKey, optionId: "leave", note: null, idempotency: null }
        assert.deepStrictEqual(yield* take(), [])
        assert.deepStrictEqual((yield* shown(at))[0]?.hold, hold("pending", 1))
        yield* Decisions.answer(owner, answer)
        assert.deepStrictEqual(ids(yield* take()), [merge])
      })
    )

    it.effect("whoever decides about a run or answers a decision sees the hold of that team alone", () =>
      Effect.gen(function* () {
        const at = yield* place
        yield* Seed.load(at.slug, {
          teams: [{ slug: "web", name: "Web", keyPrefix: "WEB" }],
          stories: [
            { key: "PAY-1", team: "payments", title: "One" },
            { key: "WEB-1", team: "web", title: "Other" }
          ],
          runs: [
            { key: "run-0001", story: "PAY-1", status: "running" },
            { key: "run-0002", story: "WEB-1", status: "running" }
          ],
          decisions: [red("pending", 0), { ...red("pending", 1), team: "web", kind: "revert_approval" }]
        })
        const runs = yield* RunStore
        const decisions = yield* DecisionStore
        const holdOf = (key: string) =>
          Effect.flip(runs.change(at.id, key as RunKey, ({ mergeHold }) => Either.left({ mergeHold })))
        const since = DateTime.unsafeMake("2026-09-01T08:00:00.000Z")
        const held = { mergeHold: { decision: "dec-0000", status: "pending", since } }
        assert.deepStrictEqual<unknown>(yield* holdOf("run-0001"), held)
        assert.deepStrictEqual<unknown>(yield* holdOf("run-0002"), { mergeHold: null })
        const ofDecision = (key: string) =>
          Effect.flip(decisions.change(at.id, key as DecisionKey, null, ({ mergeHold }) => Either.left({ mergeHold })))
        assert.deepStrictEqual<unknown>(yield* ofDecision("dec-0000"), held)
        assert.deepStrictEqual<unknown>(yield* ofDecision("dec-0001"), { mergeHold: null })
      })
    )

    it.effect("lists the jobs of one run", () =>
      Effect.gen(function* () {
        const at = yield* place
        yield* Seed.load(at.slug, {
          stories: [{ key: "PAY-1", team: "payments", title: "One" }],
          runs: [{ key: "run-0001", story: "PAY-1", status: "running" }]
        })
        yield* Queue.put(at, ["tell_agent"])
        const [wanted] = yield* Queue.put(at, ["merge_pull_request"], { runKey: "run-0001" as RunKey })
        const store = yield* JobStore
        const filter = { status: null, run: "run-0001" as RunKey }
        const { items } = yield* store.page(at.id, filter, { limit: 10, before: null })
        const read = Json.decoder(JobView)
        assert.deepStrictEqual(
          Json.each(items).map((item) => read(item).id),
          wanted === undefined ? [] : [wanted]
        )
      })
    )
  })
