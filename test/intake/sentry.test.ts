import { assert, describe, it } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import { sentry } from "../../adapters/alerting/sentry/Sentry.ts"
import { altered, at, expecting, ignoredFor, noCloud, only, post, problemOf } from "./Delivering.ts"
import { bytes, json } from "./Fixtures.ts"

const signature = "cf93465f1c7cfb750c1a26ead212592fe07e9cacdb4575306573071258235ae4"

const proof = (header: string, headers: Readonly<Record<string, string>> = {}) =>
  noCloud(
    sentry.proof(
      post(bytes("sentry/firing"), { "sentry-hook-signature": header, ...headers }),
      expecting(["sentry-client-secret-0001"])
    )
  )

/** 2026-11-14T13:50:00Z */
const sent = "1794664200"

const hook = (resource: string) => ({ "sentry-hook-resource": resource, "sentry-hook-timestamp": sent })

const metric = (changes: unknown) => altered(json("sentry", "firing"), changes)
const eventAlert = (changes: unknown) => altered(json("sentry", "issuealert-firing"), { data: { event: changes } })
const issue = (action: string, changes: unknown = {}) => ({
  action,
  data: {
    issue: altered(
      {
        id: "5512093377",
        shortId: "CHECKOUT-WEB-4C",
        title: "TypeError: card is undefined",
        culprit: "/cart/pay",
        level: "fatal",
        priority: "high",
        project: { id: "4507001", slug: "checkout-web" },
        firstSeen: "2026-11-14T13:12:41.882000Z",
        web_url: "https://acme.sentry.io/organizations/acme/issues/5512093377/"
      },
      changes
    )
  }
})

describe("a delivery of Sentry", () => {
  it.effect("is proven by the signature of its bytes and named by Request-ID", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* proof(signature), { delivery: null })
      assert.deepStrictEqual(yield* proof(signature.toUpperCase(), { "request-id": "5f3c" }), { delivery: "id 5f3c" })
    })
  )

  it.effect.each(["", `sha256=${signature}`, `v1=${signature}`, "0".repeat(64), `${signature},${signature}`])(
    "is refused with the signature '%s'",
    (header) => Effect.map(Effect.flip(proof(header)), ({ _tag }) => assert.strictEqual(_tag, "InvalidProof"))
  )
})

describe("a metric alert", () => {
  it.effect.each([
    ["critical", "firing", "critical"],
    ["warning", "firing", "medium"],
    ["open", "firing", "medium"],
    ["resolved", "resolved", null]
  ] as const)("with the action %s is %s", ([action, status, severity]) =>
    Effect.map(only(sentry, metric({ action }), hook("metric_alert")), (signal) => {
      assert.strictEqual(signal.status, status)
      assert.strictEqual(signal.severity, severity)
      assert.strictEqual(signal.fingerprint, "metric:88213")
    })
  )

  it.effect("is dated by itself, and when it ended by the hook if it does not say", () =>
    Effect.gen(function* () {
      assert.strictEqual(at(yield* only(sentry, metric({}), hook("metric_alert"))), "2026-11-14T13:10:00.000Z")
      const closed = yield* only(sentry, json("sentry", "resolved"), hook("metric_alert"))
      assert.strictEqual(at(closed), "2026-11-14T13:36:00.000Z")
      const undated = yield* only(sentry, metric({ action: "resolved" }), hook("metric_alert"))
      assert.strictEqual(at(undated), "2026-11-14T13:50:00.000Z")
      assert.deepStrictEqual(undated.endedAt, DateTime.unsafeMake("2026-11-14T13:50:00Z"))
    })
  )

  it.effect("with an action nobody knows is ignored", () =>
    Effect.map(ignoredFor(sentry, metric({ action: "muted" }), hook("metric_alert")), (why) =>
      assert.include(why, "'muted'")
    )
  )
})

describe("an issue alert and its issue", () => {
  it.effect("are one alert, so that the issue's end is the alert's", () =>
    Effect.gen(function* () {
      const firing = yield* only(sentry, eventAlert({}), hook("event_alert"))
      const over = yield* only(sentry, issue("resolved"), hook("issue"))
      assert.deepStrictEqual([firing.status, over.status], ["firing", "resolved"])
      assert.strictEqual(firing.fingerprint, over.fingerprint)
      assert.strictEqual(firing.fingerprint, "issue:5512093377")
      assert.strictEqual(at(firing), "2026-11-14T13:12:41.882Z")
      assert.strictEqual(at(over), "2026-11-14T13:50:00.000Z")
    })
  )

  it.effect.each([
    ["created", "firing", false],
    ["unresolved", "firing", true],
    ["resolved", "resolved", false],
    ["archived", "resolved", false],
    ["ignored", "resolved", false]
  ] as const)("by the action %s of the issue is %s", ([action, status, isReopening]) =>
    Effect.map(only(sentry, issue(action), hook("issue")), (signal) => {
      assert.strictEqual(signal.status, status)
      assert.strictEqual(signal.isReopening, isReopening)
      assert.strictEqual(signal.severity, status === "firing" ? "critical" : null)
    })
  )

  it.effect.each(["assigned", "commented"])("says nothing by %s", (action) =>
    Effect.map(ignoredFor(sentry, issue(action), hook("issue")), assert.isNotNull)
  )

  it.effect.each([
    ["fatal", "critical"],
    ["error", "high"],
    ["warning", "medium"],
    ["info", "info"],
    ["debug", "info"],
    ["sample", "info"]
  ] as const)("of the level %s is %s", ([level, severity]) =>
    Effect.gen(function* () {
      assert.strictEqual((yield* only(sentry, eventAlert({ level }), hook("event_alert"))).severity, severity)
      assert.strictEqual((yield* only(sentry, issue("created", { level }), hook("issue"))).severity, severity)
    })
  )

  it.effect("without a level has the issue's priority", () =>
    Effect.map(only(sentry, issue("created", { level: null, priority: "low" }), hook("issue")), ({ severity }) =>
      assert.strictEqual(severity, "low")
    )
  )

  it.effect("is of the project in its address, else of the service its tags name", () =>
    Effect.gen(function* () {
      const service = (changes: unknown) =>
        Effect.map(only(sentry, eventAlert(changes), hook("event_alert")), (signal) => signal.service)
      assert.strictEqual(yield* service({}), "checkout-web")
      assert.strictEqual(yield* service({ url: null }), "web-1")
      assert.strictEqual(
        yield* service({
          url: null,
          tags: [
            ["server_name", "web-1"],
            ["service", "pay"]
          ]
        }),
        "pay"
      )
    })
  )

  it.effect("made of Sentry's sample event wakes nobody", () =>
    Effect.map(only(sentry, eventAlert({ tags: [["sample_event", "yes"]] }), hook("event_alert")), ({ isTest }) =>
      assert.isTrue(isTest)
    )
  )
})

describe("a hook of Sentry", () => {
  it.effect.each(["installation", "error", "comment", "activity_alert", "seer", "preprod_artifact", "__proto__"])(
    "about %s is ignored",
    (resource) => Effect.map(ignoredFor(sentry, json("sentry", "test"), hook(resource)), assert.isNotNull)
  )

  it.effect("that does not say what it is about is refused", () =>
    Effect.map(problemOf(sentry, json("sentry", "firing")), (problem) =>
      assert.include(problem, "Sentry-Hook-Resource")
    )
  )
})
