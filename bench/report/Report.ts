import { checks } from "../Checks.ts"
import { counted } from "../Counting.ts"
import { names } from "./Figures.ts"
import type { Work } from "../Load.ts"
import { method } from "../Method.ts"
import type { Results } from "./Results.ts"
import { count, digits, table } from "./Table.ts"
import { isMet } from "../Targets.ts"

const words: Readonly<Record<Work, string>> = {
  page: "page: 25 decisions",
  one: "one: a run with its attempts",
  teams: "teams: the list of teams",
  resolve: "resolve: a decision",
  intake: "intake: a signed alert of 1 KB",
  "intake-batch": "intake-batch: 100 alerts a post, to incidents",
  audit: "audit: a filtered page far down",
  export: "export: 5,000 entries"
}

const ratios = ({ figures }: Results) =>
  table(
    ["Work", "× ordinary", "× named", "× limit", "p99 × ordinary"],
    figures.map(({ p99Ratio, ratioFastify, ratioLimit, ratioNamed, work }) => [
      words[work],
      ...[ratioFastify, ratioNamed, ratioLimit, p99Ratio].map(digits)
    ])
  )

const targets = (results: Results) =>
  table(
    ["Target", "Measured", "Wanted", "Met"],
    checks(results).map((check) => [
      check.what,
      `${digits(check.value)} ${check.unit}`,
      `${check.bound} ${check.target} ${check.unit}`,
      isMet(check) ? "yes" : "**no**"
    ]),
    [0, 3]
  )

const services = ({ figures }: Results) =>
  table(
    ["Work", "Requests", "Service", "Per second", "p50 ms", "p99 ms"],
    figures.flatMap(({ requests, services: of, work }) =>
      names.map((name) => [
        work,
        count(requests),
        name,
        digits(of[name].perSecond),
        digits(of[name].p50),
        digits(of[name].p99)
      ])
    ),
    [0, 2]
  )

const growth = ({ growth: all }: Results) =>
  table(
    ["What", "Small", "", "Large", "", "Large to small"],
    all.map(({ large, ratio, small, unit, what }) => [
      what,
      small.of,
      `${digits(small.value)} ${unit}`,
      large.of,
      `${digits(large.value)} ${unit}`,
      `${digits(ratio)} ×`
    ]),
    [0, 1, 3]
  )

const beside = (other: string, all: Results["app"]) =>
  table(
    ["What", "REST", other, `${other} to REST`],
    all.map(({ large, ratio, small, unit, what }) => [
      what,
      `${digits(small.value)} ${unit}`,
      `${digits(large.value)} ${unit}`,
      `${digits(ratio)} ×`
    ])
  )

const toolTimes = (tools: Results["tools"]) => beside("Tool", tools)

/** Times of pages that have no read of the API beside them. */
const pageTimes = (pages: Results["pages"]) =>
  table(
    ["Page", "Median"],
    pages.map(({ ms, page }) => [page, `${digits(ms)} ms`])
  )

const statements = ({ plan, statements: all }: Results) =>
  table(
    ["Work", "Connections", ...names],
    counted.flatMap((work) =>
      [1, plan.connections].map((connections) => [
        work,
        count(connections),
        ...names.map((name) => {
          const of = all.find((one) => one.name === name && one.work === work && one.connections === connections)
          return digits(of?.perRequest ?? NaN)
        })
      ])
    )
  )

const alertmanager = ({ alertmanager: beside }: Results) =>
  beside === null
    ? "Alertmanager is not installed on this machine, so it was not measured."
    : `Alertmanager ${beside.version} accepts ${digits(beside.alertmanager)} alerts of 1 KB a second, Gatehouse ${digits(beside.ours)} (${digits(beside.ratio)} ×). It keeps them in memory, unsigned and without durability: alerts that are not in its snapshot are lost when its process ends. Gatehouse verifies the signature and commits every alert to disk before it responds.`

const memory = ({ exports, memory: mixed }: Results) => {
  const time = mixed.seconds >= 120 ? `${mixed.seconds / 60} minutes` : `${mixed.seconds} seconds`
  return [
    `Over ${time} of mixed load (${count(mixed.requests)} requests: reads, resolutions and alerts) the process uses ${digits(mixed.early)} MB of memory from the third to the fifth tenth of the time and ${digits(mixed.late)} MB in the last three.`,
    `Exports of 5,000 entries, ${count(exports.exports)} of them, take at most ${digits(exports.alone)} MB of additional memory one after the other, and ${digits(exports.four)} MB four at a time.`
  ].join("\n")
}

const starts = ({ starts: { cold, times, warm } }: Results) =>
  `The first response comes ${digits(cold)} s after a start with a fresh data folder, and ${digits(warm)} s after a start with an existing one (median of ${times} starts each, including the embedded PostgreSQL).`

const busy = ({ cores, loadBefore }: Results["machine"]) =>
  loadBefore > cores
    ? `**The machine was busy with other work (load ${digits(loadBefore)}), so times are longer than on an idle one.** `
    : ""

