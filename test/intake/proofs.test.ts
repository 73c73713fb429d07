import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { inject } from "vitest"
import { assertRefused, type Attempt, flipped, isSignature, isTimestamp, prove, refusal, vectors } from "./Proving.ts"
import { turns } from "../support/Share.ts"

const withHeader = (attempt: Attempt, is: (name: string) => boolean, change: (value: string) => string): Attempt => ({
  ...attempt,
  headers: Object.fromEntries(
    Object.entries(attempt.headers).map(([name, value]) => [name, is(name) ? change(value) : value])
  )
})

/** Every index in the long form, some of them in the short one; the last always. */
const some = (length: number, step: number) => {
  const stride = inject("full") ? 1 : step
  return [...new Set([...Array.from({ length: Math.ceil(length / stride) }, (_, index) => index * stride), length - 1])]
}

describe.each(turns(vectors, 3))("$name", (vector) => {
  it.effect("is proven", () => prove(vector))

  it.effect("is refused with any byte of the body another", () =>
    Effect.forEach(some(vector.body.length, 197), (index) =>
      assertRefused({ ...vector, body: vector.body.map((byte, at) => (at === index ? byte ^ 1 : byte)) })
    )
  )

  it.effect("is refused with the body cut or longer", () =>
    Effect.all([
      assertRefused({ ...vector, body: vector.body.slice(0, -1) }),
      assertRefused({ ...vector, body: new Uint8Array([...vector.body, 10]) }),
      assertRefused({ ...vector, body: new Uint8Array() })
    ])
  )

  it.effect("is refused with any digit of the signature another", () =>
    Effect.forEach(some(64, 9), (index) =>
      assertRefused(withHeader(vector, isSignature, (value) => flipped(value, value.length - 1 - index)))
    )
  )

  it.effect("is refused with any character of the secret another", () =>
    Effect.forEach(vector.secrets, (secret) =>
      Effect.forEach(some(secret.length, 5), (index) => assertRefused({ ...vector, secrets: [flipped(secret, index)] }))
    )
  )

  it.effect("is refused with any digit of a signed time another, and with the time left out or made up", () =>
    Effect.gen(function* () {
      for (const index of vector.isDated ? some(10, 1) : [])
        yield* assertRefused(
          withHeader(vector, isTimestamp, (value) => flipped(value, index)),
          "InvalidProof",
          "TimestampOutOfWindow"
        )
      const undated = Object.entries(vector.headers).filter(([name]) => !isTimestamp(name))
      if (vector.isDated) yield* assertRefused({ ...vector, headers: Object.fromEntries(undated) })
      const made = { generic: "X-Service-Timestamp", grafana: "X-Grafana-Alerting-Timestamp" }
      const header = vector.kind === "generic" || vector.kind === "grafana" ? made[vector.kind] : null
      if (!vector.isDated && header !== null)
        yield* assertRefused({ ...vector, headers: { ...vector.headers, [header]: String(vector.at) } })
    })
  )

  it.effect("passes in upper case, and by either of two secrets", () =>
    Effect.all([
      prove(withHeader(vector, isSignature, (value) => value.replace(/[0-9a-f]{64}$/, (hex) => hex.toUpperCase()))),
      prove({ ...vector, secrets: ["another", ...vector.secrets] }),
      prove({ ...vector, secrets: [...vector.secrets, "another"] }),
      assertRefused({ ...vector, secrets: ["another", "and another"] }),
      assertRefused({ ...vector, secrets: [] })
    ])
  )

  it.effect("is refused without its signature, or with one of another form", () =>
    Effect.gen(function* () {
      const none = Object.entries(vector.headers).filter(([name]) => !isSignature(name))
      yield* assertRefused({ ...vector, headers: Object.fromEntries(none) })
      const forms = [() => "", (v: string) => v.slice(0, -1), (v: string) => `${v}0`, (v: string) => `md5=${v}`]
      for (const form of forms) yield* assertRefused(withHeader(vector, isSignature, form))
      yield* assertRefused(withHeader(vector, isSignature, (value) => value.replace(/.$/, "g")))
    })
  )
})

const dated = vectors.filter(({ isDated }) => isDated)

describe.each(dated)("the time of $name", (vector) => {
  const off = (seconds: number) => ({ ...vector, at: vector.at + seconds })

  it.effect("may be off by 300 s to either side", () => Effect.all([prove(off(300)), prove(off(-300))]))

  it.effect.each([301, -301, 300.001, -300.001, 86_400])("is refused when off by %s s", (seconds) =>
    Effect.map(refusal(off(seconds)), (error) => {
      assert.strictEqual(error._tag, "TimestampOutOfWindow")
      assert.include(error.message, seconds > 0 ? "old" : "ahead")
      assert.notInclude(error.message, "is 300 s")
      assert.include(error.message, "Timestamp")
    })
  )

  it.effect("must be whole unix seconds", () =>
    Effect.forEach(["", "now", "1.5", "-1", `${vector.at}000`, `0x${vector.at.toString(16)}`], (text) =>
      assertRefused(withHeader(vector, isTimestamp, () => text))
    )
  )

  it.effect("makes the signature name the delivery, in whatever case", () =>
    Effect.gen(function* () {
      const { delivery } = yield* prove(vector)
      assert.isString(delivery)
      assert.strictEqual((yield* prove(off(60))).delivery, delivery)
      const upper = withHeader(vector, isSignature, (value) =>
        value.replace(/[0-9a-f]{64}$/, (hex) => hex.toUpperCase())
      )
      assert.strictEqual((yield* prove(upper)).delivery, delivery)
      const others = yield* Effect.forEach(
        dated.filter((other) => other !== vector),
        prove
      )
      assert.notInclude(
        others.map((other) => other.delivery),
        delivery
      )
    })
  )
})

describe("sources that require a signed time", () => {
  it.effect.each(vectors.filter(({ kind }) => kind === "generic" || kind === "grafana"))("$name", (vector) =>
    Effect.gen(function* () {
      const attempt = { ...vector, isTimestampRequired: true }
      if (vector.isDated) yield* prove(attempt)
      else yield* assertRefused(attempt)
    })
  )
})

describe("deliveries", () => {
  it.effect("have the name the tool gave them, or none", () =>
    Effect.gen(function* () {
      for (const [kind, header] of [
        ["pagerduty", "X-Webhook-Id"],
        ["sentry", "Request-ID"]
      ] as const) {
        const vector = vectors.find((one) => one.kind === kind)
        assert.isDefined(vector)
        if (vector === undefined) continue
        const named = (id: string) => prove({ ...vector, headers: { ...vector.headers, [header]: id } })
        assert.isNull((yield* prove(vector)).delivery)
        assert.isString((yield* named("0b5c3d18")).delivery)
        assert.deepStrictEqual(yield* named("0b5c3d18"), yield* named("0b5c3d18"))
        assert.notDeepEqual(yield* named("0b5c3d18"), yield* named("0b5c3d19"))
      }
    })
  )

  it.effect("without a signed time and a name of their own are nameless", () =>
    Effect.forEach(vectors, (vector) =>
      Effect.map(prove(vector), ({ delivery }) => assert.strictEqual(delivery === null, !vector.isDated, vector.name))
    )
  )
})
