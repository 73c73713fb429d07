import { assert, describe, it } from "@effect/vitest"
import { DateTime, Either } from "effect"
import * as ChangeRunner from "../../../domain/runner/ChangeRunner.ts"
import { mostRunners, RunnerNotFound } from "../../../domain/runner/Runner.ts"
import type { InstanceId } from "../../../domain/work/Lease.ts"
import { Run } from "../../../domain/work/Run.ts"
import type { RunKey } from "../../../domain/value/RunKey.ts"
import { recorded, refusal, success } from "../Outcome.ts"
import * as Sample from "../Sample.ts"
import { leased } from "../work/LeasedRun.ts"
import { context, given, id, runner, token } from "./RunnerScene.ts"

const { ana, before, now } = Sample
const removed = runner({ offlineAt: before, removedAt: before })
const instance = (n: number) => `00000000-0000-4000-c000-00000000000${n}` as InstanceId

/** A run that a process holds. */
const heldBy = (process: InstanceId, key = "run-aaaa") =>
  new Run({
    ...leased.run,
    key: key as RunKey,
    resumedAt: before,
    lease: leased.run.lease && { ...leased.run.lease, instance: process }
  })

describe("a runner that says hello", () => {
  const greeting = ChangeRunner.register(ana, token, id(2), { ...given, slots: 3 })

  it("is recorded with what it said of itself", () => {
    const { change, result } = success(greeting(context()))
    assert.deepInclude<object>(result, { ...given, slots: 3, id: id(2), token, registeredAt: now, lastSeenAt: now })
    assert.deepStrictEqual(change.changed?.runners, [])
    const { executors: _, name: __, ...said } = given
    assert.deepStrictEqual(change.audit[0].details["after"], { ...said, slots: 3, executors: ["custom"] })
    assert.deepStrictEqual(recorded(change), ["runner_registered runner build-1"])
  })

  it("again stays the same one, and works whatever it was asked before", () => {
    const known = runner({ drainingAt: before, offlineAt: before, removedAt: before })
    const { change, result } = success(greeting(context({ runner: known })))
    assert.deepInclude<object>(result, { id: id(1), registeredAt: before, lastSeenAt: now, slots: 3 })
    assert.deepInclude(result, { drainingAt: null, offlineAt: null, removedAt: null })
    assert.deepStrictEqual([change.added, change.changed?.runners], [undefined, [result]])
  })

  it("takes the place of one that was offline, also when it was removed before", () => {
    const idle = runner({ id: id(3), name: "old", offlineAt: before })
    const { change, result } = success(greeting(context({ runner: removed, registered: mostRunners, idle })))
    assert.deepStrictEqual(
      change.changed?.runners?.map((one) => [one.id, one.removedAt]),
      [
        [result.id, null],
        [id(3), now]
      ]
    )
    assert.deepStrictEqual(recorded(change), ["runner_registered runner build-1", "runner_offline runner old"])
    assert.match(String(change.audit[1]?.details["reason"]), /another runner took its place/)
  })

  it("takes no place of one that is online", () => {
    const full = context({ registered: mostRunners, idle: runner({ id: id(3) }) })
    assert.strictEqual(refusal(greeting(full)), "TooManyRunners")
  })
})

