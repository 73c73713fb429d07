import { Array, Schema } from "effect"
import { orNull, orZero } from "../value/Nullable.ts"
import { Action, DecisionKey, DecisionStatus, Kind, Note } from "./Decision.ts"
import * as Key from "../value/Key.ts"
import { Cents, Executor } from "../workspace/Policy.ts"
import { RunKey } from "../value/RunKey.ts"
import { LastLease, Lease } from "./Lease.ts"
import { StoryKey } from "./Story.ts"
import { TeamSlug } from "../workspace/Team.ts"
import { Line, parseUrl, Text, WebAddress } from "../value/Text.ts"
import { Timestamp } from "../value/Timestamp.ts"

export const parseKey = Key.parser(RunKey, (text) => text.toLowerCase())

export const defaultBudgetCents = 500

export const RunStatus = Schema.Literal("queued", "running", "waiting", "succeeded", "failed", "timed_out", "stopped")
export type RunStatus = typeof RunStatus.Type
export const Stage = Schema.Literal("planning", "implementing", "verifying", "handing_off", "done")
export type Stage = typeof Stage.Type
export const FailureClass = Schema.Literal("transient", "persistent", "policy", "budget", "gate", "dependency")
export type FailureClass = typeof FailureClass.Type

export const PullRequest = Schema.Struct({ url: WebAddress, number: Schema.Int.pipe(Schema.positive()) })

/** Addresses of pull requests at GitHub, GitLab, Bitbucket, Gitea, Azure and this service. */
const numbered = /^.*\/(?:pulls?|pull-requests|pullrequest|merge_requests)\/([1-9]\d*)(?:\/|$)/

/** The number that an address of a pull request names; null at hosts of another form. */
export const numberIn = (url: string): string | null => numbered.exec(parseUrl(url)?.pathname ?? "")?.[1] ?? null

/** A pull request whose number is the one of its address. */
export const ReportedPullRequest = PullRequest.pipe(
  Schema.filter(({ number, url }) => {
    const named = numberIn(url) ?? String(number)
    return named === String(number)
      ? undefined
      : { path: ["number"], message: `must be ${named}, the number of the pull request at url` }
  })
)

export const Verification = Schema.Struct({
  status: Schema.Literal("passed", "failed", "skipped"),
  summary: Text,
  completedAt: Schema.NullOr(Timestamp)
})

/** Paths a merge changed, which an investigation reads; the sender cuts long lists. */
export const ChangedPaths = Schema.optionalWith(Schema.Array(Line(500)).pipe(Schema.maxItems(1000)), { exact: true })

const GateStatus = Schema.Literal("pending", "passed", "failed", "skipped")
export const Evidence = Schema.Struct({
  gates: Schema.Array(
    Schema.Struct({
      name: Line(200),
      status: GateStatus,
      summary: Schema.NullOr(Text),
      url: Schema.NullOr(WebAddress),
      completedAt: Schema.NullOr(Timestamp)
    })
  ),
  acceptance: Schema.Array(Schema.Struct({ criterionId: Line(100), status: GateStatus })),
  demonstrate: Schema.Array(Schema.Struct({ text: Line(4000), status: GateStatus, url: Schema.NullOr(WebAddress) })),
  diff: Schema.NullOr(
    Schema.Struct({
      files: Cents,
      additions: Cents,
      deletions: Cents,
      commit: Schema.NullOr(Line(100)),
      paths: ChangedPaths
    })
  )
}).annotations({ identifier: "Evidence" })

export const Attempt = Schema.Struct({
  attempt: Schema.Int.pipe(Schema.positive()),
  status: RunStatus,
  stage: Stage,
  executor: Executor,
  costCents: Cents,
  failureClass: Schema.NullOr(FailureClass),
  error: Schema.NullOr(Text),
  verification: Schema.NullOr(Verification),
  startedAt: Schema.NullOr(Timestamp),
  completedAt: Schema.NullOr(Timestamp)
}).annotations({ identifier: "Attempt" })
export type Attempt = typeof Attempt.Type

/** An attempt that waits for an agent. */
export const queuedAttempt = (attempt: number, executor: string): Attempt => ({
  attempt,
  status: "queued",
  stage: "planning",
  executor,
  costCents: 0,
  failureClass: null,
  error: null,
  verification: null,
  startedAt: null,
  completedAt: null
})

/** A person's input that the agent continues with; the newest is last. */
export const Input = Schema.Struct({ decision: Schema.NullOr(DecisionKey), action: Schema.NullOr(Action), note: Note })
export type Input = typeof Input.Type

