/** A check or a status of a commit, as its system reported it. */
export interface CheckReport {
  readonly name: string
  readonly outcome: "passed" | "failed" | "pending" | "ignored"
  /** Order of the reports of one name: a later one counts. */
  readonly at: number
  readonly url: string | null
}

/** Conclusions of check runs; those that nobody caused by a bad change are ignored. */
const conclusions: Readonly<Record<string, CheckReport["outcome"]>> = {
  success: "passed",
  failure: "failed",
  timed_out: "failed",
  startup_failure: "failed",
  action_required: "pending",
  cancelled: "ignored",
  skipped: "ignored",
  neutral: "ignored",
  stale: "ignored"
}

/** Outcome of a check run by its conclusion, which is null until it has one. */
export const ofConclusion = (conclusion: string | null): CheckReport["outcome"] =>
  conclusion === null ? "pending" : (conclusions[conclusion] ?? "ignored")

const states: Readonly<Record<string, CheckReport["outcome"]>> = {
  success: "passed",
  failure: "failed",
  error: "failed",
  pending: "pending"
}

/** Outcome of a commit status by its state. */
export const ofState = (state: string): CheckReport["outcome"] => states[state] ?? "ignored"

/** The newest report of each name, by name. */
export const newest = (reports: ReadonlyArray<CheckReport>): ReadonlyArray<CheckReport> => {
  const found = new Map<string, CheckReport>()
  for (const report of reports) {
    const known = found.get(report.name)
    if (known === undefined || report.at >= known.at) found.set(report.name, report)
  }
  return [...found.values()].toSorted((a, b) => (a.name < b.name ? -1 : 1))
}

export interface Health {
  readonly state: "green" | "red" | "pending" | "unknown"
  readonly failed: ReadonlyArray<CheckReport>
}

/** Health of a commit: red as soon as one check failed, green when all are over and one passed. */
export const healthOf = (reports: ReadonlyArray<CheckReport>): Health => {
  const counted = newest(reports).filter(({ outcome }) => outcome !== "ignored")
  const failed = counted.filter(({ outcome }) => outcome === "failed")
  if (failed.length > 0) return { state: "red", failed }
  if (counted.length === 0) return { state: "unknown", failed }
  return { state: counted.some(({ outcome }) => outcome === "pending") ? "pending" : "green", failed }
}

/** The checks that a commit broke: they fail at it, and did not fail at its parent. */
export const brokenBy = (head: Health, parent: Health): ReadonlyArray<CheckReport> => {
  const before = new Set(parent.failed.map(({ name }) => name))
  return head.failed.filter(({ name }) => !before.has(name))
}
