import { assert } from "@effect/vitest"
import { DateTime } from "effect"
import type { RunnerId } from "../../../domain/work/Lease.ts"
import type { Hold } from "../../../domain/work/LeaseRun.ts"
import type { Fact } from "../../../domain/work/RunReport.ts"
import type { TokenId } from "../../../domain/workspace/ApiToken.ts"
import * as OneRun from "./OneRun.ts"
import * as Sample from "../Sample.ts"

export const [one, other] = ["1", "2"].map((n) => `00000000-0000-4000-a000-00000000000${n}` as RunnerId) as [
  RunnerId,
  RunnerId
]
export const token = "00000000-0000-4000-b000-000000000001" as TokenId
export const foreign = "00000000-0000-4000-b000-000000000002" as TokenId
export const stage: Fact = { type: "stage", stage: "implementing" }
export const question: Fact = { type: "question", question: "Which currency?" }
export const handedOff: Fact = {
  type: "handed_off",
  repository: "/srv/git/pay.git",
  branch: "gatehouse/PAY-1-run-aaaa",
  head: "c0ffee",
  base: "main",
  title: "Refund in part",
  summary: "3 of 3 gates passed."
}

export const through = (start: OneRun.OneRun, ...steps: ReadonlyArray<(at: OneRun.OneRun) => OneRun.OneRun>) =>
  steps.reduce((at, step) => step(at), start)
export const leased = through(OneRun.queued(), OneRun.leaseBy(one, token))
export const leasedWith = (settings: Parameters<typeof Sample.policy>[0]) =>
  OneRun.leaseBy(one, token)(OneRun.queued(undefined, Sample.team(Sample.policy(settings))))
export const later = (seconds: number) => (at: OneRun.OneRun) => ({ ...at, now: DateTime.add(at.now, { seconds }) })

/** The holder of the current lease, or of one that differs in a detail. */
export const holder = ({ run }: OneRun.OneRun, more: Partial<Hold & { by: "runner" }> = {}): Hold => ({
  by: "runner",
  lease: run.lastLease?.id ?? assert.fail("no lease"),
  fence: run.fence,
  token,
  ...more
})