/** A policy exception granted to this run. */
export const Exception = Schema.Struct({ decision: DecisionKey, kind: Kind, subject: Schema.NullOr(Schema.String) })

/** The service working on one story; all its attempts share one key. */
export class Run extends Schema.Class<Run>("Run")({
  key: RunKey,
  team: TeamSlug,
  story: StoryKey,
  budgetCents: Cents,
  pullRequest: Schema.NullOr(PullRequest),
  createdAt: Timestamp,
  attemptList: Schema.NonEmptyArray(Attempt),
  evidence: Schema.NullOr(Evidence),
  inputs: Schema.Array(Input),
  exceptions: Schema.Array(Exception),
  /** Time the change was merged into main, as far as it was reported. */
  mergedAt: orNull(Timestamp),
  /** Failures of each gate since the run began. */
  gateFailures: Schema.Record({ key: Schema.String, value: Schema.NonNegativeInt }),
  lease: orNull(Lease),
  lastLease: orNull(LastLease),
  /** Number of leases so far. */
  fence: orZero,
  /** Leases in a row that lapsed. */
  lapses: orZero,
  /** Time of the last answer that let it continue. */
  resumedAt: orNull(Timestamp),
  /** Inputs that an agent has taken. */
  inputsTaken: orZero,
  /** Session of the agent, which the next lease resumes. */
  session: orNull(Line(200)),
  /** Plan of the latest attempt, for the runner that continues. */
  plan: orNull(Text)
}) {
  get latest(): Attempt {
    return Array.lastNonEmpty(this.attemptList)
  }
}

/** Branch on which a run works. */
export const branchOf = ({ key, story }: Pick<Run, "key" | "story">): string => `gatehouse/${story}-${key}`

const listed = {
  key: RunKey,
  team: TeamSlug,
  story: Schema.Struct({ key: StoryKey, title: Schema.String }),
  status: RunStatus,
  stage: Stage,
  executor: Schema.String,
  attempts: Schema.Int,
  costCents: Schema.Int,
  budgetCents: Schema.Int,
  failureClass: Schema.NullOr(FailureClass),
  pullRequest: Schema.NullOr(PullRequest),
  startedAt: Schema.NullOr(Timestamp),
  completedAt: Schema.NullOr(Timestamp),
  createdAt: Timestamp
}

/** A run as lists show it. */
export const RunSummary = Schema.Struct(listed).annotations({ identifier: "RunSummary" })
export type RunSummary = typeof RunSummary.Type

/** A run in full; its decisions are newest first. */
export const RunView = Schema.Struct({
  ...listed,
  attemptList: Schema.Array(Attempt),
  evidence: Schema.NullOr(Evidence),
  decisions: Schema.Array(Schema.Struct({ key: DecisionKey, kind: Kind, status: DecisionStatus }))
}).annotations({ identifier: "Run", title: "Run" })
export type RunView = typeof RunView.Type

/** States that a run went through, oldest first; a field that did not change is null. */
export const RunHistory = Schema.Array(
  Schema.Struct({
    at: Timestamp,
    status: Schema.NullOr(RunStatus),
    stage: Schema.NullOr(Stage),
    attempt: Schema.NullOr(Schema.Int)
  })
)
export type RunHistory = typeof RunHistory.Type

/** States of one run that are read; older ones are left out. */
export const longestRunHistory = 500

/** Sums up a run's attempts: state of the latest, cost of all, from the first start to the last end. */
export const progress = (run: Run) => ({
  status: run.latest.status,
  stage: run.latest.stage,
  executor: run.latest.executor,
  attempts: run.attemptList.length,
  costCents: run.attemptList.reduce((sum, attempt) => sum + attempt.costCents, 0),
  failureClass: run.latest.failureClass,
  startedAt: run.attemptList.find((attempt) => attempt.startedAt !== null)?.startedAt ?? null,
  completedAt: run.latest.completedAt
})

/** A gate's name may equal an inherited property, such as `constructor`. */
export const failuresOf = ({ gateFailures }: Run, gate: string): number =>
  Object.hasOwn(gateFailures, gate) ? (gateFailures[gate] ?? 0) : 0

const allowing: ReadonlySet<Kind> = new Set(["verification_failed", "repeated_gate_failure"])

/** Exceptions by which people let the run continue although its verification failed. */
export const allowancesOf = ({ exceptions }: Run) => exceptions.filter(({ kind }) => allowing.has(kind))

export class RunNotFound extends Schema.TaggedError<RunNotFound>()("RunNotFound", { run: Schema.String }) {
  override get message() {
    return `There is no run '${this.run}' in this workspace; GET /v1/runs lists them.`
  }
}
