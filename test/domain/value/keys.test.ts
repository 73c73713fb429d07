import { assert, describe, it } from "@effect/vitest"
import { Effect, Either, Option, Schema } from "effect"
import { Hours, OnCallSettings } from "../../../domain/oncall/Service.ts"
import { Url } from "../../../domain/oncall/UptimeCheck.ts"
import * as IncidentKey from "../../../domain/value/IncidentKey.ts"
import { drawMany } from "../../../domain/value/Key.ts"
import { RunKey } from "../../../domain/value/RunKey.ts"
import { Slug, Text, WebAddress } from "../../../domain/value/Text.ts"
import { format, formatOrNull, Timestamp } from "../../../domain/value/Timestamp.ts"
import { make as uuid } from "../../../domain/value/Uuid.ts"
import { validated } from "../../../domain/value/Validated.ts"
import * as Decision from "../../../domain/work/Decision.ts"
import * as Run from "../../../domain/work/Run.ts"
import * as Story from "../../../domain/work/Story.ts"
import { Email } from "../../../domain/workspace/Member.ts"
import * as Team from "../../../domain/workspace/Team.ts"
import { before } from "../Sample.ts"

describe("keys", () => {
  it.each([
    ["a run", Run.parseKey, "RUN-7F3K", "run-7f3k"],
    ["a decision", Decision.parseKey, "Dec-4M2Q", "dec-4m2q"],
    ["an incident", IncidentKey.parseKey, "INC-00zz", "inc-00zz"],
    ["a story", Story.parseKey, "pay-12", "PAY-12"],
    ["a team", Team.parseSlug, "Web-Shop", "web-shop"]
  ] as const)("of %s are found in any case", (_, parse, text, key) => {
    assert.strictEqual(Option.getOrNull<string>(parse(text)), key)
    assert.isNull(Option.getOrNull<string>(parse(`${text}!`)))
  })

  it("of a story are a prefix and a number", () => {
    const key = "PAY-12" as Story.StoryKey
    assert.deepStrictEqual([Story.prefixOf(key), Story.numberOf(key)], ["PAY", 12])
  })

  it.effect("that are drawn together are of their kind, and different", () =>
    Effect.map(drawMany("inc", 3000), (keys) => {
      assert.isTrue(keys.every((key) => /^inc-[0-9a-z]{4}$/.test(key)))
      assert.strictEqual(new Set(keys).size, keys.length)
      assert.isAbove(keys.length, 2900)
    })
  )

  it.effect("without a kind are UUIDs", () =>
    Effect.map(Effect.all([uuid, uuid]), ([one, another]) => {
      assert.match(one, /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)
      assert.notStrictEqual(one, another)
    })
  )
})

const hours = { days: ["mon"], start: "22:00", end: "06:00", timeZone: "Europe/Berlin" }

describe("a value that is refused says what it must be", () => {
  it.each<readonly [Schema.Schema.AnyNoContext, unknown, string]>([
    [RunKey, "run-u", "must be a run key such as run-7f3k"],
    [Decision.DecisionKey, "dec-", "must be a decision key such as dec-4m2q"],
    [Story.StoryKey, "pay-1", "must be a story key such as PAY-12"],
    [Team.KeyPrefix, "1PAY", "must be 1 to 10 of A-Z and 0-9, a letter first"],
    [Slug, "Web Shop", "must be lowercase words joined by hyphens"],
    [Email, "ana", "must be an e-mail address"],
    [Text, "a\0b", "must not hold NUL or lone surrogate characters"],
    [Text, "a\ud800b", "must not hold NUL or lone surrogate characters"],
    [WebAddress, "acme", "must be an http or https address"],
    [WebAddress, "ftp://acme.test", "must be an http or https address"],
    [WebAddress, "view-source+http://acme.test", "must be an http or https address"],
    [WebAddress, "http://", "must be an http or https address"],
    [Url, "https://ana@acme.test", "must have no user name and no password"],
    [Url, "https://:pw@acme.test", "must have no user name and no password"],
    [Timestamp, "today", "must be an ISO 8601 timestamp; got 'today'"],
    [Decision.Note, "😀".repeat(4001), "must be at most 4,000 characters"],
    [Hours, { ...hours, start: "24:00" }, "must be a time of day such as 22:00"],
    [Hours, { ...hours, timeZone: "+02:00" }, "must be an IANA time zone such as Europe/Berlin; got '+02:00'"],
    [
      Hours,
      { ...hours, timeZone: `A${"b".repeat(80)}` },
      `must be an IANA time zone such as Europe/Berlin; got 'A${"b".repeat(78)}…'`
    ]
  ])("%#: %s", (schema, value, message) => {
    const refused = Either.flip(Schema.decodeUnknownEither(schema)(value))
    assert.include(Either.getOrThrow(refused).message, message)
  })

  it.each<readonly [Schema.Schema.AnyNoContext, unknown]>([
    [Text, "plain 😀 text\n"],
    [WebAddress, "http://acme.test"],
    [WebAddress, "https://ä.test/x?y"],
    [Url, "https://acme.test/health?deep=1"],
    [Decision.Note, "😀".repeat(4000)]
  ])("%#: what it may be is kept", (schema, value) =>
    assert.strictEqual(Schema.decodeUnknownSync(schema)(value), value)
  )
})

describe("settings", () => {
  it("that are not given are the cautious ones", () =>
    assert.deepStrictEqual<unknown>(Schema.decodeSync(OnCallSettings)({}), {
      observeOnly: false,
      startFixes: false,
      acknowledgeInSource: false,
      minimumSeverity: "high",
      hours: "always",
      notify: [],
      places: null
    }))

  it("have each day once, in the order of the week", () => {
    const days = ["sun", "mon", "fri", "mon"] as const
    const decoded = Schema.decodeUnknownSync(Hours)({ ...hours, days })
    assert.deepStrictEqual(decoded, { ...hours, days: ["mon", "fri", "sun"] })
    assert.deepStrictEqual<unknown>(Schema.encodeSync(Hours)(decoded), { ...hours, days: ["mon", "fri", "sun"] })
  })
})

describe("an object that is validated", () => {
  const Point = Schema.Struct({ at: Schema.Struct({ x: Schema.Int }) })
  const refuse = (field: string, problem: string) => `${field}: ${problem}`

  it("names the field that is wrong", () => {
    const made = validated(() => Schema.decodeUnknownSync(Point)({ at: { x: "1" } }), refuse)
    assert.strictEqual(Either.getOrThrow(Either.flip(made)), 'at.x: Expected number, actual "1"')
    assert.deepStrictEqual(Either.getOrThrow(validated(() => 1, refuse)), 1)
  })

  it("does not hide a mistake of ours", () =>
    assert.throws(
      () =>
        validated(() => {
          throw new TypeError("ours")
        }, refuse),
      "ours"
    ))
})

it("a time is written with three fraction digits; none is null", () => {
  assert.strictEqual(formatOrNull(before), "2026-03-01T10:00:00.000Z")
  assert.isNull(formatOrNull(null))
  assert.strictEqual(Schema.encodeSync(Timestamp)(before), format(before))
})
