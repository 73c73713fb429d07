import { assert, describe, it } from "@effect/vitest"
import { DateTime } from "effect"
import { investigate } from "../../../domain/oncall/JudgeCause.ts"
import type { Candidate, Evidence, EvidenceAlert, Finding } from "../../../domain/oncall/Investigation.ts"
import type { RunKey } from "../../../domain/value/RunKey.ts"
import type { StoryKey } from "../../../domain/work/Story.ts"
import { at } from "./TriageScene.ts"

const openedAt = at(60)
const minutesBefore = (minutes: number) => DateTime.subtract(openedAt, { millis: minutes * 60_000 })

const merge = (minutes: number, more: Partial<Candidate> = {}): Candidate => ({
  runKey: "run-bbbb" as RunKey,
  story: "PAY-3" as StoryKey,
  pullRequest: { url: "https://git.acme.test/pull/7", number: 7 },
  mergedAt: minutesBefore(minutes),
  title: "Change something",
  paths: null,
  ...more
})

const alert = (title: string, kind: EvidenceAlert["kind"], more: Partial<EvidenceAlert> = {}): EvidenceAlert => ({
  title,
  kind,
  description: null,
  labels: {},
  startedAt: null,
  ...more
})

const evidence = (
  alerts: ReadonlyArray<EvidenceAlert>,
  merges: ReadonlyArray<Candidate>,
  more: Partial<Evidence> = {}
): Evidence => ({
  title: alerts[0]?.title ?? "",
  service: "checkout",
  environment: "production",
  openedAt,
  otherServices: ["billing", "ledger-api"],
  alerts,
  merges,
  ...more
})

const alone = { otherServices: [] }
const typeError = alert("TypeError: cannot read 'total' of undefined", "sentry")
const cartError = alert("TypeError: cannot read 'total'", "sentry", {
  description: "at render (src/cart/summary.tsx:12)"
})
const http5xx = alert("Checkout answers 5xx", "grafana")
const checkoutPaths = { paths: ["services/checkout/src/totals.ts", "services/checkout/package.json"] }

type Row = readonly [string, Evidence, Finding["confidence"], "suspect" | "code" | "neither", ReadonlyArray<string>]

const rows: ReadonlyArray<Row> = [
  [
    "an error right after the only service's merge",
    evidence([typeError], [merge(10)], alone),
    "high",
    "suspect",
    ["10 minutes before the first alert", "the team runs no other service", "an error tracker reports it"]
  ],
  [
    "an error in a file that was changed nine hours before",
    evidence([cartError], [merge(540, { paths: ["web/src/cart/summary.tsx"] })]),
    "high",
    "suspect",
    ["9 hours before the first alert", "the alert names summary.tsx, which it changes"]
  ],
  [
    "failing requests right after a merge of the service",
    evidence([http5xx], [merge(12, checkoutPaths)]),
    "high",
    "suspect",
    ["it changes checkout (services/checkout/src/totals.ts)", "the alert tells of failing requests"]
  ],
  [
    "wrong refunds after a merge in refunds",
    evidence([alert("Refund totals do not add up", "grafana")], [merge(20, { paths: ["src/refunds/sum.ts"] })], alone),
    "high",
    "suspect",
    ["the alert's word 'refund' is in src/refunds/sum.ts"]
  ],
  [
    "an exception the tool had seen half an hour before it alerted",
    evidence(
      [alert("NullPointerException in CheckoutController", "datadog", { startedAt: minutesBefore(30) })],
      [merge(45)],
      alone
    ),
    "high",
    "suspect",
    ["15 minutes before the first alert", "the alert names NullPointerException"]
  ],
  [
    "a full disk right after a merge of the service",
    evidence([alert("Disk usage above 90 % on checkout-db", "cloudwatch")], [merge(5, checkoutPaths)]),
    "low",
    "neither",
    ["the alert is about infrastructure: disk", "a cloud alarm reports it"]
  ],
  [
    "a certificate that expires",
    evidence([alert("Certificate of shop.example.com expires in 3 days", "uptime")], [merge(30)], alone),
    "low",
    "neither",
    ["infrastructure: certificate"]
  ],
  [
    "a quota of the cloud",
    evidence([alert("vCPU quota nearly exhausted", "azure-monitor")], [merge(60)], alone),
    "low",
    "neither",
    ["infrastructure: quota"]
  ],
  [
    "an outage of a supplier",
    evidence([alert("Card payments: partial outage", "statuspage")], [merge(8)], alone),
    "low",
    "neither",
    ["a status page reports it"]
  ],
  [
    "processor load right after the only service's merge",
    evidence([alert("CPU above 95 %", "alertmanager")], [merge(10)], alone),
    "medium",
    "neither",
    ["10 minutes before the first alert"]
  ],
  [
    "slow answers hours after a merge, in a team of several services",
    evidence([alert("p99 latency above 2 s", "datadog")], [merge(300)]),
    "low",
    "neither",
    ["5 hours before the first alert"]
  ],
  [
    "an error after a merge of another service",
    evidence([typeError], [merge(5, { paths: ["services/billing/src/invoice.ts"] })]),
    "low",
    "code",
    ["it changes billing (services/billing/src/invoice.ts), not checkout"]
  ],
  [
    "an error after a story about another service",
    evidence([typeError], [merge(5, { title: "Ledger API: round half up" })]),
    "low",
    "code",
    ["its story is about ledger-api, not checkout"]
  ],
  [
    "an error after a merge of pages and tests only",
    evidence([typeError], [merge(5, { paths: ["docs/setup.md", "README.md", "test/cart.test.ts"] })], alone),
    "low",
    "code",
    ["it changes only docs and tests"]
  ],
  [
    "an error in production after a merge for staging",
    evidence([typeError], [merge(5, { paths: ["deploy/staging/values.yaml"] })], alone),
    "low",
    "code",
    ["it changes only staging, not production"]
  ],
  [
    "an error that was there before the merge",
    evidence([alert("TypeError: x", "sentry", { startedAt: minutesBefore(20) })], [merge(10)], alone),
    null,
    "code",
    ["No merge of the team is recorded in the 24 hours before the first alert"]
  ],
  [
    "an error half a day after the only merge",
    evidence([typeError], [merge(720)], alone),
    "medium",
    "code",
    ["12 hours before the first alert"]
  ],
  ["an error without a merge", evidence([typeError], []), null, "code", ["No merge", "an error tracker reports it"]],
  [
    "nothing merged, and nothing of code",
    evidence([alert("CPU above 95 %", "alertmanager")], []),
    null,
    "neither",
    ["No merge"]
  ],
  [
    "two merges that fit alike",
    evidence([typeError], [merge(10), merge(12, { runKey: "run-cccc" as RunKey })], alone),
    "medium",
    "code",
    ["run-cccc fits as well"]
  ],
  [
    "the better of two merges",
    evidence(
      [http5xx],
      [merge(4, { paths: ["services/billing/a.ts"] }), merge(9, { runKey: "run-cccc" as RunKey, ...checkoutPaths })]
    ),
    "high",
    "suspect",
    ["run-cccc", "9 minutes before the first alert"]
  ],
  [
    "a merge that was reported and done",
    evidence([typeError], [merge(10), merge(11)], alone),
    "high",
    "suspect",
    ["11 minutes before the first alert"]
  ],
  [
    "a disk error in the error tracker",
    evidence([alert("OSError: disk quota exceeded", "sentry")], [merge(10)], alone),
    "low",
    "neither",
    ["infrastructure: disk"]
  ],
  [
    "disks of a service that is about disks",
    evidence([alert("DiskError: no such volume", "sentry")], [merge(10)], { ...alone, service: "disk-volume" }),
    "high",
    "suspect",
    ["an error tracker reports it"]
  ]
]

