import { assert, describe, it } from "@effect/vitest"
import { DateTime, Either, Schema } from "effect"
import { type Introduction, register, type RunnerContext } from "../../../domain/runner/ChangeRunner.ts"
import { Label, mostRunners, Runner } from "../../../domain/runner/Runner.ts"
import { LeaseId, RunnerId } from "../../../domain/work/Lease.ts"
import type { TokenId } from "../../../domain/workspace/ApiToken.ts"
import * as Sample from "../Sample.ts"

const id = (n: number) => `00000000-0000-4000-a000-${String(n).padStart(12, "0")}` as RunnerId
const token = "00000000-0000-4000-b000-000000000001" as TokenId
const given: Introduction = {
  name: "build-1",
  version: "0.1.0",
  os: "linux",
  arch: "x64",
  slots: 1,
  executors: [{ name: "custom", version: "1.2 (beta)" }],
  teams: []
}
const runner = (more: Partial<Runner> = {}) =>
  new Runner({
    ...given,
    id: id(1),
    token,
    registeredAt: Sample.before,
    lastSeenAt: Sample.before,
    drainingAt: null,
    offlineAt: null,
    removedAt: null,
    ...more
  })
const minutesAgo = (minutes: number) => DateTime.subtract(Sample.now, { minutes })

const registered = (more: Partial<RunnerContext>) => {
  const at = { now: Sample.now, runner: null, held: [], registered: 0, idle: null, ...more }
  return Either.map(register(Sample.ana, token, id(2), given)(at), ({ change }) => ({
    added: change.added?.runners?.map((one) => one.id) ?? [],
    removed: change.changed?.runners?.filter(({ removedAt }) => removedAt !== null).map((one) => one.id) ?? [],
    events: change.audit.map(({ event }) => event)
  }))
}

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
