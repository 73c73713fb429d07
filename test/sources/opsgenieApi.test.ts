import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, TestClock } from "effect"
import { opsgenie } from "../../adapters/alerting/opsgenie/OpsgenieApi.ts"
import { fakeOpsgenie } from "./FakeOpsgenie.ts"
import { local, recorded } from "./LocalOutgoing.ts"
import { atOnce, key, update } from "./Tools.ts"

const open = { body: JSON.stringify({ data: { status: "open", acknowledged: false } }) }
const accepted = { status: 202, body: JSON.stringify({ requestId: "r/1" }) }
const done = { body: JSON.stringify({ data: { isSuccess: true, status: "Acknowledged" } }) }

/** The first `times` requests for an outcome find none. */
const processedAfter = (times: number, missing = { status: 404 }) =>
  recorded((_, count) => (count === 0 ? open : count === 1 ? accepted : count < times + 2 ? missing : done))

const running = Effect.acquireRelease(
  Effect.promise(async () => {
    const fake = fakeOpsgenie({ key })
    return { fake, api: await fake.start() }
  }),
  ({ fake }) => Effect.promise(() => fake.stop())
)

describe("Opsgenie", () => {
  it.effect("is asked for the alert, told what it is, and asked what became of that", () =>
    Effect.gen(function* () {
      const { outgoing, sent } = processedAfter(0)
      const result = yield* opsgenie(outgoing).update(update("acknowledged", { key, region: "us" }, "b0e4-1"))
      assert.strictEqual(result, "updated")
      const [headers, base] = [{ Authorization: `GenieKey ${key}` }, "https://api.opsgenie.com/v2/alerts"]
      assert.deepStrictEqual(sent, [
        { method: "GET", url: `${base}/b0e4-1?identifierType=id`, headers },
        {
          method: "POST",
          url: `${base}/b0e4-1/acknowledge?identifierType=id`,
          headers: { ...headers, "Content-Type": "application/json" },
          body: '{"user":"Gatehouse","source":"Gatehouse","note":"inc-hkc5 is acknowledged in Gatehouse."}'
        },
        { method: "GET", url: `${base}/requests/r%2F1`, headers }
      ])
    })
  )

  it.effect.each([
    [{}, "https://api.opsgenie.com/v2"],
    [{ region: "us" }, "https://api.opsgenie.com/v2"],
    [{ region: "eu" }, "https://api.eu.opsgenie.com/v2"],
    [{ product: "jsm" }, "https://api.atlassian.com/jsm/ops/integration/v2"],
    [{ region: "eu", api: "https://proxy.test/og/" }, "https://proxy.test/og/v2"],
    [{ product: "jsm", api: "http://proxy.test" }, "http://proxy.test/jsm/ops/integration/v2"]
  ] as const)("with %j is at %s", ([more, base]) =>
    Effect.gen(function* () {
      const { outgoing, sent } = processedAfter(0)
      yield* opsgenie(outgoing).update(update("resolved", { key, ...more }, "b0e4"))
      assert.deepStrictEqual(
        sent.map(({ url }) => url),
        [
          `${base}/alerts/b0e4?identifierType=id`,
          `${base}/alerts/b0e4/close?identifierType=id`,
          `${base}/alerts/requests/r%2F1`
        ]
      )
    })
  )

  it.effect("may answer what became of it without anything around it", () =>
    Effect.gen(function* () {
      const bare = (isSuccess: boolean) => ({ body: JSON.stringify({ isSuccess, status: "as it is" }) })
      const answering = (isSuccess: boolean) =>
        recorded((_, count) => (count === 0 ? open : count === 1 ? accepted : bare(isSuccess))).outgoing
      const to = update("resolved", { key, product: "jsm" })
      assert.strictEqual(yield* opsgenie(answering(true)).update(to), "updated")
      assert.isTrue((yield* Effect.flip(opsgenie(answering(false)).update(to))).isFinal)
    })
  )

  it.effect("is asked again after waits that grow, while it has not processed the request", () =>
    Effect.gen(function* () {
      const { outgoing, sent } = processedAfter(5)
      const updating = yield* Effect.fork(opsgenie(outgoing).update(update("acknowledged", { key })))
      const asked: Array<number> = []
      for (const millis of [0, 249, 1, 499, 1, 1000, 2000, 4000]) {
        yield* TestClock.adjust(millis)
        asked.push(sent.length - 2)
      }
      assert.deepStrictEqual(asked, [1, 1, 2, 2, 3, 4, 5, 6])
      assert.strictEqual(yield* Fiber.join(updating), "updated")
    })
  )

  it.effect.each([404, 429, 500])("that answers %i all the while may be tried again later", (status) =>
    Effect.gen(function* () {
      const { outgoing, sent } = processedAfter(100, { status })
      const updating = yield* Effect.fork(Effect.flip(opsgenie(outgoing).update(update("acknowledged", { key }))))
      yield* TestClock.adjust("1 minute")
      assert.isFalse((yield* Fiber.join(updating)).isFinal)
      assert.strictEqual(sent.length, 2 + 7)
    })
  )

  it.effect("that no longer takes the key when asked for the outcome is asked no more", () =>
    Effect.gen(function* () {
      const { outgoing, sent } = processedAfter(100, { status: 401 })
      const failed = yield* Effect.flip(opsgenie(outgoing).update(update("acknowledged", { key })))
      assert.isTrue(failed.isFinal)
      assert.include(failed.message, "of another region")
      assert.strictEqual(sent.length, 3)
    })
  )

  it.scoped.each([
    [3, {}],
    [3, { product: "jsm" }]
  ] as const)("that processes a request after %i questions has done it", ([pending, product]) =>
    Effect.gen(function* () {
      const { api, fake } = yield* running
      fake.alerts.set("b0e4", { status: "open", acknowledged: false })
      fake.settings.pending = pending
      const result = yield* opsgenie(local, atOnce).update(update("resolved", { key, api, ...product }, "b0e4"))
      assert.strictEqual(result, "updated")
      assert.strictEqual(fake.alerts.get("b0e4")?.status, "closed")
      assert.strictEqual(fake.asked.filter(({ path }) => path.includes("/requests/")).length, pending + 1)
    })
  )

  it.scoped("that never says whether it did is looked at again, and has", () =>
    Effect.gen(function* () {
      const { api, fake } = yield* running
      fake.alerts.set("b0e4", { status: "open", acknowledged: false })
      fake.settings.pending = 100
      const acknowledge = opsgenie(local, atOnce).update(update("acknowledged", { key, api }, "b0e4"))
      assert.isFalse((yield* Effect.flip(acknowledge)).isFinal)
      assert.strictEqual(yield* acknowledge, "already")
    })
  )

  it.scoped.each([
    ["Opsgenie", {}],
    ["Jira Service Management", { product: "jsm" }]
  ] as const)("tells only afterwards that an alert is gone: %s", ([name, product]) =>
    Effect.gen(function* () {
      const { api, fake } = yield* running
      if (name === "Opsgenie") fake.alerts.set("b0e4", { status: "open", acknowledged: false })
      fake.vanishing.add("b0e4")
      const failed = yield* Effect.flip(
        opsgenie(local, atOnce).update(update("resolved", { key, api, ...product }, "b0e4"))
      )
      assert.isTrue(failed.isFinal)
      assert.strictEqual(failed.message, `${name} did not do it: Alert does not exist`)
      assert.strictEqual(fake.written().length, 1)
    })
  )
})