describe("the cause of an incident", () => {
  it.each(rows)("%s", (_, given, confidence, outcome, reasons) => {
    const found = investigate(given)
    assert.strictEqual(found.confidence, confidence, found.summary)
    assert.strictEqual(found.suspect === null ? (found.isCodeCaused ? "code" : "neither") : "suspect", outcome)
    if (found.suspect !== null) assert.isTrue(found.isCodeCaused)
    for (const reason of reasons) assert.include(found.summary, reason)
    for (const reason of found.reasons) assert.include(found.summary, reason)
    if (confidence !== null) assert.include(found.summary, `confidence ${confidence}`)
  })

  it.each<readonly [string, Evidence, string]>([
    [
      "a suspect",
      evidence([typeError], [merge(10)], alone),
      "run-bbbb of PAY-3, https://git.acme.test/pull/7, merged at 2026-01-09T12:50:00.000Z, is the likely cause (confidence high): it was merged 10 minutes before the first alert; the team runs no other service; an error tracker reports it."
    ],
    [
      "a merge without a pull request that may be the cause",
      evidence([typeError], [merge(720, { pullRequest: null })], alone),
      "run-bbbb of PAY-3, merged at 2026-01-09T01:00:00.000Z, may be the cause (confidence medium): it was merged 12 hours before the first alert; the team runs no other service; an error tracker reports it. The alert itself is about an error in the code."
    ],
    [
      "none",
      evidence([alert("Checkout answers 5xx", "cloudwatch")], []),
      "No merge of the team is recorded in the 24 hours before the first alert; the alert tells of failing requests or crashes; a cloud alarm reports it."
    ],
    [
      "an error of which failing requests are no further sign, and no tie where neither is likely",
      evidence(
        [alert("TypeError: 500 errors", "grafana")],
        [merge(200), merge(210, { runKey: "run-cccc" as RunKey })],
        alone
      ),
      "run-bbbb of PAY-3, https://git.acme.test/pull/7, merged at 2026-01-09T09:40:00.000Z, may be the cause (confidence medium): it was merged 3 hours before the first alert; the team runs no other service; the alert names TypeError. The alert itself is about an error in the code."
    ],
    [
      "an old start of an alert, which is no start of this incident",
      evidence([alert("CPU", "grafana", { startedAt: minutesBefore(61) })], [merge(30)], alone),
      "run-bbbb of PAY-3, https://git.acme.test/pull/7, merged at 2026-01-09T12:30:00.000Z, may be the cause (confidence medium): it was merged 30 minutes before the first alert; the team runs no other service."
    ]
  ])("is told in one sentence: %s", (_, given, summary) => assert.strictEqual(investigate(given).summary, summary))

  it("is a merge only with what an incident keeps of it", () => {
    const { suspect } = investigate(evidence([typeError], [merge(10)], alone))
    assert.deepStrictEqual(Object.keys(suspect ?? {}).toSorted(), ["mergedAt", "pullRequest", "runKey", "story"])
  })

  it("is judged in time that grows with what is said", () => {
    const long = "a/".repeat(10_000)
    const found = investigate(
      evidence(
        [alert(long, "generic", { description: long })],
        [merge(10, { paths: Array.from({ length: 200 }, () => long) })]
      )
    )
    assert.strictEqual(found.suspect, null)
  })
})
