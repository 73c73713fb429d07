import { assert, describe, it } from "@effect/vitest"
import { DateTime, Schema } from "effect"
import { contains, localTime } from "../../../domain/oncall/OnCallHours.ts"
import { Hours } from "../../../domain/oncall/Service.ts"

const read = Schema.decodeUnknownSync(Hours)

/** Parses `fri,sat 22:00-06:00 Europe/Berlin`. */
const hours = (text: string) => {
  const [days = "", window = "", timeZone] = text.split(" ")
  const [start, end] = window.split("-")
  return read({ days: days.split(","), start, end, timeZone })
}

type Row = readonly [at: string, local: string, contained: boolean]

const judge = (text: string, rows: ReadonlyArray<Row>) =>
  describe(text, () => {
    it.each(rows)("%s is %s: %s", (at, local, contained) => {
      const zone = text.split(" ").at(-1)
      assert.strictEqual(localTime(hours(text), DateTime.unsafeMake(at)), `${local} ${zone}`)
      assert.strictEqual(contains(hours(text), DateTime.unsafeMake(at)), contained)
    })
  })

describe("on-call hours", () => {
  it("that are always contain every moment, told in UTC", () => {
    assert.isTrue(contains("always", DateTime.unsafeMake("2026-01-10T05:00:00Z")))
    assert.strictEqual(localTime("always", DateTime.unsafeMake("2026-01-10T05:00:00Z")), "Sat 05:00 UTC")
  })

  describe("begin at their start and end before their end", () => {
    judge("mon,tue,wed,thu,fri 09:00-17:00 UTC", [
      ["2026-01-09T08:59:59.999Z", "Fri 08:59", false],
      ["2026-01-09T09:00:00Z", "Fri 09:00", true],
      ["2026-01-09T16:59:59.999Z", "Fri 16:59", true],
      ["2026-01-09T17:00:00Z", "Fri 17:00", false],
      ["2026-01-10T12:00:00Z", "Sat 12:00", false]
    ])
    judge("sat 00:00-23:59 UTC", [
      ["2026-01-09T23:59:59Z", "Fri 23:59", false],
      ["2026-01-10T00:00:00Z", "Sat 00:00", true],
      ["2026-01-10T23:58:59Z", "Sat 23:58", true],
      ["2026-01-10T23:59:00Z", "Sat 23:59", false]
    ])
  })

  describe("keep the name of the zone as it was typed, and know its clock", () => {
    judge("sat 00:00-06:00 CET", [
      ["2026-01-09T22:59:59Z", "Fri 23:59", false],
      ["2026-07-10T22:00:00Z", "Sat 00:00", true]
    ])
    judge("sat 00:00-06:00 Asia/Kathmandu", [
      ["2026-07-10T18:14:59Z", "Fri 23:59", false],
      ["2026-07-10T18:15:00Z", "Sat 00:00", true]
    ])
    judge("sat 00:00-06:00 europe/berlin", [["2026-07-10T22:00:00Z", "Sat 00:00", true]])
    it.each(["CET", "Asia/Kathmandu", "Asia/Katmandu", "US/Pacific", "europe/berlin", "UTC"])("%s", (zone) =>
      assert.deepInclude(Schema.encodeSync(Hours)(hours(`mon 09:00-17:00 ${zone}`)) as object, { timeZone: zone })
    )
  })

  it.each(["+02:00", "-0500", "Mars/Olympus", "", " ", "Europe/Berlin "])("do not know the zone '%s'", (timeZone) =>
    assert.throws(
      () => read({ days: ["mon"], start: "09:00", end: "17:00", timeZone }),
      `must be an IANA time zone such as Europe/Berlin; got '${timeZone}'`
    )
  )

  it("have each day once, in the order of the week", () => {
    const folded = read({ days: ["sun", "mon", "mon", "sat", "sun"], start: "09:00", end: "17:00", timeZone: "UTC" })
    assert.deepInclude(folded as object, { days: ["mon", "sat", "sun"] })
  })

  describe("past midnight belong to the day they start on", () => {
    judge("fri 22:00-06:00 Europe/Berlin", [
      ["2026-01-09T03:00:00Z", "Fri 04:00", false],
      ["2026-01-09T20:59:59Z", "Fri 21:59", false],
      ["2026-01-09T21:00:00Z", "Fri 22:00", true],
      ["2026-01-09T23:00:00Z", "Sat 00:00", true],
      ["2026-01-10T04:59:59.999Z", "Sat 05:59", true],
      ["2026-01-10T05:00:00Z", "Sat 06:00", false],
      ["2026-01-10T21:00:00Z", "Sat 22:00", false]
    ])
    judge("fri 18:00-00:00 UTC", [
      ["2026-01-09T00:00:00Z", "Fri 00:00", false],
      ["2026-01-09T23:59:00Z", "Fri 23:59", true],
      ["2026-01-10T00:00:00Z", "Sat 00:00", false]
    ])
    judge("sun 22:00-06:00 UTC", [
      ["2026-01-11T05:00:00Z", "Sun 05:00", false],
      ["2026-01-11T22:00:00Z", "Sun 22:00", true],
      ["2026-01-12T05:59:00Z", "Mon 05:59", true],
      ["2026-01-12T06:00:00Z", "Mon 06:00", false]
    ])
    judge("sat 22:00-06:00 UTC", [
      ["2026-01-10T22:00:00Z", "Sat 22:00", true],
      ["2026-01-11T05:59:00Z", "Sun 05:59", true],
      ["2026-01-12T05:59:00Z", "Mon 05:59", false]
    ])
    judge("mon,tue,wed,thu,fri,sat,sun 22:00-06:00 UTC", [
      ["2026-01-11T05:59:00Z", "Sun 05:59", true],
      ["2026-01-11T06:00:00Z", "Sun 06:00", false],
      ["2026-01-11T21:59:00Z", "Sun 21:59", false],
      ["2026-01-11T22:00:00Z", "Sun 22:00", true]
    ])
  })

  describe("that end when they start last a day", () => {
    judge("sat 08:00-08:00 UTC", [
      ["2026-01-10T07:59:00Z", "Sat 07:59", false],
      ["2026-01-10T08:00:00Z", "Sat 08:00", true],
      ["2026-01-11T07:59:00Z", "Sun 07:59", true],
      ["2026-01-11T08:00:00Z", "Sun 08:00", false]
    ])
    judge("sun 00:00-00:00 UTC", [
      ["2026-01-10T23:59:00Z", "Sat 23:59", false],
      ["2026-01-11T00:00:00Z", "Sun 00:00", true],
      ["2026-01-11T23:59:00Z", "Sun 23:59", true],
      ["2026-01-12T00:00:00Z", "Mon 00:00", false]
    ])
    judge("mon,tue,wed,thu,fri,sat,sun 13:37-13:37 Europe/Berlin", [
      ["2026-03-29T01:00:00Z", "Sun 03:00", true],
      ["2026-06-01T11:36:00Z", "Mon 13:36", true],
      ["2026-06-01T11:37:00Z", "Mon 13:37", true]
    ])
  })

  describe("follow the local clock where it skips an hour", () => {
    judge("sun 02:30-03:30 Europe/Berlin", [
      ["2026-03-29T00:59:00Z", "Sun 01:59", false],
      ["2026-03-29T01:00:00Z", "Sun 03:00", true],
      ["2026-03-29T01:30:00Z", "Sun 03:30", false]
    ])
    judge("sat 22:00-02:30 Europe/Berlin", [
      ["2026-03-29T00:59:59Z", "Sun 01:59", true],
      ["2026-03-29T01:00:00Z", "Sun 03:00", false]
    ])
    judge("sun 02:00-03:00 America/New_York", [
      ["2026-03-08T06:59:00Z", "Sun 01:59", false],
      ["2026-03-08T07:00:00Z", "Sun 03:00", false]
    ])
    judge("sat 18:00-18:00 America/New_York", [
      ["2026-03-07T23:00:00Z", "Sat 18:00", true],
      ["2026-03-08T21:59:00Z", "Sun 17:59", true],
      ["2026-03-08T22:00:00Z", "Sun 18:00", false]
    ])
    judge("sun 02:15-02:45 Australia/Lord_Howe", [
      ["2026-10-03T15:29:00Z", "Sun 01:59", false],
      ["2026-10-03T15:30:00Z", "Sun 02:30", true],
      ["2026-10-03T15:45:00Z", "Sun 02:45", false]
    ])
    judge("sat 22:00-02:30 America/St_Johns", [
      ["2026-03-08T05:29:00Z", "Sun 01:59", true],
      ["2026-03-08T05:30:00Z", "Sun 03:00", false]
    ])
  })

  describe("follow the local clock where it repeats an hour", () => {
    judge("sun 02:15-02:45 Europe/Berlin", [
      ["2026-10-25T00:14:00Z", "Sun 02:14", false],
      ["2026-10-25T00:15:00Z", "Sun 02:15", true],
      ["2026-10-25T00:45:00Z", "Sun 02:45", false],
      ["2026-10-25T01:15:00Z", "Sun 02:15", true],
      ["2026-10-25T01:45:00Z", "Sun 02:45", false]
    ])
    judge("sat 22:00-01:30 America/New_York", [
      ["2026-11-01T05:29:00Z", "Sun 01:29", true],
      ["2026-11-01T05:30:00Z", "Sun 01:30", false],
      ["2026-11-01T06:29:00Z", "Sun 01:29", true],
      ["2026-11-01T06:30:00Z", "Sun 01:30", false]
    ])
    judge("sun 01:30-01:45 Australia/Lord_Howe", [
      ["2026-04-04T14:44:00Z", "Sun 01:44", true],
      ["2026-04-04T14:59:00Z", "Sun 01:59", false],
      ["2026-04-04T15:00:00Z", "Sun 01:30", true],
      ["2026-04-04T15:15:00Z", "Sun 01:45", false]
    ])
    judge("sat 20:00-01:00 America/St_Johns", [
      ["2026-11-01T03:29:00Z", "Sun 00:59", true],
      ["2026-11-01T03:30:00Z", "Sun 01:00", false],
      ["2026-11-01T04:30:00Z", "Sun 01:00", false]
    ])
  })

  describe("follow the local weekday where UTC has another", () => {
    judge("mon 09:00-17:00 Pacific/Apia", [
      ["2026-01-11T19:59:00Z", "Mon 08:59", false],
      ["2026-01-11T20:00:00Z", "Mon 09:00", true],
      ["2026-01-12T03:59:00Z", "Mon 16:59", true],
      ["2026-01-12T20:00:00Z", "Tue 09:00", false]
    ])
    judge("sun 18:00-00:00 Pacific/Honolulu", [
      ["2026-01-12T03:59:00Z", "Sun 17:59", false],
      ["2026-01-12T04:00:00Z", "Sun 18:00", true],
      ["2026-01-12T10:00:00Z", "Mon 00:00", false]
    ])
    judge("tue 00:00-00:15 Asia/Katmandu", [
      ["2026-01-12T18:14:00Z", "Mon 23:59", false],
      ["2026-01-12T18:15:00Z", "Tue 00:00", true],
      ["2026-01-12T18:30:00Z", "Tue 00:15", false]
    ])
    judge("wed 09:00-17:00 Asia/Tokyo", [
      ["2026-07-01T00:00:00Z", "Wed 09:00", true],
      ["2026-07-01T08:00:00Z", "Wed 17:00", false]
    ])
  })

  describe("that started on a weekday the local calendar left out still end on the next", () => {
    judge("fri 22:00-06:00 Pacific/Apia", [
      ["2011-12-30T09:59:00Z", "Thu 23:59", false],
      ["2011-12-30T10:00:00Z", "Sat 00:00", true],
      ["2011-12-30T16:00:00Z", "Sat 06:00", false]
    ])
  })
})
