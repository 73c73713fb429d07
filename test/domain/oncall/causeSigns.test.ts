import { assert, describe, it } from "vitest"
import * as Signs from "../../../domain/oncall/CauseSigns.ts"
import type { Candidate, Evidence, EvidenceAlert } from "../../../domain/oncall/Investigation.ts"
import type { RunKey } from "../../../domain/value/RunKey.ts"
import type { StoryKey } from "../../../domain/work/Story.ts"
import { at } from "./TriageScene.ts"

const alert = (title: string, kind: EvidenceAlert["kind"] = "grafana", description: string | null = null) =>
  ({ title, kind, description, labels: {}, startedAt: null }) satisfies EvidenceAlert

const evidence = (alerts: ReadonlyArray<EvidenceAlert>, more: Partial<Evidence> = {}): Evidence => ({
  title: "",
  service: "checkout",
  environment: "production",
  openedAt: at(60),
  otherServices: ["ledger-api"],
  alerts,
  merges: [],
  ...more
})

const merge = (paths: Candidate["paths"], title = "Change something"): Candidate => ({
  runKey: "run-bbbb" as RunKey,
  story: "PAY-3" as StoryKey,
  pullRequest: null,
  mergedAt: at(0),
  title,
  paths
})

type Row = readonly [what: string, signs: () => ReadonlyArray<Signs.Sign>, points: number, reason?: string]

