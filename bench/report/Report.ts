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
    ? "Alertmanager is not installed on this machine, so it was not measured beside us."
    : `Alertmanager ${beside.version} takes in ${digits(beside.alertmanager)} alerts of 1 KB a second where we take in ${digits(beside.ours)} (${digits(beside.ratio)} ×). It keeps them in memory, unsigned and without durability: what it has not written to its snapshot is gone when its process ends. We have verified the signature and committed every alert to disk before we answer.`

const memory = ({ exports, memory: mixed }: Results) => {
  const time = mixed.seconds >= 120 ? `${mixed.seconds / 60} minutes` : `${mixed.seconds} seconds`
  return [
    `Over ${time} of mixed load (${count(mixed.requests)} requests: reads, answers and alerts) our process has ${digits(mixed.early)} MB in memory from the third to the fifth tenth of the time and ${digits(mixed.late)} MB in the last three.`,
    `Exports of 5,000 entries, ${count(exports.exports)} of them, take at most ${digits(exports.alone)} MB more than before when they come one after the other, and ${digits(exports.four)} MB when four come at once.`
  ].join("\n")
}

const starts = ({ starts: { cold, times, warm } }: Results) =>
  `With a fresh data folder the first answer comes after ${digits(cold)} s, with an existing one after ${digits(warm)} s (median of ${times} starts each, embedded Postgres included).`

const scale = ({ machine, plan }: Results) =>
  `${plan.mode === "quick" ? "**A quick run: less data, fewer requests than p99 needs, less time. Its figures only show that all works.** " : ""}Last run: ${machine.date}, ${machine.cores} cores (${machine.model}), ${machine.gigabytes} GB, ${machine.system}, Node ${machine.node}, Postgres ${machine.postgres}. ${count(plan.size.entries)} audit entries, ${count(plan.size.rows)} decisions, runs and stories each, ${count(plan.size.tokens)} tokens, small workspaces beside; ${plan.rounds} rounds, ${plan.connections} connections.`

/** The whole report, as printed and stored. */
export const report = (results: Results): string => {
  const missed = checks(results).filter((check) => !isMet(check)).length
  const total = checks(results).length
  const section = (title: string, ...lines: ReadonlyArray<string>) => [`## ${title}`, "", ...lines, ""]
  return [
    "# Benchmarks",
    "",
    "Made by `npm run bench`, which starts, fills and measures everything by itself; `npm run bench -- --quick` takes minutes and shows only that it works, `-- --json` prints the ratios alone.",
    "",
    scale(results),
    "",
    "![How many times as fast as each Fastify service, by work](benchmarks.svg)",
    "",
    ...section("Ratios", "More than 1 is faster than the peer; of p99, less than 1.", "", ...ratios(results)),
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
      "Times are of the median request; more connections and processes show throughput.",
      "",
      ...growth(results)
    ),
    ...section("Memory", memory(results)),
    ...section("Start", starts(results)),
    ...section(
      "Statements a request",
      "As Postgres counts them, BEGIN and COMMIT among them, and what a service does by itself meanwhile; of an intake until it is judged.",
      "",
      ...statements(results)
    ),
    ...section("Method", ...method)
  ].join("\n")
}
