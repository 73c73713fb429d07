import { assert, describe, it } from "@effect/vitest"
import { DateTime, FastCheck, Option } from "effect"
import { format, parse } from "../../../domain/value/Timestamp.ts"

const read = (text: string) => Option.getOrNull(Option.map(parse(text), format))

describe("timestamps", () => {
  it.each([
    ["2026-02-28", "2026-02-28T00:00:00.000Z"],
    ["2024-02-29", "2024-02-29T00:00:00.000Z"],
    ["2000-02-29", "2000-02-29T00:00:00.000Z"],
    ["2026-01-31T23:59:59Z", "2026-01-31T23:59:59.000Z"],
    ["2026-01-31T23:59", "2026-01-31T23:59:00.000Z"],
    ["2026-06-01T12:00:00+02:00", "2026-06-01T10:00:00.000Z"],
    ["2026-06-01T12:00:00.123456Z", "2026-06-01T12:00:00.123Z"],
    ["0001-01-01", "0001-01-01T00:00:00.000Z"],
    ["9999-12-31T23:59:59.999Z", "9999-12-31T23:59:59.999Z"]
  ])("%s is read as %s", (text, expected) => assert.strictEqual(read(text), expected))

  it.each([
    "",
    "today",
    "2026-02-29",
    "1900-02-29",
    "2026-00-10",
    "2026-01-00",
    "0001-01-01T00:00:00+05:00",
    "2026-13-01",
    "2026-04-31",
    "2026-1-1",
    "2026-01-01T24:30:00Z",
    "2026-01-01T10:61:00Z",
    "2026-01-01 10:00",
    "0000-01-01",
    "+012026-01-01T00:00:00Z",
    "9999-12-31T23:59:59-05:00",
    "2026-01-01T00:00:00+25:00",
    "1767225600"
  ])("'%s' is not a timestamp", (text) => assert.isNull(read(text)))

  it("what is written is read back the same, with three fraction digits", () =>
    FastCheck.assert(
      FastCheck.property(FastCheck.integer({ min: -62135596800000, max: 253402300799999 }), (millis) => {
        const text = format(DateTime.unsafeMake(millis))
        assert.match(text, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
        assert.strictEqual(read(text), text)
      })
    ))
})
