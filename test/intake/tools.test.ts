import { assert, describe, it } from "@effect/vitest"
import { Cause, Effect, Exit, Option, Schema } from "effect"
import { inject } from "vitest"
import { tools } from "../../adapters/alerting/Tools.ts"
import type { Sample } from "../../application/ports/AlertTools.ts"
import { type Decoded, Signal } from "../../domain/oncall/Signal.ts"
import { PostingKind } from "../../domain/oncall/SignalSource.ts"
import { turns } from "../support/Share.ts"
import * as Fixtures from "./Fixtures.ts"
import { filled, payloadsIn } from "./Pasted.ts"
import { many, oddities, places, replaced, without } from "./Mutations.ts"

const encode = Schema.encodeSync(Signal)
const decodeSignal = Schema.decodeUnknownSync(Signal)

const lowered = (headers: Readonly<Record<string, string>> = {}) =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))

/** Catches a translator that throws like one whose effect dies. */
const read = (kind: PostingKind, body: unknown, headers?: Readonly<Record<string, string>>) =>
  Effect.suspend(() => tools[kind].decode({ headers: lowered(headers), json: body }))

const readFixture = (kind: PostingKind, name: string) =>
  read(kind, Fixtures.json(kind, name), Fixtures.expectations(kind)[name]?.headers)

const readSample = (kind: PostingKind, sample: Sample) =>
  read(kind, JSON.parse(JSON.stringify(sample.body)), sample.headers)

const place = { url: "https://gatehouse.example.com/v1/signals/abc", secret: "s3cr3t-of-the-source" }

const identities = ({ signals }: Decoded) => signals.map(({ fingerprint }) => fingerprint).toSorted()

/** Invariants of every decoded delivery. */
const assertSound = ({ ignored, rejected, signals }: Decoded) => {
  for (const signal of signals) {
    assert.isNotEmpty(signal.title.trim())
    assert.isNotEmpty(signal.fingerprint)
    assert.isAtMost(signal.fingerprint.length, 200)
    assert.isAtMost([...signal.title].length, 500)
    if (signal.status === "resolved") assert.isNull(signal.severity)
    assert.deepStrictEqual(decodeSignal(encode(signal)), signal)
  }
  const kept = JSON.stringify([signals.map((signal) => encode(signal)), rejected, ignored])
  assert.notMatch(kept, /(?<!\\)\\u(0000|d[89a-f])/, "holds what cannot be stored")
}

/** Asserts that a body is either decoded or refused as unreadable. */
const assertBears = (
  kind: PostingKind,
  body: unknown,
  headers: Readonly<Record<string, string>> | undefined,
  of: string
) =>
  Effect.map(Effect.exit(read(kind, body, headers)), (exit) => {
    if (Exit.isSuccess(exit)) return assertSound(exit.value)
    const failure = Option.getOrNull(Cause.failureOption(exit.cause))
    assert.strictEqual(failure?._tag, "UnreadableAlert", `${of}: ${Cause.pretty(exit.cause)}`)
    assert.notMatch(failure?.message ?? "", /\0|\p{Surrogate}/u)
  })

