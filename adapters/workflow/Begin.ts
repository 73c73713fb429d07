import { Sharding } from "@effect/cluster/Sharding"
import { WorkflowEngine } from "@effect/workflow/WorkflowEngine"
import { Context, Effect, Layer } from "effect"
import type { Errand } from "../../application/ports/JobStore.ts"
import { isUrgent } from "../../domain/work/Job.ts"
import * as Cluster from "./Cluster.ts"
import { JobWorkflow } from "./JobWorkflow.ts"

/** Hands jobs to the engine: they are begun when the transaction around it is committed, and not at all otherwise. */
export class Begin extends Context.Tag("adapters/workflow/Begin")<
  Begin,
  (errands: ReadonlyArray<Errand>) => Effect.Effect<void>
>() {}

export const layer = Layer.effect(
  Begin,
  Effect.map(
    Effect.context<WorkflowEngine | Sharding>(),
    (context) => (errands) =>
      Effect.forEach(
        errands,
        ({ job: { id, kind, tries }, workspace }) =>
          JobWorkflow.execute({ workspace, job: id, tries, isUrgent: isUrgent(kind) }, { discard: true }),
        { discard: true }
      ).pipe(
        // The engine looks for the latter where it is called from, and would find the runner's.
        Effect.provide(Context.pick(WorkflowEngine, Sharding)(context))
      )
  )
).pipe(Layer.provide(Cluster.sender))
