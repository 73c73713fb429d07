import { DateTime } from "effect"
import { assert, describe, it } from "vitest"
import { contains, nextChange, outlook, weekOf } from "../../../domain/oncall/OnCallHours.ts"
import type { Hours } from "../../../domain/oncall/Service.ts"

type Some = Exclude<typeof Hours.Type, "always">

const berlin: Some = {
  days: ["mon", "tue", "wed", "thu", "fri"],
  start: "22:00",
  end: "06:00",
  timeZone: "Europe/Berlin"
}
const everyNight: Some = { ...berlin, days: ["mon", "tue", "wed", "thu", "fri", "sat", "sun"] }
const office: Some = { ...berlin, start: "09:00", end: "17:00" }

const cases: ReadonlyArray<
  readonly [what: string, hours: typeof Hours.Type, at: string, words: ReadonlyArray<string>]
> = [
  [
    "off, on tonight",
    berlin,
    "2026-11-10T09:42:00Z",
    [
      "Off until tonight.",
      "It is Tuesday 10:42 in Berlin.",
      "Next change: today at 22:00, in 11 h 18 min; on until tomorrow 06:00."
    ]
  ],
  [
    "on after midnight in the window of the day before",
    berlin,
    "2026-11-14T01:00:30Z",
    [
      "On until today 06:00.",
      "It is Saturday 02:00 in Berlin.",
      "Next change: today at 06:00, in 4 h; off until Monday 22:00."
    ]
  ],
  [
    "off over the weekend",
    berlin,
    "2026-11-14T05:00:00Z",
    [
      "Off until Monday 22:00.",
      "It is Saturday 06:00 in Berlin.",
      "Next change: Monday at 22:00, in 2 days 16 h; on until Tuesday 06:00."
    ]
  ],
  [
    "within the day",
    office,
    "2026-11-10T08:00:00Z",
    [
      "On until today 17:00.",
      "It is Tuesday 09:00 in Berlin.",
      "Next change: today at 17:00, in 8 h; off until tomorrow 09:00."
    ]
  ],
  [
    "the night in which the clock goes forward is an hour shorter",
    everyNight,
    "2026-03-28T20:00:00Z",
    [
      "Off until tonight.",
      "It is Saturday 21:00 in Berlin.",
      "Next change: today at 22:00, in 1 h; on until tomorrow 06:00. The clock changes in that window."
    ]
  ],
  [
    "within the night in which the clock goes back",
    everyNight,
    "2026-10-24T23:30:00Z",
    [
      "On until today 06:00.",
      "It is Sunday 01:30 in Berlin.",
      "Next change: today at 06:00, in 5 h 30 min; off until today 22:00. The clock changes before then."
    ]
  ],
  [
    "a start that the clock skips begins when the clock goes on",
    { ...everyNight, start: "02:30", end: "05:00" },
    "2026-03-29T00:30:00Z",
    [
      "Off until today 03:00.",
      "It is Sunday 01:30 in Berlin.",
      "Next change: today at 03:00, in 30 min; on until today 05:00."
    ]
  ],
  [
    "an end that the clock shows twice",
    { ...everyNight, start: "01:00", end: "02:30" },
    "2026-10-25T00:29:00Z",
    [
      "On until today 02:30.",
      "It is Sunday 02:29 in Berlin.",
      "Next change: today at 02:30, in 1 min; off until today 02:00."
    ]
  ],
  ["always", "always", "2026-11-10T09:42:00Z", ["Always on.", "It is Tuesday 09:42 in UTC.", ""]],
  [
    "every minute of the week",
    { ...everyNight, start: "08:00", end: "08:00" },
    "2026-11-10T09:42:00Z",
    ["Always on.", "It is Tuesday 10:42 in Berlin.", ""]
  ],
  [
    "one day a week, 24 hours",
    { ...berlin, days: ["tue"], start: "10:42", end: "10:42" },
    "2026-11-11T09:42:00Z",
    [
      "Off until Tuesday 10:42.",
      "It is Wednesday 10:42 in Berlin.",
      "Next change: Tuesday at 10:42, in 6 days; on until next Wednesday 10:42."
    ]
  ],
  [
    "the end of a month and another hemisphere",
    { ...office, timeZone: "America/New_York" },
    "2026-12-31T23:00:00Z",
    [
      "Off until tomorrow 09:00.",
      "It is Thursday 18:00 in New York.",
      "Next change: tomorrow at 09:00, in 15 h; on until tomorrow 17:00."
    ]
  ]
]

