import { Duration, Effect, Layer, Queue, Schedule, Stream } from "effect"
import * as Audit from "../../domain/workspace/Audit.ts"
import type { DeliveryId } from "../../domain/oncall/Delivery.ts"
import { triage } from "../../domain/oncall/Triage.ts"
import { byOf, permit, type Person } from "../workspace/Authorization.ts"
import { whenDue } from "./DueWork.ts"
import * as OutageLog from "./OutageLog.ts"
import { SignalStore } from "../ports/SignalStore.ts"
import * as DeniedTarget from "../workspace/DeniedTarget.ts"

/** Few enough that senders hardly wait meanwhile. */
const mostAtOnce = 50

/** Judges what waits and nobody else is judging; what comes meanwhile is for the next time. */
export const drain = Effect.fn("TriageWorker.drain")(function* () {
  const store = yield* SignalStore
  const waiting = yield* store.waiting
  let judged = 0
  for (let last = -1; last !== 0 && judged < waiting; judged += last) last = yield* store.drain(mostAtOnce, triage)
  return judged
})

/** Woken by every arrival, and now and then in case a word was lost. The first is judged at once, a flood when it ebbs. */
export const layer = Layer.scopedDiscard(
  Effect.gen(function* () {
    const store = yield* SignalStore
    let isFailing = false
    const round = drain().pipe(
      // A database that hangs must not end the rounds; what is cut off is judged by the next.
      Effect.disconnect,
      Effect.timeout(Duration.minutes(1)),
      Effect.tap(() => Effect.sync(() => (isFailing = false))),
      Effect.catchAllCause((cause) => {
        if (isFailing) return Effect.void
        isFailing = true
        return OutageLog.logFailure("judging deliveries failed and goes on", cause)
      }),
      Effect.zipRight(store.calm)
    )
    const everySecond = Schedule.spaced(Duration.seconds(1))
    const bell = yield* Queue.sliding<void>(1)
    const ring = Queue.offer(bell, undefined)
    // The rounds go on without notifications.
    const words = Effect.catchAllCause(
      Stream.runForEach(store.arrivals, () => ring),
      () => Effect.void
    )
    yield* Effect.forkScoped(Effect.repeat(words, everySecond))
    const poll = Effect.catchAllCause(whenDue("deliveries", ring), () => ring)
    yield* Effect.forkScoped(Effect.repeat(poll, everySecond))
    yield* Effect.forkScoped(Effect.forever(Effect.zipRight(Queue.take(bell), round)))
  })
)

/** Lets a delivery be judged once more, by what is set up now. */
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