const rows: ReadonlyArray<Row> = [
  [
    "one alert of an error tracker among others",
    () => Signs.codeSigns(evidence([alert("x"), alert("y", "sentry")])),
    2
  ],
  [
    "the first error that a title names",
    () => Signs.codeSigns(evidence([alert("x"), alert("TypeError: y"), alert("OSError")])),
    2,
    "the alert names TypeError"
  ],
  ["an error without a name", () => Signs.codeSigns(evidence([alert("Error: y")])), 0],

  ["no alert", () => Signs.infrastructureSigns(evidence([])), 0],
  [
    "one of two from a status page",
    () => Signs.infrastructureSigns(evidence([alert("x", "statuspage"), alert("y")])),
    0
  ],
  ["all from a status page", () => Signs.infrastructureSigns(evidence([alert("x", "statuspage")])), -4],
  [
    "all from clouds",
    () => Signs.infrastructureSigns(evidence([alert("x", "cloudwatch"), alert("y", "azure-monitor")])),
    -1
  ],
  [
    "disks",
    () => Signs.infrastructureSigns(evidence([alert("x"), alert("Disks are full")])),
    -4,
    "the alert is about infrastructure: disk"
  ],

  [
    "one alert of two about failing requests",
    () => Signs.symptomSigns(evidence([alert("slow"), alert("many 502 at once")])),
    1
  ],
  ["a crash", () => Signs.symptomSigns(evidence([alert("worker crashlooping")])), 1],
  ["a number like a status", () => Signs.symptomSigns(evidence([alert("15020 requests")])), 0],

  ["a second merged ago", () => [Signs.timeSign(1000)], 2, "it was merged 0 minutes before the first alert"],
  ["a minute", () => [Signs.timeSign(60_000)], 2, "it was merged 1 minute before the first alert"],
  ["half an hour", () => [Signs.timeSign(30 * 60_000)], 2, "it was merged 30 minutes before the first alert"],
  ["31 minutes", () => [Signs.timeSign(31 * 60_000)], 1],
  ["119 minutes", () => [Signs.timeSign(119 * 60_000)], 1, "it was merged 119 minutes before the first alert"],
  ["two hours", () => [Signs.timeSign(120 * 60_000)], 1, "it was merged 2 hours before the first alert"],
  ["121 minutes", () => [Signs.timeSign(121 * 60_000)], 0, "it was merged 2 hours before the first alert"],

  [
    "a path of the service",
    () => Signs.serviceSigns(evidence([]), merge(["a.ts", "services/checkout/b.ts"])),
    2,
    "it changes checkout (services/checkout/b.ts)"
  ],
  [
    "a path of another",
    () => Signs.serviceSigns(evidence([]), merge(["ledger/api.ts"])),
    -3,
    "it changes ledger-api (ledger/api.ts), not checkout"
  ],
  ["half of another's name", () => Signs.serviceSigns(evidence([]), merge(["ledger/sums.ts"])), 0],
  [
    "a story of the service",
    () => Signs.serviceSigns(evidence([]), merge(null, "Checkout totals")),
    1,
    "its story is about checkout"
  ],
  [
    "a story of another",
    () => Signs.serviceSigns(evidence([]), merge(null, "The API of the ledger")),
    -3,
    "its story is about ledger-api, not checkout"
  ],
  [
    "a service whose name has no words",
    () => Signs.serviceSigns(evidence([], { service: "--" }), merge(["a.ts"], "x")),
    0
  ],
  [
    "the only service",
    () => Signs.serviceSigns(evidence([], { otherServices: [] }), merge(["a.ts"])),
    1,
    "the team runs no other service"
  ],

  ["unknown paths", () => Signs.reachSigns(evidence([]), merge(null)), 0],
  ["no paths", () => Signs.reachSigns(evidence([]), merge([])), 0],
  ["a page and code", () => Signs.reachSigns(evidence([]), merge(["a.md", "b.ts"])), 0],
  ["code that begins like a page", () => Signs.reachSigns(evidence([]), merge(["a.md.ts"])), 0],
  ...[
    "a.md",
    "a.MDX",
    "a.rst",
    "a.adoc",
    "doc/a.ts",
    "x/docs/a.ts",
    "test/a.ts",
    "x/tests/a.ts",
    "__tests__/a.ts",
    "spec/a.rb",
    "specs/a.rb"
  ].map((path): Row => [
    path,
    () => Signs.reachSigns(evidence([]), merge([path])),
    -4,
    "it changes only docs and tests"
  ]),
  ["code in a folder that ends like docs", () => Signs.reachSigns(evidence([]), merge(["mydocs/a.ts"])), 0],
  [
    "staging alone",
    () => Signs.reachSigns(evidence([]), merge(["deploy/Staging/a.yaml", "dev/b.yaml"])),
    -4,
    "it changes only staging, not production"
  ],
  ["staging and code", () => Signs.reachSigns(evidence([]), merge(["staging/a.yaml", "src/b.ts"])), 0],
  ["staging and production", () => Signs.reachSigns(evidence([]), merge(["staging/a.yaml", "production/b.yaml"])), 0],
  ["code and staging", () => Signs.reachSigns(evidence([]), merge(["src/b.ts", "staging/a.yaml"])), 0],
  ["the environment under a shorter name", () => Signs.reachSigns(evidence([]), merge(["prod/a.yaml"])), 0],
  [
    "the environment under a longer name",
    () => Signs.reachSigns(evidence([], { environment: "Prod" }), merge(["production/a.yaml"])),
    0
  ],
  ["an unknown environment", () => Signs.reachSigns(evidence([], { environment: null }), merge(["staging/a.yaml"])), 0],

  [
    "a file that the description names",
    () => Signs.wordSigns(evidence([alert("x", "grafana", "at (src/Cart.ts:3)")]), merge(["web/cart.ts"])),
    3,
    "the alert names cart.ts, which it changes"
  ],
  [
    "a word in a path",
    () => Signs.wordSigns(evidence([alert("Refunds differ")]), merge(["a/b.ts", "refund/sum.ts"])),
    2,
    "the alert's word 'refund' is in refund/sum.ts"
  ],
  [
    "a word in the title",
    () => Signs.wordSigns(evidence([alert("Refunds differ")]), merge(null, "Round refunds")),
    1,
    "the alert's word 'refund' is in its story's title"
  ],
  ["no word in common", () => Signs.wordSigns(evidence([alert("Refunds differ")]), merge(null, "Pay by invoice")), 0],
  [
    "the service's name",
    () => Signs.wordSigns(evidence([alert("Checkout slow")]), merge(["checkout/a.ts"], "Checkout")),
    0
  ],
  ["another service's name", () => Signs.wordSigns(evidence([alert("Ledger slow")]), merge(["ledger/a.ts"])), 0],
  [
    "the environment's name",
    () => Signs.wordSigns(evidence([alert("Canary slow")], { environment: "canary" }), merge(["canary/a.ts"])),
    0
  ],
  [
    "a word of the description",
    () => Signs.wordSigns(evidence([alert("x", "grafana", "refund sums")]), merge(["refund/a.ts"])),
    2
  ],
  [
    "a label's word",
    () => Signs.wordSigns(evidence([{ ...alert("x"), labels: { job: "invoice" } }]), merge(["invoice/a.ts"])),
    2
  ],
  ["an alert that says nothing", () => Signs.wordSigns(evidence([alert("x")]), merge(["was/here.ts"], "Here")), 0]
]

describe("a sign of the cause", () => {
  it.each(rows.map(([what, judge, points, reason]) => ({ what, judge, points, reason })))(
    "$what",
    ({ judge, points, reason }) => {
      const signs = judge()
      const sum = signs.reduce((total, sign) => total + sign.points, 0)
      assert.strictEqual(sum, points)
      if (reason !== undefined)
        assert.deepStrictEqual(
          signs.map((sign) => sign.reason),
          [reason]
        )
    }
  )
})
