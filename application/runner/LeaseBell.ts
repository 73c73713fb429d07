import { Context, type Duration, Effect, Layer, PubSub, Queue, Schedule, Stream } from "effect"
import type { WorkspaceId } from "../../domain/workspace/Workspace.ts"
import { RunStore } from "../ports/RunStore.ts"

/** Wakes the requests that wait for a run of a workspace; null wakes all. One subscription for all of them. */
export class LeaseBell extends Context.Tag("application/LeaseBell")<LeaseBell, PubSub.PubSub<WorkspaceId | null>>() {}

/** Hints kept for a request that is busy; it looks again by itself in time. */
const mostKept = 256

export const layer = Layer.scoped(
  LeaseBell,
  Effect.gen(function* () {
    const { leasable } = yield* RunStore
    const bell = yield* PubSub.sliding<WorkspaceId | null>(mostKept)
    const ring = Stream.runForEach(leasable, (workspace) => PubSub.publish(bell, workspace))
    yield* Effect.forkScoped(Effect.repeat(Effect.ignore(ring), Schedule.spaced("1 second")))
    return bell
  })
)

/** Waits for a hint of the workspace, for a while at most. */
export const rung = (
  hints: Queue.Dequeue<WorkspaceId | null>,
  workspace: WorkspaceId,
  atMost: Duration.Duration
): Effect.Effect<void> =>
  Queue.take(hints).pipe(
    Effect.repeat({ until: (of) => of === null || of === workspace }),
    Effect.timeoutOption(atMost),
    Effect.asVoid
  )
