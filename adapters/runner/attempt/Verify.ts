import { DateTime, Duration, Effect } from "effect"
import type { Fact } from "../../../domain/work/RunReport.ts"
import type { Evidence } from "../../../domain/work/Run.ts"
import { cut, oneLine } from "../../../domain/value/Text.ts"
import * as History from "../git/History.ts"
import { apart, type Checked, check } from "./Check.ts"
import type { Gates } from "./Gates.ts"
import { fitting } from "./LogBuffer.ts"
import { hasException, type Site } from "./Site.ts"
import { runSpec } from "./Spec.ts"

export interface Verified {
  readonly isPassed: boolean
  /** True when people allowed each failure that is left. */
  readonly isAllowed: boolean
  readonly evidence: typeof Evidence.Type
  readonly summary: string
  /** Facts about gates that failed. */
  readonly failures: ReadonlyArray<Fact>
  /** Output of each failure, for the agent that corrects it. */
  readonly prompt: string
}

const nameOf = (path: string) => path.slice(path.lastIndexOf("/") + 1)

/** A check named after a criterion judges it; the other criteria have the result of all checks together. */
export const criteriaOf = (
  criteria: ReadonlyArray<{ readonly id: string }>,
  checks: ReadonlyArray<Pick<Checked, "name" | "isPassed">> | null
): (typeof Evidence.Type)["acceptance"] =>
  criteria.map(({ id }) => {
    if (checks === null) return { criterionId: id, status: "skipped" }
    const own = checks.filter(({ name }) => nameOf(name) === id || nameOf(name).startsWith(`${id}.`))
    const judging = own.length > 0 ? own : checks
    return { criterionId: id, status: judging.every(({ isPassed }) => isPassed) ? "passed" : "failed" }
  })

/** Paths in evidence, in bytes. */
const mostPaths = 12_000

const shortened = (paths: ReadonlyArray<string>): ReadonlyArray<string> => {
  let left = mostPaths
  return paths
    .slice(0, 1000)
    .filter((path) => path.length <= 500 && (left -= Buffer.byteLength(JSON.stringify(path)) + 1) > 0)
}

const judge = Effect.fn("Verify.run")(function* (site: Site, gates: Gates, spec: string | null, head: string) {
  const { bench, grant, line, mirror } = site
  const limit = bench.settings.gateLimit
  line.log(`Gates: ${gates.remark}.`)
  const ran: Array<readonly [Checked, DateTime.Utc]> = []
  for (const gate of gates.gates) {
    const own = gate.timeoutSeconds === undefined ? limit : Duration.seconds(gate.timeoutSeconds)
    const checked = yield* check(site, { ...gate, limit: own })
    ran.push([checked, yield* DateTime.now])
    const words = checked.isPassed ? "passed" : `failed: ${checked.summary}`
    yield* bench.say("gate", `${grant.story.key}: gate ${gate.name} ${words}`, { run: grant.run.key, gate: gate.name })
  }
  const checks = spec === null ? null : yield* runSpec(site, gates, spec)
  const steps = grant.story.demonstrate
  const shown =
    gates.demonstrate === null || steps.length === 0
      ? null
      : yield* check(site, {
          name: "demonstrate",
          command: gates.demonstrate,
          input: steps.map((step) => `${oneLine(step)}\n`).join(""),
          limit
        })
  const failedGates = ran.flatMap(([checked]) => (checked.isPassed ? [] : [checked]))
  const others = [...(checks ?? []), ...(shown === null ? [] : [shown])].filter(({ isPassed }) => !isPassed)
  const broken = [...failedGates, ...others]
  const paths = yield* History.changedPaths(mirror, site.baseCommit, head)
  const evidence: typeof Evidence.Type = {
    gates: ran.map(([{ isPassed, name, summary }, completedAt]) => ({
      name,
      status: isPassed ? "passed" : "failed",
      summary: fitting(summary, 400),
      url: null,
      completedAt
    })),
    acceptance: criteriaOf(grant.story.acceptanceCriteria, checks),
    demonstrate: steps.map((text) => ({
      text: cut(text, 400),
      status: shown === null ? "skipped" : shown.isPassed ? "passed" : "failed",
      url: null
    })),
    diff: { ...(yield* History.diffNumbers(mirror, site.baseCommit, head)), commit: head, paths: shortened(paths) }
  }
  const counts = [
    ran.length === 0 ? gates.remark : `${ran.length - failedGates.length} of ${ran.length} gates passed`,
    checks === null
      ? "no acceptance spec"
      : `${checks.filter(({ isPassed }) => isPassed).length} of ${checks.length} checks passed`
  ]
  const isPassed = broken.length === 0
  const isAllowed =
    hasException(site, "verification_failed", null) ||
    (others.length === 0 && failedGates.every(({ name }) => hasException(site, "repeated_gate_failure", name)))
  const lines = [
    `${counts.join("; ")}.`,
    ...broken.map(({ name, summary }) => `${name}: ${summary}`),
    ...(isAllowed && !isPassed ? ["A person allowed the run to go on."] : [])
  ]
  const verified: Verified = {
    isPassed,
    isAllowed,
    evidence,
    summary: cut(lines.join("\n"), 4000),
    failures: failedGates
      .slice(0, 20)
      .map(({ name, summary }) => ({ type: "gate_failed", gate: name, reason: summary })),
    prompt: broken.map(({ name, summary, tail }) => `### ${name}\n${summary}\n\n${tail}`).join("\n\n")
  }
  return verified
})

/** Runs gates, spec and demonstration on the head, as the base commit defines them. */
export const verify = (site: Site, gates: Gates, spec: string | null, head: string) =>
  apart(site, (own) => judge(own, gates, spec, head))
