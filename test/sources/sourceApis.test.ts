import { afterAll, assert, beforeAll, beforeEach, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { Unreachable } from "../../application/ports/Outgoing.ts"
import type { SourceUpdate } from "../../application/ports/SourceApis.ts"
import { local, recorded } from "./LocalOutgoing.ts"
import { key, type State, tools, update } from "./Tools.ts"

const oddIds = ["a/b", "a?b=c&d#e", "100 % é 👍", "%2e%2e", "..%2f..", "...", "a:b;c@d", "\\..\\"]

describe.each(tools())("$name", ({ api, canLook, credentials, fake, put, stateOf }) => {
  let base = ""
  beforeAll(async () => {
    base = await fake.start()
  })
  afterAll(() => fake.stop())
  beforeEach(() => {
    fake.heal()
    fake.asked.length = 0
  })

  const tool = api(local)
  const set = (to: SourceUpdate["to"], id = "Q1") => tool.update(update(to, credentials(base), id))
  const problem = (to: SourceUpdate["to"], id?: string) =>
    Effect.map(Effect.flip(set(to, id)), (failed) => {
      assert.strictEqual(failed._tag, "JobFailed")
      assert.notInclude(JSON.stringify([failed, failed.message]), key)
      return failed
    })

  it.effect.each([
    ["open", "acknowledged"],
    ["open", "resolved"],
    ["acknowledged", "resolved"]
  ] as const)("makes an alert that is %s %s", ([before, to]) =>
    Effect.gen(function* () {
      put("Q1", before)
      assert.strictEqual(yield* set(to), "updated")
      assert.strictEqual(stateOf("Q1"), to)
      assert.strictEqual(fake.written().length, 1)
    })
  )

  it.effect.each([
    ["acknowledged", "acknowledged"],
    ["resolved", "resolved"],
    ["resolved", "acknowledged"]
  ] as const)("leaves an alert that is %s when it is to be %s, and opens nothing again", ([before, to]) =>
    Effect.gen(function* () {
      put("Q1", before)
      const done = yield* set(to)
      assert.strictEqual(stateOf("Q1"), before satisfies State)
      if (canLook) assert.deepStrictEqual([done, fake.written()], ["already", []])
      if ("reopened" in fake) assert.deepStrictEqual(fake.reopened, [])
    })
  )

  it.effect("changes that alert and no other, whatever its id is", () =>
    Effect.gen(function* () {
      for (const id of oddIds) {
        put("Q1", "open")
        put(id, "open")
        assert.strictEqual(yield* set("resolved", id), "updated")
        assert.deepStrictEqual([stateOf(id), stateOf("Q1")], ["resolved", "open"], id)
      }
    })
  )

  it.effect.each(["", ".", ".."])("asks nothing about '%s', which would be another path", (id) =>
    Effect.gen(function* () {
      assert.isTrue((yield* problem("resolved", id)).isFinal)
      assert.deepStrictEqual(fake.asked, [])
    })
  )

  it.effect("knows no alert that it was not told of", () =>
    Effect.map(problem("acknowledged", "never seen"), ({ isFinal, message }) => {
      assert.isTrue(isFinal)
      assert.match(message, /no longer knows|does not exist/)
    })
  )

  it.effect.each([
    [401, true],
    [403, true],
    [404, true],
    [400, true],
    [409, true],
    [422, true],
    [301, true],
    [408, false],
    [429, false],
    [500, false],
    [502, false],
    [503, false]
  ] as const)("answers %i: whether that is final is %s", ([status, isFinal]) =>
    Effect.gen(function* () {
      put("Q1", "open")
      fake.fail(status, { body: { message: `wrong: ${key}`, error: { message: "wrong", errors: [`wrong: ${key}`] } } })
      const failed = yield* problem("acknowledged")
      assert.strictEqual(failed.isFinal, isFinal, failed.message)
      if (!isFinal) assert.deepStrictEqual(fake.written(), [])
      if (status === 401 || status === 403) {
        assert.include(failed.message, `refused the key (${status})`)
        assert.include(failed.message, "gatehouse source credentials")
      }
      assert.strictEqual(stateOf("Q1"), "open")
      fake.heal()
      assert.strictEqual(yield* set("acknowledged"), "updated")
    })
  )

  it.effect.each([429, 500])("may be tried again when only the change is answered with %i", (status) =>
    Effect.gen(function* () {
      put("Q1", "open")
      fake.fail(status, { after: 1, times: 1 })
      assert.isFalse((yield* problem("resolved")).isFinal)
      assert.deepStrictEqual([fake.written().length, stateOf("Q1")], [1, "open"])
      assert.strictEqual(yield* set("resolved"), "updated")
    })
  )

  it.effect("refuses another key itself, and the text names neither", () =>
    Effect.gen(function* () {
      put("Q1", "open")
      const others = { ...credentials(base), key: "an0ther-key" }
      const failed = yield* Effect.flip(tool.update(update("acknowledged", others, "Q1")))
      assert.isTrue(failed.isFinal)
      assert.include(failed.message, "refused the key (401)")
      assert.notMatch(JSON.stringify(failed), /an0ther-key|k3y/)
      assert.strictEqual(stateOf("Q1"), "open")
    })
  )

  it.effect("may be tried again when something else answers in its place", () =>
    Effect.gen(function* () {
      fake.fail(200, { body: "<html>Back soon</html>" })
      const failed = yield* problem("acknowledged")
      assert.isFalse(failed.isFinal)
      assert.include(failed.message, "cannot be read")
    })
  )

  it.effect("may be tried again when it is down, and works on the same port when it is up", () =>
    Effect.gen(function* () {
      put("Q1", "open")
      yield* Effect.promise(() => fake.stop())
      const failed = yield* problem("acknowledged")
      assert.isFalse(failed.isFinal)
      assert.include(failed.message, "cannot be reached")
      yield* Effect.promise(() => fake.start())
      assert.strictEqual(yield* set("acknowledged"), "updated")
    })
  )

  it.effect("is given up when its address is one that is never called", () =>
    Effect.gen(function* () {
      const { outgoing } = recorded(
        () => new Unreachable({ host: "10.0.0.1", problem: "it is not public", isForbidden: true })
      )
      const failed = yield* Effect.flip(api(outgoing).update(update("acknowledged", credentials("http://10.0.0.1"))))
      assert.isTrue(failed.isFinal)
      assert.include(failed.message, "10.0.0.1: it is not public")
    })
  )

  it.effect("is not called with credentials that were kept unchecked", () =>
    Effect.gen(function* () {
      for (const kept of [key, "", `{"key":"${key}","token":"x"}`]) {
        const failed = yield* Effect.flip(tool.update(update("acknowledged", kept)))
        assert.isTrue(failed.isFinal)
        assert.include(failed.message, "gatehouse source credentials")
        assert.notInclude(failed.message, key)
      }
      assert.deepStrictEqual(fake.asked, [])
    })
  )
})
