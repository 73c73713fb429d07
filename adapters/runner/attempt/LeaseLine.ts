import { Clock, Deferred, Duration, Effect, Option, Ref, Schedule } from "effect"
import type { LeaseGrant, Reported } from "../../../application/runner/LeaseGrant.ts"
import type { Fact } from "../../../domain/work/RunReport.ts"
import type { Say } from "../Output.ts"
import type { LeaseTokens } from "../git/LeaseTokens.ts"
import type { Redact } from "../SecretRedaction.ts"
import { backoff, type Service, type Trouble } from "../ServiceClient.ts"
import { logBuffer } from "./LogBuffer.ts"

/** Why the work under a lease ends before it is done. */
export type End =
  /** A decision is pending, or the run is over. */
  | { readonly type: "released"; readonly status: Reported["status"]; readonly raised: ReadonlyArray<string> }
  | { readonly type: "stopped" }
  | { readonly type: "lost"; readonly reason: string }
  | { readonly type: "key_refused"; readonly reason: string }
  | { readonly type: "shutdown" }

export interface Intervals {
  readonly renewMs: number
  readonly leaseMs: number
}

/** Bytes of a report that a log may take: alone, and beside facts. */
const [mostLog, mostLogBesideFacts] = [30_000, 12_000]

/**
 * The line to the service for one lease: it renews the lease, sends facts and logs in order, and learns when the lease
 * ends. `report` returns only while the lease is held; otherwise `over` is done and the caller is interrupted.
 */
export const open = Effect.fn("LeaseLine.open")(function* (
  service: Service,
  grant: LeaseGrant,
  intervals: Intervals,
  redact: Redact,
  say: Say,
  onDrain: Effect.Effect<void>,
  git: LeaseTokens
) {
  const over = yield* Deferred.make<End>()
  const inputs = yield* Ref.make(grant.inputs)
  const sending = yield* Effect.makeSemaphore(1)
  const log = logBuffer(redact)
  const path = { lease: grant.id }
  const { fence } = grant
  let seq = 0
  let session: string | null = grant.run.session
  let plan: string | null = grant.run.plan
  let [cost, sentCost] = [grant.run.costCents, grant.run.costCents]
  let prices: string | undefined
  const end = (reason: End) => Deferred.succeed(over, reason)

  let isAway = false
  const followed = (trouble: Trouble): Effect.Effect<void> => {
    if (trouble._tag === "ServiceAway" && !isAway) {
      isAway = true
      return say("away", `The service cannot be reached: ${trouble.message}. The agent works on meanwhile`, {
        run: grant.run.key
      })
    }
    if (trouble._tag === "KeyRefused") return Effect.asVoid(end({ type: "key_refused", reason: trouble.message }))
    if (trouble._tag === "LeaseGone") return Effect.asVoid(end({ type: "lost", reason: trouble.message }))
    return Effect.void
  }

  /** Sends until the service answers; the deadline of the lease ends the caller meanwhile. */
  const insist = <A>(call: Effect.Effect<A, Trouble>) =>
    call.pipe(
      Effect.retry({ schedule: backoff, while: ({ _tag }) => _tag === "ServiceAway" }),
      Effect.catchAll((trouble) =>
        trouble._tag === "CallRefused"
          ? Effect.die(new Error(`The service refused a report: ${trouble.message}`))
          : Effect.zipRight(followed(trouble), Effect.never)
      )
    )

  const send = (facts: ReadonlyArray<Fact>) =>
    Effect.gen(function* () {
      const text = log.take(facts.length === 0 ? mostLog : mostLogBesideFacts)
      const costs =
        cost > sentCost ? [{ type: "cost", costCents: cost, ...(prices !== undefined && { prices }) } as const] : []
      if (facts.length === 0 && costs.length === 0 && text === "") return
      const own = cost
      seq += 1
      const payload = { fence, seq, facts: [...costs, ...facts], log: text, session }
      const reported = yield* insist(service.report({ path, payload }))
      sentCost = Math.max(sentCost, own)
      for (const fact of facts) if (fact.type === "plan_ready") plan = fact.plan
      if (!reported.held) {
        yield* end({ type: "released", status: reported.status, raised: reported.raised })
        return yield* Effect.never
      }
      return
    }).pipe(sending.withPermits(1))

  const flushing = Effect.repeat(send([]), Schedule.spaced("1 second"))

  /** Sends the log that waits: a report may end the lease, and with it the log. */
  const flush = Effect.ignore(
    Effect.timeout(Effect.repeat(send([]), { until: () => log.fits(mostLogBesideFacts) }), "20 seconds")
  )

  const renewal = Effect.gen(function* () {
    const { length } = yield* Ref.get(inputs)
    const payload = { fence, lastInput: length, ...(git.isOld(yield* Clock.currentTimeMillis) && { git: true }) }
    const renewed = yield* service.renew({ path, payload })
    if (renewed.git !== undefined) git.take(renewed.git)
    // Two renewals at a time bring the same inputs.
    yield* Ref.update(inputs, (known) => (known.length === length ? [...known, ...renewed.inputs] : known))
    return renewed
  })

  /** Renews in a fiber of its own, by the duration of the lease and this machine's monotonic clock only. */
  const renewing = Effect.gen(function* () {
    let deadline = performance.now() + intervals.leaseMs
    for (;;) {
      yield* Effect.sleep(Duration.millis(intervals.renewMs))
      let asked = performance.now()
      const renew = Effect.suspend(() => {
        asked = performance.now()
        return renewal
      })
      const renewed = yield* renew.pipe(
        Effect.tapError(followed),
        Effect.retry({
          schedule: Schedule.jittered(Schedule.spaced(Duration.millis(Math.min(2000, intervals.renewMs / 4)))),
          while: ({ _tag }) => _tag === "ServiceAway"
        }),
        Effect.timeoutOption(Duration.millis(Math.max(0, deadline - asked))),
        Effect.catchAll(({ message }) => Effect.zipRight(end({ type: "lost", reason: message }), Effect.never))
      )
      if (Option.isNone(renewed)) {
        yield* end({
          type: "lost",
          reason: `the service could not be reached for ${Math.round(intervals.leaseMs / 1000)} s`
        })
        return
      }
      // The time of the request, which is before that of the answer: the lease never lasts longer than assumed here.
      deadline = asked + intervals.leaseMs
      if (isAway) yield* say("back", "The service answers again", { run: grant.run.key })
      isAway = false
      const { action } = renewed.value
      if (action === "stop") yield* end({ type: "stopped" })
      if (action === "drain") yield* onDrain
    }
  })

  yield* Effect.forkScoped(renewing)
  yield* Effect.forkScoped(flushing)

  return {
    over,
    inputs: Ref.get(inputs),
    /** Fetches what people have said since the last renewal. */
    catchUp: Effect.asVoid(insist(renewal)),
    log: log.add,
    session: () => session,
    resumeBy: (name: string) => void (session = name),
    /** Plan of the attempt, as this lease or an earlier one reported it. */
    plan: () => plan,
    spent: () => cost,
    /** Cost of the attempt so far; it is sent with the next report. */
    cost: (cents: number, version?: string) => {
      cost = Math.max(cost, cents)
      prices = version ?? prices
    },
    report: (...facts: ReadonlyArray<Fact>) =>
      Effect.suspend(() => (log.fits(mostLogBesideFacts) ? send(facts) : Effect.zipRight(flush, send(facts)))),
    finish: (outcome: "failed" | "timed_out") => insist(service.finish({ path, payload: { fence, outcome } })),
    end
  }
})
export type LeaseLine = Effect.Effect.Success<ReturnType<typeof open>>
