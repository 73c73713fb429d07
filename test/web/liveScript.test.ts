import { assert, describe, it } from "vitest"
import { type Heard, others, refused, visit } from "./LivePages.ts"

const pages = 500

/** Pages of which nothing happens by itself: their streams are told events, and their waits are noted. */
const still = ({
  after = "7",
  browser,
  hidden = false,
  status = 200
}: {
  readonly after?: string
  readonly browser?: ReturnType<typeof others>
  readonly hidden?: boolean
  readonly status?: number
} = {}) => {
  const waits: Array<readonly [act: () => void, milliseconds: number]> = []
  const opened: Array<string> = []
  const fetched: Array<string> = []
  const closed: Array<string> = []
  const page: EventTarget & { hidden?: boolean } = Object.assign(new EventTarget(), { hidden })
  let tell: (heard: Heard) => void = () => {}
  const { elements } = visit({
    page,
    status: () => status,
    stream: "/live/acme",
    after,
    ...(browser && { others: browser }),
    open: (address, told) => {
      opened.push(address)
      tell = told
      return () => void closed.push(address)
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
  const turn = (isHidden: boolean) => {
    page.hidden = isHidden
    page.dispatchEvent(new Event("visibilitychange"))
  }
  /** A part of the page that could not be fetched, or was. */
  const fetchOf = (type: string, code: number, part: object, ctx: object = { sourceElement: part }) => {
    const told = new CustomEvent(type, { detail: { status: code, ctx } })
    Object.defineProperty(told, "target", { value: part })
    page.dispatchEvent(told)
  }
  return { hear, wait, opened, closed, fetched, page, elements, turn, fetchOf, refuse: () => tell(refused) }
}

const all = () => Array.from({ length: pages }, () => still())

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

  it.each([
    ["stays", false],
    ["is replaced by text", true]
  ])("a part that changes while it is fetched, and then %s, is fetched once more after that", (_, isReplaced) => {
    const page = still()
    const part = page.elements.find(({ id }) => id === "dec-aaaa")
    assert.isDefined(part)
    const ctx: { sourceElement: object } = { sourceElement: part }
    page.fetchOf("htmx:before:request", 0, part, ctx)
    if (isReplaced) {
      part.isConnected = false
      page.elements.push({ ...part, isConnected: true })
    }
    for (const _ of [1, 2]) page.hear("change", "dec-aaaa", "8")
    page.wait()
    assert.deepStrictEqual(page.fetched, [])
    // htmx names the first node that came, which has no id when it is text.
    if (isReplaced) ctx.sourceElement = {}
    for (const _ of [1, 2]) {
      page.fetchOf("htmx:finally:request", 200, part, ctx)
      page.wait()
    }
    assert.deepStrictEqual(page.fetched, ["dec-aaaa"])
  })

  it("of a part that is replaced while it waits for its turn, the present element is fetched", () => {
    const page = still()
    const part = page.elements.find(({ id }) => id === "dec-aaaa")
    assert.isDefined(part)
    page.hear("change", "dec-aaaa", "8")
    page.elements.push({ ...part, dispatchEvent: () => void page.fetched.push("the present one") })
    part.isConnected = false
    page.wait()
    assert.deepStrictEqual(page.fetched, ["the present one"])
  })

  it("a hidden page keeps no stream; once it is seen it goes on where it was, and fetches all of its parts", () => {
    const page = still({ hidden: true })
    assert.deepStrictEqual(page.opened, [])
    page.turn(false)
    page.hear("beat", "300")
    page.wait()
    assert.deepStrictEqual(page.fetched.splice(0), ["decisions incidents", "dec-aaaa"])
    page.hear("change", "teams", "9")
    page.turn(true)
    assert.deepStrictEqual(page.closed, ["/live/acme?after=7"])
    page.turn(false)
    page.hear("beat", "300")
    page.hear("beat", "300")
    page.wait()
    assert.deepStrictEqual(page.fetched, ["decisions incidents", "dec-aaaa"])
    assert.deepStrictEqual(page.opened, ["/live/acme?after=7", "/live/acme?after=9"])
  })

  it("a stream that is lost while the page is hidden is not opened again before it is seen", () => {
    const page = still()
    page.hear("error")
    page.turn(true)
    page.wait()
    assert.lengthOf(page.opened, 1)
    page.turn(false)
    page.wait()
    assert.lengthOf(page.opened, 2)
  })

  it.each([
    [401, 1, 1],
    [429, 0, 2],
    [503, 0, 2],
    [200, 0, 2]
  ])("a page whose stream is answered with %i says %i times that it is signed out", async (status, times, streams) => {
    const page = still({ status })
    let said = 0
    page.page.addEventListener("gh:signed-out", () => void said++)
    page.refuse()
    // The status is asked for, and heard.
    await new Promise((resume) => setImmediate(resume))
    page.wait()
    assert.deepStrictEqual([said, page.opened.length], [times, streams])
  })

  it.each([
    ["htmx:error", 0, [500, 1000, 2000, 4000, 8000, 15_000, 15_000]],
    ["gh:refused", 503, [500, 1000, 2000, 4000, 8000, 15_000, 15_000]],
    ["gh:refused", 429, [500, 1000]],
    ["gh:refused", 404, []],
    ["gh:refused", 403, []]
  ] as const)("a part that fails with %s %i is fetched again, later each time", (type, status, waits) => {
    const page = still()
    let fetched = 0
    const part = { matches: () => true, isConnected: true, dispatchEvent: () => void fetched++ }
    for (const least of waits) {
      page.fetchOf(type, status, part)
      const [wait = 0, ...more] = page.wait()
      assert.deepStrictEqual(more, [])
      assert.isAtLeast(wait, least)
      assert.isAtMost(wait, least * 3)
    }
    if (waits.length === 0) page.fetchOf(type, status, part)
    assert.deepStrictEqual([page.wait(), fetched], [[], waits.length])
    page.fetchOf("htmx:after:swap", 200, part)
    page.fetchOf("htmx:error", 0, part)
    assert.isAtMost(page.wait()[0] ?? 0, 1500)
  })

  /** Lets promises that are done go on. */
  const settled = () => new Promise((resume) => setImmediate(resume))

  it("the pages of a browser share one stream, and another one takes it when its page is hidden or left", async () => {
    const browser = others()
    const open = Array.from({ length: 8 }, () => still({ browser }))
    const streams = () => open.map(({ closed, opened }) => opened.length - closed.length)
    await settled()
    assert.deepStrictEqual(streams(), [1, 0, 0, 0, 0, 0, 0, 0])
    const [first, second] = open
    first?.hear("beat", "300")
    first?.hear("change", "dec-aaaa", "9")
    for (const page of open) {
      page.wait()
      assert.deepStrictEqual(page.fetched.splice(0), ["dec-aaaa"])
    }
    first?.turn(true)
    await settled()
    assert.deepStrictEqual(streams(), [0, 1, 0, 0, 0, 0, 0, 0])
    assert.deepStrictEqual(second?.opened, ["/live/acme?after=9"])
    second?.hear("change", "dec-aaaa", "10")
    first?.wait()
    assert.deepStrictEqual(first?.fetched, [])
    first?.turn(false)
    await settled()
    first?.wait()
    assert.deepStrictEqual(first?.fetched, ["decisions incidents", "dec-aaaa"])
    assert.deepStrictEqual(streams(), [0, 1, 0, 0, 0, 0, 0, 0])
  })

  it.each([
    ["6", ["decisions incidents", "dec-aaaa"]],
    ["7", []],
    ["8", []]
  ])("a page made at %s that joins a stream at 7 fetches what it missed", async (after, fetched) => {
    const browser = others()
    still({ browser })
    await settled()
    const late = still({ browser, after })
    await settled()
    late.wait()
    assert.deepStrictEqual([late.opened, late.fetched], [[], fetched])
  })

  it("every page of a browser that is signed out says so", async () => {
    const browser = others()
    const open = [1, 2, 3].map(() => still({ browser, status: 401 }))
    let said = 0
    for (const { page } of open) page.addEventListener("gh:signed-out", () => void said++)
    for (const page of open) {
      await settled()
      page.refuse()
    }
    await settled()
    for (const page of open) page.wait()
    assert.deepStrictEqual([said, open.map(({ opened }) => opened.length)], [3, [1, 1, 1]])
  })
})