describe.each(PostingKind.literals)("%s", (kind) => {
  it("has bodies of a firing and a resolved alert, and says what every body means", () => {
    assert.includeMembers([...Fixtures.names(kind)], ["firing", "resolved"])
    assert.sameMembers([...Fixtures.names(kind)], Object.keys(Fixtures.expectations(kind)))
  })

  it.effect("reads every body as expected", () =>
    Effect.forEach(Object.entries(Fixtures.expectations(kind)), ([name, expected]) =>
      Effect.gen(function* () {
        const got = yield* Effect.either(readFixture(kind, name))
        if (got._tag === "Left") return assert.deepStrictEqual({ unreadable: got.left.message }, expected, name)
        const { headers: _, ...rest } = expected
        const { ignored, rejected, signals } = got.right
        assert.deepStrictEqual(
          { signals: signals.map((signal) => encode(signal)), rejected, ignored },
          { signals: [], rejected: [], ignored: null, ...rest },
          name
        )
        assertSound(got.right)
      })
    )
  )

  it.effect("knows an alert again when it repeats and when it is resolved", () =>
    Effect.gen(function* () {
      const firing = yield* readFixture(kind, "firing")
      assert.isNotEmpty(firing.signals)
      assert.isTrue(firing.signals.every(({ severity, status }) => status === "firing" && severity !== null))
      assert.deepStrictEqual(identities(yield* readFixture(kind, "firing")), identities(firing))
      const resolved = yield* readFixture(kind, "resolved")
      assert.isTrue(resolved.signals.every(({ severity, status }) => status === "resolved" && severity === null))
      assert.deepStrictEqual(identities(resolved), identities(firing))
    })
  )

  it.effect("has samples that it reads itself: one alert that fires, and the same one resolved", () =>
    Effect.gen(function* () {
      const firing = yield* readSample(kind, tools[kind].samples.firing)
      const resolved = yield* readSample(kind, tools[kind].samples.resolved)
      assert.deepStrictEqual(
        firing.signals.map(({ isTest, status }) => [status, isTest]),
        [["firing", false]]
      )
      assert.deepStrictEqual(
        resolved.signals.map(({ status }) => status),
        ["resolved"]
      )
      assert.deepStrictEqual(identities(resolved), identities(firing))
      assertSound(firing)
      assertSound(resolved)
    })
  )

  it("is set up in steps that name the address and no other secret than the source's", () => {
    const steps = tools[kind].setup(place)
    assert.isAbove(steps.length, 2)
    assert.include(steps.join("\n"), place.url)
    assert.notInclude(steps.join("\n"), "undefined")
  })

  it.effect("reads the payload that its steps say to paste as it reads its sample", () =>
    Effect.gen(function* () {
      const sample = tools[kind].samples.firing
      const expected = yield* readSample(kind, sample)
      const told = ({ environment, fingerprint, service, severity, status, title }: Signal) =>
        JSON.stringify({ environment, fingerprint, service, severity, status, title })
      for (const pasted of payloadsIn(tools[kind].setup(place).join("\n"), place.secret)) {
        const payload = filled(pasted, sample.body)
        const { signals } = yield* read(kind, payload, sample.headers)
        // A payload without variables is an alert of its own.
        if (JSON.stringify(payload) === JSON.stringify(pasted)) assert.lengthOf(signals, 1)
        else assert.deepStrictEqual(signals.map(told), expected.signals.map(told))
      }
    })
  )

  it.effect("bears bodies that are nothing of its own", () =>
    Effect.forEach([5, "text", [{}], [[]], { alerts: 5 }, { alerts: [null, 5, [], {}] }, ...oddities], (body) =>
      assertBears(kind, body, tools[kind].samples.firing.headers, "the body")
    )
  )

  it.effect("bears any odd value in any field, and any field missing", () =>
    Effect.forEach(Fixtures.names(kind), (name) => {
      const body = Fixtures.json(kind, name)
      const headers = Fixtures.expectations(kind)[name]?.headers
      return Effect.forEach(turns(places(body), 3), (path, turn) =>
        Effect.gen(function* () {
          const at = `${name}.json at ${path.join(".")}`
          yield* assertBears(kind, without(body, path), headers, `${at}, left out`)
          for (const [index, odd] of oddities.entries())
            // The short form takes one of them, by day.
            if (inject("full") || (index + turn + inject("day")) % oddities.length === 0)
              yield* assertBears(kind, replaced(body, path, odd), headers, `${at}, oddity ${index}`)
        })
      )
    })
  )

  it.effect("bears lists of any length", () =>
    Effect.gen(function* () {
      const body = Fixtures.json(kind, "firing")
      for (const path of turns(places(body)))
        yield* assertBears(
          kind,
          replaced(body, path, many),
          Fixtures.expectations(kind)["firing"]?.headers,
          `many at ${path.join(".")}`
        )
    })
  )
})

describe("events that are no alerts", () => {
  it.effect.each(Fixtures.having("unknown"))("of %s are ignored, not refused", (kind) =>
    Effect.map(readFixture(kind, "unknown"), ({ ignored, signals }) => {
      assert.isEmpty(signals)
      assert.isString(ignored)
    })
  )
})

describe("messages by which people or tools try a connection", () => {
  it.effect.each(Fixtures.having("test"))("of %s wake nobody", (kind) =>
    Effect.map(readFixture(kind, "test"), ({ ignored, signals }) => {
      assert.isTrue(signals.every(({ isTest }) => isTest))
      assert.isTrue(signals.length > 0 || ignored !== null)
    })
  )
})

describe.each(["grafana", "alertmanager"] as const)("a group of %s that was cut off", (kind) => {
  it.effect("is read, and what is missing is told", () =>
    Effect.gen(function* () {
      const body = { ...(tools[kind].samples.firing.body as object), truncatedAlerts: 7 }
      const { ignored, signals } = yield* read(kind, body)
      assert.strictEqual(signals.length, 1)
      assert.match(ignored ?? "", /^7 more alerts of this group were not sent .*to 0$/)
    })
  )
})

describe("an issue of New Relic", () => {
  it.effect("in a state that nobody knows is ignored", () =>
    Effect.gen(function* () {
      const body = { ...(tools.newrelic.samples.firing.body as object), state: "MUTED" }
      const { ignored, signals } = yield* read("newrelic", body)
      assert.deepStrictEqual([signals.length, ignored], [0, "the state 'MUTED' does not say whether an issue is open"])
    })
  )
})
