import { Duration, Effect, Layer, Queue, Schedule, Stream } from "effect"
import * as Audit from "../../domain/workspace/Audit.ts"
import type { DeliveryId } from "../../domain/oncall/Delivery.ts"
import { triage } from "../../domain/oncall/Triage.ts"
import { byOf, permit, type Person } from "../workspace/Authorization.ts"
import * as DueWork from "./DueWork.ts"
import * as OutageLog from "./OutageLog.ts"
import { SignalStore } from "../ports/SignalStore.ts"
import * as DeniedTarget from "../workspace/DeniedTarget.ts"

/** Few enough that senders hardly wait meanwhile. */
const mostAtOnce = 50

/** Triages the waiting deliveries that no other process triages; later arrivals wait for the next round. */
export const drain = Effect.fn("TriageWorker.drain")(function* () {
  const store = yield* SignalStore
  const waiting = yield* store.waiting
  let judged = 0
  for (let last = -1; last !== 0 && judged < waiting; judged += last) last = yield* store.drain(mostAtOnce, triage)
  return judged
})

/** Every arrival wakes it, and a poll in case a notification was lost. A first delivery is triaged at once, a flood when it ebbs. */
export const layer = Layer.scopedDiscard(
  Effect.gen(function* () {
    const store = yield* SignalStore
    const { failed, succeeded } = OutageLog.failuresOf("triaging deliveries failed; it is retried")
    const round = drain().pipe(
      // A database that hangs must not end the rounds; the next round triages the rest.
      Effect.disconnect,
      Effect.timeout(Duration.minutes(1)),
      Effect.tap(() => succeeded()),
      Effect.catchAllCause(failed),
      Effect.zipRight(store.calm)
    )
    const { deliveries: bell } = yield* DueWork.DueBells
    const ring = Queue.offer(bell, undefined)
    // The rounds go on without notifications.
    const words = Effect.catchAllCause(
      Stream.runForEach(store.arrivals, () => ring),
      () => Effect.void
    )
    yield* Effect.forkScoped(Effect.repeat(words, Schedule.spaced("1 second")))
    yield* Effect.forkScoped(Effect.forever(Effect.zipRight(Queue.take(bell), round)))
  })
).pipe(Layer.provide(DueWork.bells))

/** Has a delivery triaged again, with the settings of now. */
export const replay = Effect.fn("TriageWorker.replay")(function* (person: Person, id: DeliveryId) {
  yield* permit(
    person,
    "source replay",
    Effect.map(DeniedTarget.ofWorkspace(person), (of) => ({ ...of, details: { delivery: id } }))
  )
  const store = yield* SignalStore
  yield* store.replay(person.workspace, id, (source) => {
    const entity = Audit.entityOf("signal_source", source)
    return [Audit.fact(byOf(person), "signal_source_changed", entity, { details: { replayed: id } })]
  })
})
