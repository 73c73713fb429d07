import * as Activity from "@effect/workflow/Activity"
import * as DurableClock from "@effect/workflow/DurableClock"
import * as Workflow from "@effect/workflow/Workflow"
import { Effect, Layer, Schema } from "effect"
import { JobId } from "../../domain/work/Job.ts"
import { WorkspaceId } from "../../domain/workspace/Workspace.ts"
import * as Backoff from "./Backoff.ts"
import { Pace } from "./Pace.ts"
import * as Tries from "./Tries.ts"

/**
 * One round of tries. A job that is taken again has more tries behind it, which makes it another round.
 * A handler's defect ends in its try, so a defect here is trouble with storage: the engine begins the round anew.
 */
export const JobWorkflow = Workflow.make({
  name: "Job",
  payload: {
    workspace: WorkspaceId,
    job: JobId,
    tries: Schema.NonNegativeInt,
    isUrgent: Schema.Boolean
  },
  idempotencyKey: ({ job, tries }) => `${job}/${tries}`
}).annotate(Workflow.CaptureDefects, false)

/** What tells the engine how to go through a round. */
export const layer = Layer.unwrapEffect(
  Effect.gen(function* () {
    const attempt = yield* Tries.make
    const { firstWait } = yield* Pace
    return JobWorkflow.toLayer(({ isUrgent, job, tries, workspace }) =>
      Effect.gen(function* () {
        const plan = Backoff.plan(isUrgent)
        for (let failed = 1; failed <= plan.tries; failed++) {
          const number = tries + failed
          const outcome = yield* Activity.make({
            name: `try ${number}`,
            success: Schema.Literal("over", "again"),
            execute: attempt(workspace, job, number, failed === plan.tries)
          })
          if (outcome === "over") return
          yield* DurableClock.sleep({
            name: `after try ${number}`,
            duration: Backoff.waitAfter(failed, firstWait, plan.longest),
            // A shutdown waits for what sleeps in memory.
            inMemoryThreshold: "2 seconds"
          })
        }
      })
    )
  })
)