describe("a runner that says goodbye", () => {
  const left = (...held: ReadonlyArray<Run>) =>
    ChangeRunner.leave(ana, "build-1", instance(1))(context({ runner: runner(), held }))

  it("is offline, and gives its runs back as they are", () => {
    const { change } = success(left(heldBy(instance(1))))
    assert.deepInclude(Object(change.changed?.runners?.[0]), { id: id(1), lastSeenAt: now, offlineAt: now })
    assert.deepInclude(Object(change.changed?.runs?.[0]), { lease: null, resumedAt: null, lapses: 0 })
    assert.deepStrictEqual(change.changed?.runs?.[0]?.attemptList, leased.run.attemptList)
    assert.deepStrictEqual(recorded(change), ["runner_offline runner build-1", "run_state_changed run run-aaaa"])
    assert.deepStrictEqual(
      [change.audit[0].details["reason"], change.audit[1]?.details["lease"], change.audit[1]?.details["after"]],
      ["it said goodbye", "given back", {}]
    )
  })

  it("stays online while another process of its name works", () => {
    const { change } = success(left(heldBy(instance(1)), heldBy(instance(2), "run-bbbb")))
    assert.deepStrictEqual([change.changed?.runners, change.changed?.runs?.length], [undefined, 1])
    assert.deepStrictEqual(recorded(change), ["run_state_changed run run-aaaa"])
    assert.strictEqual(refusal(left(heldBy(instance(2)))), "another works")
  })

  it("without a run is offline", () => assert.deepStrictEqual(success(left()).change.changed?.runs, []))
})

describe("a runner that a person drains", () => {
  const drained = (of: ReturnType<typeof runner>) => ChangeRunner.drain(ana, "build-1")(context({ runner: of }))

  it("leases nothing from then on", () => {
    const { change } = success(drained(runner()))
    assert.deepInclude(Object(change.changed?.runners?.[0]), { id: id(1), drainingAt: now, offlineAt: null })
    assert.deepStrictEqual(recorded(change), ["runner_draining runner build-1"])
  })

  it.each([
    ["is offline", { offlineAt: before }, "RunnerOffline"],
    ["drains", { drainingAt: before }, "it drains"]
  ])("must not be one that %s", (_, more, expected) => assert.strictEqual(refusal(drained(runner(more))), expected))
})

describe("a runner that a person removes", () => {
  it.each([
    ["is online", {}, now],
    ["was offline", { offlineAt: before }, before]
  ])("and that %s loses its runs", (_, more, offlineAt) => {
    const at = context({ runner: runner(more), held: [leased.run] })
    const { change, result } = success(ChangeRunner.remove(ana, "build-1")(at))
    assert.deepInclude<object>(result, { id: id(1), offlineAt, removedAt: now })
    assert.deepStrictEqual(change.changed?.runners, [result])
    assert.match(change.changed?.runs?.[0]?.attemptList[0].error ?? "", /the runner was removed$/)
    assert.deepStrictEqual(recorded(change), [
      "runner_offline runner build-1",
      "lease_lost run run-aaaa",
      "run_state_changed run run-aaaa"
    ])
    assert.strictEqual(change.audit[0].details["reason"], "it was removed")
  })
})

describe("a runner that nobody hears", () => {
  const after = (seconds: number, more = {}) =>
    ChangeRunner.silence(ana)(context({ runner: runner({ lastSeenAt: DateTime.subtract(now, { seconds }), ...more }) }))

  it("is offline after 90 seconds, once", () => {
    const { change } = success(after(91))
    assert.deepInclude(Object(change.changed?.runners?.[0]), { id: id(1), offlineAt: now })
    assert.strictEqual(change.audit[0].details["reason"], "it was not heard from")
    assert.deepStrictEqual(recorded(change), ["runner_offline runner build-1"])
    for (const decided of [after(90), after(91, { offlineAt: before }), ChangeRunner.silence(ana)(context())])
      assert.strictEqual(refusal(decided), "it spoke")
  })
})

describe("a runner that is unknown or removed", () => {
  it.each([
    ["leaves", ChangeRunner.leave(ana, "build-9", undefined)],
    ["is drained", ChangeRunner.drain(ana, "build-9")],
    ["is removed", ChangeRunner.remove(ana, "build-9")]
  ] as const)("is not found when it %s", (_, decide) => {
    for (const of of [null, removed]) {
      const decided: Either.Either<unknown, unknown> = decide(context({ runner: of }))
      const refused = Either.getOrThrow(Either.flip(decided))
      assert.instanceOf(refused, RunnerNotFound)
      assert.include(refused.message, "'build-9'")
    }
  })
})
