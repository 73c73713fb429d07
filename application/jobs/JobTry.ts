import { Cause, Duration, Effect, Exit, Option, Schedule } from "effect"
import { isUrgent } from "../../domain/work/Job.ts"
import { Unavailable } from "../ports/Health.ts"
import { type Handler, JobFailed, JobHandlers, type Unfinished } from "../ports/JobHandlers.ts"
import { type WorkspaceJob, JobStore, type Progress, type TakenJob } from "../ports/JobStore.ts"
import * as Backoff from "./Backoff.ts"
import { JobPace } from "./JobPace.ts"

/** A handler's defect is a failed try too. */
const failureOf = (cause: Cause.Cause<Unfinished>): Unfinished => {
  const failure = Cause.failureOption(cause)
  if (Option.isSome(failure)) return failure.value
  const defect = Cause.squash(cause)
  return new JobFailed({ reason: defect instanceof Error ? defect.message : String(defect), isFinal: false })
}

/** Other systems' messages may be long, and hold characters that storage refuses. */
const storable = (reason: string) => reason.slice(0, 1000).replace(/\0|\p{Surrogate}/gu, "�")

/** Time after which a job whose own system is not connected is looked at again. */
const rest = Duration.hours(1)

/** First waits between two looks at work that another system has taken over. */
const looks = 60

const untilThere = Schedule.exponential("200 millis").pipe(Schedule.union(Schedule.spaced("10 seconds")))

/** Tries a job once under the lease of `holder` and writes the outcome. */
export const make = (holder: string) =>
  Effect.gen(function* () {
    const handlers = yield* JobHandlers
    const store = yield* JobStore
    const { firstWait, patience } = yield* JobPace
    const unanswered = () => new JobFailed({ reason: `No answer within ${Duration.format(patience)}.`, isFinal: false })

    /** Ends only when the outcome is stored: a try that is repeated is visible outside. */
    const note = ({ job, workspace }: WorkspaceJob, progress: Progress) =>
      Effect.as(store.note(workspace, job.id, holder, progress), progress).pipe(
        Effect.tapErrorCause((cause) =>
          // The worker logs that the database is away.
          Cause.squash(cause) instanceof Unavailable ? Effect.void : Effect.logWarning("a job waits for storage", cause)
        ),
        Effect.sandbox,
        Effect.retry(untilThere),
        Effect.orDie
      )

    const failed = ({ failures, job }: TakenJob, tries: number, { isFinal, reason }: JobFailed): Progress => {
      const plan = Backoff.plan(isUrgent(job.kind))
      const error = storable(reason)
      if (isFinal || failures + 1 >= plan.tries) return { status: "failed", tries, error }
      return { status: "running", tries, error, wait: Backoff.waitAfter(failures + 1, firstWait, plan.longest) }
    }

    const outcomeOf = (taken: TakenJob, handler: Handler) =>
      Effect.suspend(() => handler({ workspace: taken.workspace, job: taken.job })).pipe(
        Effect.timeoutFail({ duration: patience, onTimeout: unanswered }),
        Effect.exit
      )

    return Effect.fn("JobTry.try")(function* (taken: TakenJob) {
      const handler = handlers[taken.job.kind]
      const tries = taken.job.tries + 1
      if (handler === null) return yield* note(taken, { status: "no_adapter", tries: taken.job.tries })
      const exit = yield* outcomeOf(taken, handler)
      if (Exit.isSuccess(exit)) return yield* note(taken, { status: "done", tries })
      const failure = failureOf(exit.cause)
      if (failure._tag === "NotConnected") {
        const error = storable(failure.reason)
        return yield* note(taken, { status: "no_adapter", tries: taken.job.tries, error, wait: rest })
      }
      if (failure._tag === "StillWaiting") {
        const wait = Duration.times(firstWait, looks)
        return yield* note(taken, {
          status: "running",
          tries: taken.job.tries,
          error: storable(failure.reason),
          wait
        })
      }
      return yield* note(taken, failed(taken, tries, failure))
    })
  })
