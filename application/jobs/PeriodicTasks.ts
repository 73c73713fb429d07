import { Cause, Effect, FiberSet, Layer, Schedule } from "effect"
import * as UptimeChecks from "../oncall/UptimeChecks.ts"
import * as Decisions from "../work/Decisions.ts"
import * as OutageLog from "./OutageLog.ts"
import { DecisionStore } from "../ports/DecisionStore.ts"
import { Inbox } from "../ports/Inbox.ts"
import { SignalStore } from "../ports/SignalStore.ts"
import { Retention } from "./Retention.ts"
import * as Scheduler from "../work/Scheduler.ts"

/** A round that fails is told once and tried again with the next. */
const every = <A, E, R>(name: string, round: Effect.Effect<A, E, R>, pause: "1 second" | "1 hour") => {
  let isFailing = false
  return round.pipe(
    Effect.tap(() => Effect.sync(() => (isFailing = false))),
    Effect.catchAllCause((cause) => {
      if (Cause.isInterruptedOnly(cause) || isFailing) return Effect.void
      isFailing = true
      return OutageLog.logFailure(`${name} failed and goes on`, cause)
    }),
    Effect.repeat(Schedule.spaced(pause)),
    Effect.forkScoped
  )
}

/** What every instance does again and again; none of it is done twice, however many instances there are. */
export const layer = Layer.scopedDiscard(
  Effect.gen(function* () {
    yield* every("expiring decisions", Decisions.expireDue(), "1 second")
    yield* every("scheduling runs", Scheduler.tick(), "1 second")
    yield* every("checking uptime", UptimeChecks.round(yield* FiberSet.make<void>()), "1 second")
    const decisions = yield* DecisionStore
    yield* every("forgetting kept answers", decisions.purgeKept, "1 hour")
    const signals = yield* SignalStore
    const { deliveryBodies, readNotifications } = yield* Retention
    yield* every("forgetting bodies of deliveries", signals.purge(deliveryBodies), "1 hour")
    const inbox = yield* Inbox
    yield* every("forgetting read notifications", inbox.purge(readNotifications), "1 hour")
  })
)
