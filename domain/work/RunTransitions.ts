import { Array, type DateTime, Schema } from "effect"
import type { Lease } from "./Lease.ts"
import { type Attempt, type FailureClass, type Input, queuedAttempt, Run, type RunStatus, type Stage } from "./Run.ts"
import { RunKey } from "../value/RunKey.ts"
import { skipValidation } from "../value/SkipValidation.ts"

/** Allowed transitions of an attempt; the last four statuses are final. */
export const moves: Record<RunStatus, ReadonlyArray<RunStatus>> = {
  queued: ["running", "stopped"],
  running: ["waiting", "succeeded", "failed", "timed_out", "stopped"],
  waiting: ["running", "failed", "timed_out", "stopped"],
  succeeded: [],
  failed: [],
  timed_out: [],
  stopped: []
}

export const isOver = (status: RunStatus): boolean => moves[status].length === 0

/** Runs a person may start over. */
export const isRetriable = (status: RunStatus): boolean =>
  status === "failed" || status === "timed_out" || status === "stopped"

export const withLatest = (run: Run, change: Partial<Attempt>): Run =>
  new Run(
    { ...run, attemptList: Array.append(Array.initNonEmpty(run.attemptList), { ...run.latest, ...change }) },
    skipValidation
  )

/** Only a running attempt is held. */
const move = (run: Run, status: RunStatus, change: Partial<Attempt> = {}): Run => {
  if (!moves[run.latest.status].includes(status)) return run
  const moved = withLatest(run, { ...change, status })
  return moved.lease === null || status === "running" ? moved : release(moved)
}

export const start = (run: Run, now: DateTime.Utc): Run =>
  run.latest.status === "queued" ? move(run, "running", { startedAt: now }) : run

/** Gives the attempt to a holder and begins it, unless it continues after an answer. */
export const take = (run: Run, now: DateTime.Utc, { id, runner, token, ...rest }: Omit<Lease, "fence">): Run => {
  const fence = run.fence + 1
  return new Run(
    {
      ...start(run, now),
      fence,
      lease: { id, fence, runner, token, ...rest },
      lastLease: { id, runner, token, attempt: run.latest.attempt, seq: 0, released: false, finished: false }
    },
    skipValidation
  )
}

/** Ends the lease; the attempt stays as it is. */
export const release = (run: Run): Run => new Run({ ...run, lease: null }, skipValidation)

/** True for a running attempt that a runner may take: nobody holds it, and it is not handed off. */
export const isUnheld = ({ latest, lease }: Run): boolean =>
  latest.status === "running" && lease === null && latest.stage !== "handing_off" && latest.stage !== "done"

export const wait = (run: Run): Run => {
  const waiting = move(run, "waiting")
  return waiting === run || waiting.lapses === 0 ? waiting : new Run({ ...waiting, lapses: 0 }, skipValidation)
}

/** Resumes a waiting run, in its stage or another one. */
export const resume = (run: Run, now: DateTime.Utc, stage: Stage = run.latest.stage): Run =>
  run.latest.status === "waiting"
    ? new Run({ ...move(run, "running", { stage }), resumedAt: now }, skipValidation)
    : run

export interface Failure {
  readonly failureClass?: FailureClass | null
  readonly error?: string | null
}

/** Ends the current attempt; one that is over stays as it ended. */
export const end = (
  run: Run,
  now: DateTime.Utc,
  status: "succeeded" | "failed" | "timed_out" | "stopped",
  { error = null, failureClass = null }: Failure = {}
): Run =>
  move(run, status, {
    completedAt: now,
    error: error ?? run.latest.error,
    failureClass: failureClass ?? run.latest.failureClass,
    ...(status === "succeeded" ? { stage: "done" as const } : {})
  })

export const stop = (run: Run, now: DateTime.Utc): Run => end(run, now, "stopped")

/** Queues the next attempt under the same key. Ends an unfinished attempt first; keeps one that has not begun. */
export const requeue = (run: Run, now: DateTime.Utc, failure: Failure = {}): Run => {
  if (run.latest.status === "queued") return run
  const ended = end(run, now, "failed", failure)
  const { attempt, executor } = ended.latest
  return new Run(
    { ...ended, plan: null, attemptList: Array.append(ended.attemptList, queuedAttempt(attempt + 1, executor)) },
    skipValidation
  )
}

/** Adds a person's note, if there is one, to the input the agent continues with. */
export const tell = (run: Run, input: Omit<Input, "note"> & { readonly note: string | null }): Run =>
  input.note === null || input.note === ""
    ? run
    : new Run({ ...run, inputs: [...run.inputs, { ...input, note: input.note }] }, skipValidation)

export class RunOver extends Schema.TaggedError<RunOver>()("RunOver", { run: RunKey, status: Schema.String }) {
  override get message() {
    const way = this.status === "succeeded" ? "Start another run of its story" : "Retry it to queue a new attempt"
    return `${this.run} is over (${this.status}). ${way}.`
  }
}

export class RunNotQueued extends Schema.TaggedError<RunNotQueued>()("RunNotQueued", {
  run: RunKey,
  status: Schema.String
}) {
  override get message() {
    return `${this.run} is ${this.status}; only a queued run, or one that continues after an answer, can be leased.`
  }
}

export class RunNotOver extends Schema.TaggedError<RunNotOver>()("RunNotOver", { run: RunKey, status: Schema.String }) {
  override get message() {
    return `${this.run} is ${this.status}; only a failed, timed out or stopped run can be retried.`
  }
}

export class RunNotRunning extends Schema.TaggedError<RunNotRunning>()("RunNotRunning", {
  run: RunKey,
  status: Schema.String,
  wanted: Schema.String
}) {
  override get message() {
    const way = this.status === "queued" ? "lease it first" : "answer its pending decision first"
    return `${this.run} is ${this.status}, so it cannot report ${this.wanted}: ${way}.`
  }
}

/** A runner cannot finish a run as succeeded unless it was verified. */
export class NotVerified extends Schema.TaggedError<NotVerified>()("NotVerified", {
  run: RunKey,
  stage: Schema.String
}) {
  override get message() {
    return `${this.run} is ${this.stage} and has passed no verification, so it has not succeeded: report a verification or hand it off first, or finish it as failed.`
  }
}
