import { assert, describe, it } from "@effect/vitest"
import { DateTime, Either, Schema } from "effect"
import { register, type RunnerContext } from "../../../domain/runner/ChangeRunner.ts"
import { Label, mostRunners } from "../../../domain/runner/Runner.ts"
import { LeaseId, RunnerId } from "../../../domain/work/Lease.ts"
import * as Sample from "../Sample.ts"
import { context, given, id, runner, token } from "./RunnerScene.ts"

const minutesAgo = (minutes: number) => DateTime.subtract(Sample.now, { minutes })

const registered = (more: Partial<RunnerContext>) =>
  Either.map(register(Sample.ana, token, id(2), given)(context(more)), ({ change }) => ({
    added: change.added?.runners?.map((one) => one.id) ?? [],
    removed: change.changed?.runners?.filter(({ removedAt }) => removedAt !== null).map((one) => one.id) ?? [],
    events: change.audit.map(({ event }) => event)
  }))

describe("a workspace", () => {
  it(`has at most ${mostRunners} runners, and the refusal names the way out`, () => {
    assert.isTrue(Either.isRight(registered({ registered: mostRunners - 1 })))
    const refused = Either.flip(registered({ registered: mostRunners }))
    const { message } = Either.getOrElse(refused, () => assert.fail("it was registered"))
    assert.include(message, `${mostRunners} runners`)
    assert.include(message, "'gatehouse runner remove'")
  })

  it("takes a runner that it knows however many there are, unless it was removed", () => {
    assert.isTrue(Either.isRight(registered({ registered: mostRunners, runner: runner() })))
    const removed = runner({ offlineAt: minutesAgo(5), removedAt: minutesAgo(5) })
    assert.isTrue(Either.isLeft(registered({ registered: mostRunners, runner: removed })))
    assert.isTrue(Either.isRight(registered({ registered: mostRunners - 1, runner: removed })))
  })

  it("forgets the runner that was offline the longest, if for an hour, to make room", () => {
    const idle = (minutes: number) => runner({ id: id(3), name: "old", offlineAt: minutesAgo(minutes) })
    assert.deepStrictEqual(Either.getOrNull(registered({ registered: mostRunners, idle: idle(60) })), {
      added: [id(2)],
      removed: [id(3)],
      events: ["runner_registered", "runner_offline"]
    })
    assert.isTrue(Either.isLeft(registered({ registered: mostRunners, idle: idle(59) })))
    assert.deepStrictEqual(Either.getOrNull(registered({ registered: 7, idle: idle(600) }))?.removed, [])
  })
})

describe("names of runners and their parts", () => {
  const isLabel = Schema.is(Label)
  it.each(["build-1", "Büro Mac 2", "7", "10.2.0-rc.1", "codex-cli 0.166.0 (a1b2)", "x".repeat(100)])("%j", (text) =>
    assert.isTrue(isLabel(text))
  )
  it.each([
    "",
    " ",
    "a\nb",
    "a\tb",
    "a\u001b[2J",
    "a\u0085",
    "\u202eabc",
    "a\u2066b",
    "a\u200bb",
    "--json",
    "a ",
    "\ud800"
  ])("%j is refused", (text) => assert.isFalse(isLabel(text)))
})

describe("ids of leases and runners", () => {
  it.each([LeaseId, RunnerId])("are in lower case alone", (schema) => {
    const [is, text] = [Schema.is(schema as Schema.Schema.AnyNoContext), "0a000000-0000-4000-8000-00000000000b"]
    assert.deepStrictEqual([is(text), is(text.toUpperCase())], [true, false])
  })
})