export const scale = ({ machine, plan }: Pick<Results, "machine" | "plan">) =>
  `${plan.mode === "quick" ? "**A quick run: less data, fewer requests than p99 needs, less time. Its figures only show that the benchmark works.** " : ""}${busy(machine)}Last run: ${machine.date}, ${machine.cores} cores (${machine.model}), ${machine.gigabytes} GB, ${machine.system}, Node ${machine.node}, Postgres ${machine.postgres}. ${count(plan.size.entries)} audit entries, ${count(plan.size.rows)} decisions, runs and stories each, ${count(plan.size.tokens)} tokens, and small workspaces beside them; ${plan.rounds} rounds, ${plan.connections} connections.`

type Section = readonly [title: string, ...lines: ReadonlyArray<string>]

const sectionOf = ([title, ...lines]: Section) => [`## ${title}`, "", ...lines, ""]

/** The section about pages; `note` names another run than that of the page. */
export const pagesSection = ({ app, pages }: Pick<Results, "app" | "pages">, note = ""): Section => [
  "Pages of the app",
  ...(note === "" ? [] : [note, ""]),
  "Pages of Gatehouse for people beside the REST reads of the same data. Times are medians with one connection.",
  "",
  ...beside("Page", app),
  "",
  "The other pages, in the same workspace:",
  "",
  ...pageTimes(pages)
]

export const toolsSection = ({ tools }: Pick<Results, "tools">, note = ""): Section => [
  "Tools of agents",
  ...(note === "" ? [] : [note, ""]),
  "A tool of the MCP server beside the REST read of the same story; the tool adds the policy and the decisions. Times are medians with one connection.",
  "",
  ...toolTimes(tools)
]

/** Names of calls in their order, each with the number of times in a row. */
const inOrder = (calls: ReadonlyArray<string>) => {
  const rows: Array<{ readonly call: string; times: number }> = []
  for (const call of calls) {
    const last = rows.at(-1)
    if (last?.call === call) last.times++
    else rows.push({ call, times: 1 })
  }
  return rows.map(({ call, times }) => `\`${call}\`${times === 1 ? "" : ` ${times} times`}`).join(", ")
}

export const codeHostSection = (
  { codeHost: { calls, p50, perSecond } }: Pick<Results, "codeHost">,
  note = ""
): Section => [
  "Code host",
  ...(note === "" ? [] : [note, ""]),
  `Webhooks of GitHub of 10 KB, signed and each with its own delivery id: ${digits(perSecond)} accepted a second, and ${digits(p50)} ms each over one connection (median). A webhook counts when it has a response (202: its id is on disk).`,
  "",
  `One pull request takes ${calls.open.length} calls to be opened with its evidence (${inOrder(calls.open)}) and ${calls.merge.length} to be merged (${inOrder(calls.merge)}), on the GitHub of the tests, without a token in memory.`
]

/** The page with a section in place of the one of its title, or before the section about memory. */
export const replaced = (page: string, section: Section): string => {
  const text = sectionOf(section).join("\n")
  const parts = page.split(/^(?=## )/m)
  const at = parts.findIndex((part) => part.startsWith(`## ${section[0]}\n`))
  if (at !== -1) return parts.with(at, `${text}\n`).join("")
  return parts.flatMap((part) => (part.startsWith("## Memory\n") ? [`${text}\n`, part] : [part])).join("")
}

/** The whole report, as printed and stored. */
export const report = (results: Results): string => {
  const missed = checks(results).filter((check) => !isMet(check)).length
  const total = checks(results).length
  const section = (...one: Section) => sectionOf(one)
  return [
    "# Benchmarks",
    "",
    "`npm run bench` writes this page: it starts, fills and measures all services. `npm run bench -- --quick` takes minutes and shows only that the benchmark works; `-- --json` prints the ratios alone, `-- --pages` the times of pages, `-- --tools` those of tools, `-- --hooks` the figures of the code host, and with `--write` they replace their section alone.",
    "",
    scale(results),
    "",
    "![How many times as fast as each Fastify service, by work](benchmarks.svg)",
    "",
    ...section("Ratios", "Above 1 the service is faster than the peer; for p99, below 1.", "", ...ratios(results)),
    ...section(
      "Targets",
      missed === 0 ? `All ${total} are met.` : `${total - missed} of ${total} are met, ${missed} are missed.`,
      "",
      ...targets(results)
    ),
    ...section("Services", "Medians over the rounds.", "", ...services(results)),
    ...section("Beside Alertmanager", alertmanager(results)),
    ...section(
      "Growth",
      "Times are medians of single requests; the rows on connections and processes show throughput.",
      "",
      ...growth(results)
    ),
    ...sectionOf(pagesSection(results)),
    ...sectionOf(toolsSection(results)),
    ...sectionOf(codeHostSection(results)),
    ...section("Memory", memory(results)),
    ...section("Start", starts(results)),
    ...section(
      "Statements a request",
      "As PostgreSQL counts them, including BEGIN, COMMIT and the background work of the service; an intake counts until its alert is triaged.",
      "",
      ...statements(results)
    ),
    ...section("Method", ...method)
  ].join("\n")
}
