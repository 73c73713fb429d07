import { Cause, Duration, Effect, Exit, FiberRef, Option, Schedule } from "effect"
import { Unavailable } from "../../application/ports/Health.ts"
import { type Errand, JobStore, type Progress } from "../../application/ports/JobStore.ts"
import { type Handler, JobFailed, Outside } from "../../application/ports/JobHandlers.ts"
import type { JobId } from "../../domain/work/Job.ts"
import type { WorkspaceId } from "../../domain/workspace/Workspace.ts"
import { Pace } from "./Pace.ts"

/** Whatever a handler came to grief with is a failed try. */
const failureOf = (cause: Cause.Cause<JobFailed>): JobFailed => {
  const failure = Cause.failureOption(cause)
  if (Option.isSome(failure)) return failure.value
  const defect = Cause.squash(cause)
  return new JobFailed({ reason: defect instanceof Error ? defect.message : String(defect), isFinal: false })
}

/** What others say may be long, and hold characters that storage refuses. */
const storable = (reason: string) => reason.slice(0, 1000).replace(/\0|\p{Surrogate}/gu, "�")

const untilThere = Schedule.exponential("200 millis").pipe(Schedule.union(Schedule.spaced("10 seconds")))

/** Tries a job once and keeps what became of it: whether it is over, or has to be tried again. */
export const make = Effect.gen(function* () {
  const handlers = yield* Outside
  const store = yield* JobStore
  const { atOnce, patience } = yield* Pace
  const permits = yield* Effect.makeSemaphore(atOnce)
  const level = yield* FiberRef.get(FiberRef.currentMinimumLogLevel)
  const unanswered = () => new JobFailed({ reason: `No answer within ${Duration.format(patience)}.`, isFinal: false })

  /** Goes on only when storage has answered: a try that is begun anew is seen outside. */
  const patiently = <A>(effect: Effect.Effect<A>) =>
    effect.pipe(
      Effect.tapErrorCause((cause) =>
        // Of a database that is away the starter tells.
        Cause.squash(cause) instanceof Unavailable ? Effect.void : Effect.logWarning("a job waits for storage", cause)
      ),
      Effect.sandbox,
      Effect.retry(untilThere),
      Effect.orDie
    )

  const outcomeOf = (errand: Errand, handler: Handler) =>
    Effect.suspend(() => handler(errand)).pipe(
      Effect.timeoutFail({ duration: patience, onTimeout: unanswered }),
      permits.withPermits(1),
      Effect.exit
    )

  return Effect.fn("Jobs.try")(
    function* (workspace: WorkspaceId, id: JobId, tries: number, isLast: boolean) {
      const note = (progress: Progress) => {
        const outcome = progress.status === "running" ? ("again" as const) : ("over" as const)
        return Effect.as(patiently(store.note(workspace, id, progress)), outcome)
      }

      const job = yield* patiently(store.find(workspace, id))
      if (job === null) return yield* note({ status: "failed", tries, error: "The workspace was deleted." })
      if (job.status === "done") return "over" as const
      const handler = handlers.get(job.kind)
      if (handler === undefined) return yield* note({ status: "no_adapter", tries })

      const exit = yield* outcomeOf({ workspace, job }, handler)
      if (Exit.isSuccess(exit)) return yield* note({ status: "done", tries })
      const { isFinal, reason } = failureOf(exit.cause)
      return yield* note({ status: isFinal || isLast ? "failed" : "running", tries, error: storable(reason) })
    },
    Effect.locally(FiberRef.currentMinimumLogLevel, level)
  )
})
