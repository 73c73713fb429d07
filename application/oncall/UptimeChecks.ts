import { Duration, Effect, FiberSet, Schema } from "effect"
import type { DeliveryId } from "../../domain/oncall/Delivery.ts"
import { Signal } from "../../domain/oncall/Signal.ts"
import { type Check, judge, type Outcome } from "../../domain/oncall/UptimeCheck.ts"
import * as Uuid from "../../domain/value/Uuid.ts"
import { CheckStore, type Due } from "../ports/CheckStore.ts"
import { Outgoing } from "../ports/Outgoing.ts"

const mostAtOnce = 20

const encode = Schema.encodeSync(Signal)

/** A redirect is an answer like any other. */
const look = ({ timeoutSeconds, url }: Check) =>
  Effect.flatMap(Outgoing, (outgoing) =>
    outgoing.send({
      method: "GET",
      url,
      headers: { "user-agent": "Gatehouse" },
      within: Duration.seconds(timeoutSeconds)
    })
  ).pipe(
    Effect.map(({ status }): Outcome => ({ status })),
    Effect.catchTag("Unreachable", ({ problem }) =>
      Effect.succeed<Outcome>({ problem: `cannot be reached: ${problem}` })
    )
  )

const run = Effect.fn("UptimeChecks.run")(function* (due: Due) {
  const store = yield* CheckStore
  const outcome = yield* look(due.check)
  const { source, workspace } = due
  const id = (yield* Uuid.make) as DeliveryId
  yield* store.record(due, (before, now) => {
    const { health, signal } = judge(due, before, outcome, now)
    if (signal === null) return { health, delivery: null }
    const body = JSON.stringify(encode(signal))
    return { health, delivery: { workspace, source, id, name: null, signals: [signal], known: [], body } }
  })
})

/** Starts the due checks, as far as there is room, and does not wait: a hanging check holds up no other. */
export const round = Effect.fn("UptimeChecks.round")(function* (running: FiberSet.FiberSet<void>) {
  const room = mostAtOnce - (yield* FiberSet.size(running))
  if (room <= 0) return
  const store = yield* CheckStore
  yield* Effect.forEach(
    yield* store.claim(room),
    (due) =>
      FiberSet.run(
        running,
        Effect.catchAllCause(run(due), (cause) => Effect.logWarning("an uptime check failed and is skipped", cause))
      ),
    { discard: true }
  )
})