describe("the outlook of on-call hours", () => {
  it.each(cases)("%s", (_, hours, at, words) => {
    const { next, now, state } = outlook(hours, DateTime.unsafeMake(at))
    assert.deepStrictEqual([state, now, next ?? ""], words)
  })

  const minute = 60_000

  it.each([
    ["2026-03-27T00:00:00Z", berlin],
    ["2026-10-23T00:00:00Z", everyNight],
    ["2026-10-24T12:00:00Z", { ...everyNight, start: "01:00", end: "02:30" }],
    ["2026-03-28T12:00:00Z", { ...everyNight, start: "02:10", end: "02:50" }],
    ["2026-04-03T00:00:00Z", { ...office, timeZone: "Australia/Lord_Howe" }]
  ] as ReadonlyArray<readonly [string, Some]>)("from %s changes are where the minutes differ", (from, hours) => {
    const start = Date.parse(from)
    const on = Array.from({ length: 3 * 1440 }, (_, index) =>
      contains(hours, DateTime.unsafeMake(start + index * minute))
    )
    const flips = on.flatMap((now, index) => (index > 0 && now !== on[index - 1] ? [start + index * minute] : []))
    const found: Array<number> = []
    for (let at = nextChange(hours, DateTime.unsafeMake(start)); at !== null; at = nextChange(hours, at)) {
      if (at.epochMillis > start + on.length * minute) break
      found.push(at.epochMillis)
    }
    assert.deepStrictEqual(found.slice(0, flips.length), flips)
  })
})

describe("the week of on-call hours", () => {
  it("an overnight window belongs to the day it starts, and goes on in the morning after", () => {
    assert.deepStrictEqual(
      weekOf(berlin).map(({ name, parts, window }) => [name, parts.map(({ from, to }) => [from, to]), window]),
      [
        ["Mon", [[1320, 1440]], "22:00 to Tue 06:00"],
        [
          "Tue",
          [
            [0, 360],
            [1320, 1440]
          ],
          "22:00 to Wed 06:00"
        ],
        [
          "Wed",
          [
            [0, 360],
            [1320, 1440]
          ],
          "22:00 to Thu 06:00"
        ],
        [
          "Thu",
          [
            [0, 360],
            [1320, 1440]
          ],
          "22:00 to Fri 06:00"
        ],
        [
          "Fri",
          [
            [0, 360],
            [1320, 1440]
          ],
          "22:00 to Sat 06:00"
        ],
        ["Sat", [[0, 360]], null],
        ["Sun", [], null]
      ]
    )
  })

  it("every minute drawn is a minute on call, and no other", () => {
    for (const hours of [berlin, office, everyNight, { ...berlin, end: "00:00" }, { ...berlin, start: "06:00" }])
      for (const [index, { parts }] of weekOf(hours).entries())
        for (let minute = 0; minute < 1440; minute += 30) {
          const at = DateTime.unsafeMake(Date.parse("2026-11-09T00:00:00+01:00") + (index * 1440 + minute) * 60_000)
          const isDrawn = parts.some(({ from, to }) => minute >= from && minute < to)
          assert.strictEqual(isDrawn, contains(hours, at), `${hours.start} ${index} ${minute}`)
        }
  })

  it("always is every day", () => {
    assert.deepStrictEqual([...new Set(weekOf("always").map(({ window }) => window))], ["all day"])
  })
})
