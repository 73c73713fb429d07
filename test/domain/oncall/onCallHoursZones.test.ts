import { assert, describe, inject, it } from "@effect/vitest"
import { DateTime, FastCheck, Schema } from "effect"
import { setImmediate } from "node:timers/promises"
import { Temporal } from "temporal-polyfill"
import { contains, localTime } from "../../../domain/oncall/OnCallHours.ts"
import { Hours } from "../../../domain/oncall/Service.ts"
import { turns } from "../../support/Share.ts"

const full = inject("full")

/** Zones with quarter-hour offsets, changes of half an hour or two, at midnight, twice within weeks, or none at all. */
const oddZones = `Africa/Cairo Africa/Casablanca America/Havana America/New_York America/Nuuk America/Santiago
  America/Scoresbysund America/St_Johns Antarctica/Troll Asia/Beirut Asia/Gaza Asia/Jerusalem Asia/Katmandu
  Atlantic/Azores Australia/Lord_Howe Europe/Berlin Europe/Dublin Pacific/Apia Pacific/Chatham Pacific/Easter`
const zones = full ? Intl.supportedValuesOf("timeZone") : turns(oddZones.split(/\s+/), 4)

const week = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"] as const
interface Window {
  readonly days: ReadonlyArray<(typeof week)[number]>
  readonly start: string
  readonly end: string
}
const windows: ReadonlyArray<Window> = [
  { days: ["fri", "sat"], start: "22:00", end: "06:00" },
  { days: ["sun"], start: "00:00", end: "00:00" },
  { days: ["sun", "thu"], start: "00:30", end: "02:30" },
  { days: week, start: "23:30", end: "00:30" },
  { days: ["sat", "thu"], start: "12:00", end: "12:00" }
]
const time = FastCheck.integer({ min: 0, max: 24 * 60 - 1 }).map((minutes) =>
  Temporal.PlainTime.from("00:00").add({ minutes }).toString({ smallestUnit: "minute" })
)
const anyWindow: FastCheck.Arbitrary<Window> = FastCheck.tuple(
  FastCheck.subarray([...week], { minLength: 1 }),
  time,
  FastCheck.option(time)
).map(([days, start, end]) => ({ days, start, end: end ?? start }))

const minute = 60_000
const from = Temporal.Instant.from("2025-01-01T00:00Z").epochMilliseconds
const until = Temporal.Instant.from("2027-01-01T00:00Z").epochMilliseconds

const localAt = (zone: string, at: number) => Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(zone)

const changesOf = (zone: string) => {
  const changes: Array<Temporal.ZonedDateTime> = []
  let next = localAt(zone, from).getTimeZoneTransition("next")
  for (; next !== null && next.epochMilliseconds < until; next = next.getTimeZoneTransition("next")) changes.push(next)
  return changes
}

/** Local start and end of the window on each of its weekdays within these days. */
const openings = (window: Window, first: Temporal.PlainDate, days: number) =>
  Array.from({ length: days }, (_, later) => first.add({ days: later }))
    .filter(({ dayOfWeek }) => window.days.some((day) => week.indexOf(day) === dayOfWeek - 1))
    .map((date) => ({
      opens: date.toPlainDateTime(window.start),
      closes: date.add({ days: window.end > window.start ? 0 : 1 }).toPlainDateTime(window.end)
    }))
type Openings = ReturnType<typeof openings>

const isWithin = (among: Openings, local: Temporal.PlainDateTime) =>
  among.some(
    ({ closes, opens }) =>
      Temporal.PlainDateTime.compare(opens, local) <= 0 && Temporal.PlainDateTime.compare(local, closes) < 0
  )

/** The moments a window opens or closes, both moments of repeated times, and their neighbours. */
const edges = (among: Openings, zone: string) => {
  const moments = among
    .flatMap(({ closes, opens }) => [opens, closes])
    .flatMap((edge) =>
      (["earlier", "later"] as const).map(
        (disambiguation) => edge.toZonedDateTime(zone, { disambiguation }).epochMilliseconds
      )
    )
  return [...new Set(moments)].flatMap((edge) => [edge - minute, edge - 1, edge, edge + minute])
}

const read = Schema.decodeUnknownSync(Hours)
const moments = FastCheck.tuple(FastCheck.integer({ min: from, max: until }), anyWindow)

describe("on-call hours", () => {
  it("agree with Temporal around every change of every zone's offset, and at random", async ({ task }) => {
    let changes = 0
    let judged = 0
    for (const zone of zones) {
      // The runner gives up on a test that blocks the event loop for a minute.
      await setImmediate()
      const judge = (hours: typeof Hours.Type, at: number, local: Temporal.PlainDateTime, among: Openings) => {
        judged++
        const expected = isWithin(among, local)
        if (contains(hours, DateTime.unsafeMake(at)) !== expected)
          assert.fail(`${JSON.stringify(hours)} at ${at}, ${local}: should be ${expected}`)
      }
      const known = windows.map((window) => ({ window, hours: read({ ...window, timeZone: zone }) }))
      for (const change of changesOf(zone)) {
        const near = known.map(({ hours, window }) => {
          const among = openings(window, change.toPlainDate().subtract({ days: 3 }), 6)
          return { hours, among }
        })
        const inTurn = (turn: number) => near.filter((_, index) => full || index === turn % near.length)
        for (let turn = 0; turn <= 52 * 12; turn += full ? 1 : 3) {
          const at = change.epochMilliseconds + (turn * 5 - 26 * 60) * minute
          const local = localAt(zone, at).toPlainDateTime()
          for (const { among, hours } of inTurn(turn)) judge(hours, at, local, among)
        }
        for (const { among, hours } of near)
          for (const at of edges(among, zone)) judge(hours, at, localAt(zone, at).toPlainDateTime(), among)
        changes++
      }
      for (const [at, window] of FastCheck.sample(moments, { numRuns: full ? 1000 : 100, seed: 7 })) {
        const local = localAt(zone, at).toPlainDateTime()
        const among = openings(window, local.toPlainDate().subtract({ days: 1 }), 2)
        judge(read({ ...window, timeZone: zone }), at, local, among)
      }
    }
    task.meta.figures = `${zones.length} zones, ${changes} changes of an offset, ${judged.toLocaleString("en")} moments judged`
  }, 600_000)

  it("tell the local time Temporal tells", () => {
    for (const zone of zones) {
      const hours = read({ ...windows[0], timeZone: zone })
      for (const at of FastCheck.sample(FastCheck.integer({ min: from, max: until }), { numRuns: 20, seed: 7 })) {
        const local = localAt(zone, at)
        const [day = ""] = week.slice(local.dayOfWeek - 1)
        const clock = local.toPlainTime().toString({ smallestUnit: "minute" })
        assert.match(localTime(hours, DateTime.unsafeMake(at)), new RegExp(`^${day} ${clock} \\S+$`, "i"))
      }
    }
  })
})
