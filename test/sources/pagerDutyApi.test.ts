import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { pagerduty } from "../../adapters/alerting/pagerduty/PagerDutyApi.ts"
import { recorded } from "./LocalOutgoing.ts"
import { from, key, update } from "./Tools.ts"

const triggered = { body: JSON.stringify({ incident: { status: "triggered" } }) }
const headers = { Authorization: `Token token=${key}`, Accept: "application/vnd.pagerduty+json;version=2" }
const linked = (url: string) => [{ label: "PagerDuty", url }]

describe("PagerDuty", () => {
  it.effect("is asked for the incident, then told its status by a person of the account", () =>
    Effect.gen(function* () {
      const { outgoing, sent } = recorded(() => triggered)
      assert.strictEqual(yield* pagerduty(outgoing).update(update("acknowledged", { key, from })), "updated")
      const url = "https://api.pagerduty.com/incidents/Q2ZK7M9XWB41DE"
      assert.deepStrictEqual(sent, [
        { method: "GET", url, headers },
        {
          method: "PUT",
          url,
          headers: { ...headers, "Content-Type": "application/json", From: from },
          body: '{"incident":{"type":"incident_reference","status":"acknowledged"}}'
        }
      ])
    })
  )

  it.effect("is told in whose name it is resolved", () =>
    Effect.gen(function* () {
      const { outgoing, sent } = recorded(() => triggered)
      yield* pagerduty(outgoing).update(update("resolved", { key, from }))
      assert.deepStrictEqual(JSON.parse(sent[1]?.body ?? ""), {
        incident: {
          type: "incident_reference",
          status: "resolved",
          resolution: "inc-hkc5 is resolved in Gatehouse."
        }
      })
    })
  )

  it.effect.each([
    [{}, "https://acme.pagerduty.com/incidents/Q2", "https://api.pagerduty.com"],
    [{}, "https://acme.eu.pagerduty.com/incidents/Q2", "https://api.eu.pagerduty.com"],
    [{}, "https://eu.pagerduty.com.acme.test/incidents/Q2", "https://api.pagerduty.com"],
    [{}, "https://acme.test/?to=https://acme.eu.pagerduty.com", "https://api.pagerduty.com"],
    [{}, "eu.pagerduty.com", "https://api.pagerduty.com"],
    [{ region: "us" }, "https://acme.eu.pagerduty.com/incidents/Q2", "https://api.pagerduty.com"],
    [{ region: "eu" }, "https://acme.pagerduty.com/incidents/Q2", "https://api.eu.pagerduty.com"],
    [{ api: "https://proxy.test/pd/" }, "https://acme.eu.pagerduty.com/", "https://proxy.test/pd"],
    [{ region: "eu", api: "http://proxy.test:8080?" }, "https://acme.pagerduty.com/", "http://proxy.test:8080"]
  ] as const)("with %j and the link %s is at %s", ([more, link, base]) =>
    Effect.gen(function* () {
      const { outgoing, sent } = recorded(() => triggered)
      yield* pagerduty(outgoing).update(update("resolved", { key, from, ...more }, "Q2", linked(link)))
      assert.deepStrictEqual(
        sent.map(({ url }) => url),
        [`${base}/incidents/Q2`, `${base}/incidents/Q2`]
      )
    })
  )

  it.effect("says itself what it does not like", () =>
    Effect.gen(function* () {
      const body = JSON.stringify({
        error: { message: "Invalid Input", errors: [`Requester\n User Not Found ${key}`] }
      })
      const { outgoing } = recorded((_, count) => (count === 0 ? triggered : { status: 400, body }))
      const failed = yield* Effect.flip(pagerduty(outgoing).update(update("acknowledged", { key, from })))
      assert.strictEqual(failed.message, "PagerDuty answered 400: Requester  User Not Found …")
    })
  )

  it.effect("is not told to do anything with a status that is new to us", () =>
    Effect.gen(function* () {
      const { outgoing, sent } = recorded(() => ({ body: '{"incident":{"status":"suspended"}}' }))
      assert.isFalse((yield* Effect.flip(pagerduty(outgoing).update(update("resolved", { key, from })))).isFinal)
      assert.strictEqual(sent.length, 1)
    })
  )
})
