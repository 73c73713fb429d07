import { assert, describe, it } from "@effect/vitest"
import { Effect, Either, Layer, Redacted } from "effect"
import { layer } from "../../adapters/alerting/ToolApis.ts"
import { Outgoing } from "../../application/ports/Outgoing.ts"
import { SourceApis } from "../../application/ports/SourceApis.ts"
import { SourceKind } from "../../domain/oncall/SignalSource.ts"
import { recorded } from "./LocalOutgoing.ts"
import { from, key } from "./Tools.ts"

const both = ["pagerduty", "opsgenie"] as const

const check = (kind: (typeof both)[number], given: unknown) =>
  Effect.gen(function* () {
    const api = (yield* SourceApis)[kind]
    assert.isDefined(api)
    return api.check(Redacted.make(typeof given === "string" ? given : JSON.stringify(given)))
  }).pipe(Effect.provide(Layer.provide(layer, Layer.succeed(Outgoing, recorded(() => ({})).outgoing))))

describe("credentials of a tool's API", () => {
  it.effect.each([
    ["pagerduty", { key, from }],
    ["pagerduty", { key, from, region: "us" }],
    ["pagerduty", { key, from, region: "eu", api: "https://proxy.acme.test/pd" }],
    ["pagerduty", `\n {"key":"${key}", "from":"${from}"}\n`],
    ["opsgenie", { key }],
    ["opsgenie", { key, region: "us" }],
    ["opsgenie", { key, region: "eu", api: "http://proxy.acme.test:8080/" }],
    ["opsgenie", { key, product: "jsm" }],
    ["opsgenie", { key, product: "jsm", api: "https://proxy.acme.test" }]
  ] as const)("of %s may be %j", ([kind, given]) =>
    Effect.map(check(kind, given), (checked) => assert.isTrue(Either.isRight(checked)))
  )

  it.effect.each([
    ["pagerduty", { key }],
    ["pagerduty", { key, from: "nobody" }],
    ["pagerduty", { key, from: `${from}\r\nX-Key: 1` }],
    ["pagerduty", { key, from, product: "jsm" }],
    ["opsgenie", { key, from }],
    ["opsgenie", { key, product: "opsgenie" }],
    ["opsgenie", { key, product: "jsm", region: "eu" }],
    ...both.flatMap((kind) => {
      const fine = kind === "pagerduty" ? { key, from } : { key }
      const wrong = [
        key,
        "",
        "null",
        `[${JSON.stringify(fine)}]`,
        `{"key":"${key}"`,
        JSON.stringify(key),
        { ...fine, key: undefined },
        { ...fine, key: "" },
        { ...fine, key: 7 },
        { ...fine, key: `${key}\n` },
        { ...fine, key: `${key} ${key}` },
        { ...fine, key: "ключ" },
        { ...fine, region: "au" },
        { ...fine, [key]: key },
        { ...fine, note: key },
        { ...fine, api: "" },
        { ...fine, api: "proxy.acme.test" },
        { ...fine, api: "ftp://proxy.acme.test" },
        { ...fine, api: `https://${key}@proxy.acme.test` },
        { ...fine, api: `https://me:${key}@proxy.acme.test` },
        { ...fine, api: `https://proxy.acme.test/?key=${key}` },
        { ...fine, api: `https://proxy.acme.test/#${key}` }
      ]
      return wrong.map((given) => [kind, given] as const)
    })
  ] as ReadonlyArray<readonly [(typeof both)[number], unknown]>)("of %s may not be %j", ([kind, given]) =>
    Effect.gen(function* () {
      const refused = yield* Effect.flip(yield* check(kind, given))
      assert.include(refused.message, '{"key":"…"')
      assert.include(refused.message, "Nothing is changed.")
      assert.notInclude(JSON.stringify([refused, refused.message, String(refused.stack)]), key)
    })
  )

  it.effect("are for PagerDuty and Opsgenie; no other kind can be written to", () =>
    Effect.gen(function* () {
      const apis = yield* SourceApis
      assert.deepStrictEqual(
        SourceKind.literals.filter((kind) => apis[kind] !== undefined),
        [...both]
      )
    }).pipe(Effect.provide(Layer.provide(layer, Layer.succeed(Outgoing, recorded(() => ({})).outgoing))))
  )
})
