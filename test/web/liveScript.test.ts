import { assert, describe, it } from "vitest"
import { type Heard, visit } from "./LivePages.ts"

const pages = 500

/** Pages of which nothing happens by itself: their streams are told events, and their waits are noted. */
const still = () => {
  const waits: Array<readonly [act: () => void, milliseconds: number]> = []
  const opened: Array<string> = []
  const fetched: Array<string> = []
  let tell: (heard: Heard) => void = () => {}
  visit({
    stream: "/live/acme",
    after: "7",
    open: (address, told) => {
      opened.push(address)
      tell = told
      return () => {}
    },
    later: (act, milliseconds) => void waits.push([act, milliseconds]),
    parts: ["decisions incidents", "dec-aaaa"].map((topics) => ({ topics, fetch: () => void fetched.push(topics) }))
  })
  const hear = (type: string, data = "", lastEventId = "") => tell({ type, data, lastEventId })
  /** All waits, after which it goes on. */
  const wait = () =>
    waits.splice(0).map(([act, milliseconds]) => {
      act()
      return milliseconds
    })
  return { hear, wait, opened, fetched }
}

const all = () => Array.from({ length: pages }, still)

/** The largest number of waits that end within a tenth of the range. */
const crowd = (waits: ReadonlyArray<number>, from: number, to: number) => {
  const tenths = Array.from({ length: 10 }, () => 0)
  for (const wait of waits) {
    assert.isAtLeast(wait, from)
    assert.isAtMost(wait, to)
    const tenth = Math.min(9, Math.floor(((wait - from) / (to - from)) * 10))
    tenths[tenth] = (tenths[tenth] ?? 0) + 1
  }
  return Math.max(...tenths)
}

describe("the script of live pages", () => {
  it("pages that lose their stream at once come back spread out, later each time, and go on where they were", ({
    task
  }) => {
    const open = all()
    const figures: Array<string> = []
    for (const [from, to] of [
      [500, 1500],
      [1000, 3000],
      [2000, 6000],
      [4000, 12_000],
      [8000, 24_000],
      [15_000, 45_000],
      [15_000, 45_000]
    ] as const) {
      for (const page of open) page.hear("error")
      const most = crowd(
        open.flatMap((page) => page.wait()),
        from,
        to
      )
      // A tenth of the pages is expected in each tenth of the time.
      assert.isBelow(most, pages / 5)
      figures.push(`${from / 1000} to ${to / 1000} s`)
    }
    for (const page of open) page.hear("change", "teams", "9")
    for (const page of open) page.wait()
    for (const page of open) page.hear("error")
    crowd(
      open.flatMap((page) => page.wait()),
      500,
      1500
    )
    for (const { opened } of open)
      assert.deepStrictEqual(opened, [...Array.from({ length: 8 }, () => "/live/acme?after=7"), "/live/acme?after=9"])
    task.meta.figures = `${pages} pages that lose their stream come back after ${figures.slice(0, 6).join(", then ")}`
  })

  it.each([
    ["one object soon", "change", "dec-aaaa", ["dec-aaaa"], 300],
    ["a list in turn", "change", "incidents", ["decisions incidents"], 5000],
    ["everything in turn when too much was missed", "reset", "", ["decisions incidents", "dec-aaaa"], 5000]
  ])("pages that hear of a change at once fetch %s, spread out", (_, type, data, parts, within) => {
    const open = all()
    for (const page of open) page.hear("beat", "5000")
    for (const page of open) page.hear(type, data, "8")
    const waits = open.flatMap((page) => page.wait())
    assert.isBelow(crowd(waits, 0, within), waits.length / 5)
    for (const { fetched } of open) assert.deepStrictEqual(fetched, parts)
  })

  it("a list that waits for its turn is fetched once for all changes until then, and again for later ones", () => {
    const page = still()
    for (const _ of [1, 2, 3]) page.hear("change", "decisions", "8")
    page.wait()
    page.hear("change", "decisions", "9")
    page.wait()
    assert.deepStrictEqual(page.fetched, ["decisions incidents", "decisions incidents"])
  })
})
