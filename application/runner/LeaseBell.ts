import { Context, Effect, Layer, PubSub, Schedule, Stream } from "effect"
import { RunStore } from "../ports/RunStore.ts"

/** Wakes the requests that wait for a run; one subscription for all of them. */
export class LeaseBell extends Context.Tag("application/LeaseBell")<LeaseBell, PubSub.PubSub<void>>() {}

export const layer = Layer.scoped(
  LeaseBell,
  Effect.gen(function* () {
    const { leasable } = yield* RunStore
    const bell = yield* PubSub.sliding<void>(1)
    const ring = Stream.runForEach(leasable, () => PubSub.publish(bell, undefined))
    yield* Effect.forkScoped(Effect.repeat(Effect.ignore(ring), Schedule.spaced("1 second")))
    return bell
  })
)
