import { assert, describe, it } from "vitest"
import { chart } from "../../bench/report/Chart.ts"
import { type Figure, figureOf, median, type Name, type Round } from "../../bench/report/Figures.ts"
import { works } from "../../bench/Load.ts"
import { full, quick } from "../../bench/Plan.ts"
import { codeHostSection, pagesSection, replaced, report, toolsSection } from "../../bench/report/Report.ts"
import type { Results } from "../../bench/report/Results.ts"
import { digits, table } from "../../bench/report/Table.ts"
import { checksOf, isMet } from "../../bench/Targets.ts"

const round = (perSecond: Readonly<Record<Name, number>>): Round => {
  const sample = (name: Name) => ({ perSecond: perSecond[name], p50: 10, p99: 10_000 / perSecond[name] })
  return { ours: sample("ours"), ordinary: sample("ordinary"), named: sample("named"), limit: sample("limit") }
}

const rounds = [
  round({ ours: 300, ordinary: 100, named: 200, limit: 400 }),
  round({ ours: 30, ordinary: 10, named: 20, limit: 40 }),
  round({ ours: 900, ordinary: 100, named: 100, limit: 100 })
]
const figures: ReadonlyArray<Figure> = works.map((work) => figureOf(work, 7500, rounds))

const results: Results = {
  plan: full,
  machine: {
    date: "2026-01-02",
    cores: 2,
    model: "A model",
    gigabytes: 8,
    system: "linux arm64",
    node: "20.19.0",
    postgres: "18.4",
    loadBefore: 0.5
  },
  figures,
  alertmanager: null,
  growth: [
    {
      what: "one run",
      unit: "ms",
      small: { of: "1,000 rows", value: 10 },
      large: { of: "100,000 rows", value: 13 },
      ratio: 1.3
    },
    {
      what: "one run",
      unit: "/s",
      small: { of: "1 process", value: 900 },
      large: { of: "2 processes", value: 1800 },
      ratio: 2
    }
  ],
  pages: [
    { page: "audit log", ms: 12.34 },
    { page: "runs", ms: 51 }
  ],
  app: [
    {
      what: "decisions page",
      unit: "ms",
      small: { of: "REST", value: 2 },
      large: { of: "page", value: 31 },
      ratio: 15.5
    }
  ],
  tools: [
    {
      what: "get_story",
      unit: "/s",
      small: { of: "REST", value: 1000 },
      large: { of: "tool", value: 400 },
      ratio: 0.4
    }
  ],
  codeHost: {
    perSecond: 1234,
    p50: 1.5,
    calls: {
      open: ["apps/create-installation-access-token", "pulls/list"],
      merge: ["pulls/get", "pulls/get", "pulls/merge"]
    }
  },
  statements: [{ name: "ours", work: "page", connections: 32, perRequest: 0.25 }],
  exports: { exports: 200, alone: 20, four: 50 },
  memory: { seconds: 600, requests: 96_000, early: 200, late: 210 },
  starts: { times: 3, cold: 2.5, warm: 1 }
}

describe("benchmark report", () => {
  it.each([
    [[3], 3],
    [[1, 2], 1.5],
    [[9, 1, 5], 5],
    [[4, 1, 3, 2], 2.5]
  ])("the median of %j is %d", (values, expected) => assert.strictEqual(median(values), expected))

  it("a ratio is taken within a round, and its median shown", () => {
    const [page] = figures
    assert.deepInclude(page, { ratioFastify: 3, ratioNamed: 1.5, ratioLimit: 0.75 })
    assert.closeTo(page?.p99Ratio ?? 0, 1 / 3, 1e-9)
    assert.strictEqual(page?.services.ours.perSecond, 300)
  })

  it("a target is met at its bound: of speed the least, of p99 the most", () => {
    const [page, , , resolve] = figures
    const met = (figure: Figure | undefined) => (figure ? checksOf(figure).map(isMet) : [])
    assert.deepStrictEqual(met(page), [true, true, true, false])
    assert.deepStrictEqual(met(resolve), [true])
    const check = { what: "", value: 1.2, bound: "at most", target: 1.2, unit: "×" } as const
    assert.isTrue(isMet(check))
    assert.isFalse(isMet({ ...check, value: 1.21 }))
  })

  it.each([
    [0.123, "0.12"],
    [12.345, "12.3"],
    [123.4, "123"],
    [12_345.6, "12,346"],
    [NaN, "–"]
  ])("%d is shown as %s", (value, expected) => assert.strictEqual(digits(value), expected))

  it("a table is aligned, numbers to the right", () => {
    assert.deepStrictEqual(table(["Work", "n"], [["page", "1,000"]]), [
      "| Work |     n |",
      "|------|------:|",
      "| page | 1,000 |"
    ])
  })

  it("says plainly which targets are missed, and what a quick run is", () => {
    const text = report(results)
    assert.include(text, "are missed")
    assert.match(text, /\| page: speed against limit +\| +0\.75 × +\| at least 0\.8 × +\| \*\*no\*\* +\|/)
    assert.match(text, /\| one run: 100,000 rows against 1,000 rows +\| +1\.30 × .*\*\*no\*\*/)
    assert.notInclude(text, "2 processes against")
    assert.match(text, /\| get_story over MCP: speed against REST +\| +0\.40 × +\| +at least 0\.5 × +\| \*\*no\*\*/)
    assert.match(text, /\| decisions page of the app: time +\| +31\.0 ms +\| +at most 30 ms +\| \*\*no\*\*/)
    assert.match(text, /\| decisions page +\| +2\.00 ms \| 31\.0 ms \| +15\.5 × \|/)
    assert.match(text, /\| audit log +\| 12\.3 ms \|/)
    assert.match(text, /\| runs: time +\| +51\.0 ms +\| +at most 50 ms +\| \*\*no\*\*/)
    assert.include(text, "Alertmanager is not installed")
    assert.notInclude(text, "A quick run")
    assert.include(report({ ...results, plan: quick }), "A quick run")
    assert.notInclude(text, "busy")
    const machine = { ...results.machine, loadBefore: 10.9 }
    assert.include(report({ ...results, machine }), "The machine was busy with other work (load 10.9)")
  })

  it("a part that is measured alone takes the place of its section, or gets one before the memory", () => {
    const page = "# Benchmarks\n\n## Growth\n\nx\n\n## Memory\n\ny\n"
    const note = "Last run: today."
    const added = replaced(page, pagesSection(results, note))
    assert.match(added, /## Growth\n\nx\n\n## Pages of the app\n\nLast run: today\.\n[^]*\n\n## Memory\n\ny\n$/)
    assert.strictEqual(replaced(added, pagesSection(results, note)), added)
    assert.include(replaced(report(results), toolsSection(results, note)), "## Tools of agents\n\nLast run: today.")
    assert.include(
      replaced(report(results), codeHostSection(results)),
      "1,234 accepted a second, and 1.50 ms each over one connection"
    )
    assert.include(report(results), "3 to be merged (`pulls/get` 2 times, `pulls/merge`)")
  })

  it("draws every work, with a mark for every target of speed", () => {
    const svg = chart(figures)
    for (const work of works) assert.include(svg, `>${work}</text>`)
    const wanted = figures.flatMap(checksOf).filter(({ bound }) => bound === "at least").length
    // One more explains the mark.
    assert.strictEqual(svg.match(/class="target"/g)?.length, wanted + 1)
    assert.notInclude(svg, "NaN")
  })
})
