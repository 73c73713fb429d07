import { Cause, Deferred, type Duration, Effect, Exit, Option } from "effect"
import { Unavailable } from "../../application/ports/Health.ts"
import { isTrouble } from "./Statements.ts"

interface Waiting<A, B> {
  readonly item: A
  readonly answer: Deferred.Deferred<B>
}

const isDown = (cause: Cause.Cause<never>) =>
  Option.exists(Cause.dieOption(cause), (defect) => defect instanceof Unavailable || isTrouble(defect))

/**
 * Turns one statement for many into one for each: what comes while a batch is under way forms the next one. A queue that
 * is full refuses, since whoever waits longer gives up anyway.
 */
export const make = <A, B>(
  run: (items: ReadonlyArray<A>) => Effect.Effect<ReadonlyArray<B>>,
  options: {
    readonly most: number
    readonly slots: number
    readonly queue: number
    /** After which a batch that never ends makes room for others. */
    readonly patience: Duration.DurationInput
  }
) => {
  const queue: Array<Waiting<A, B>> = []
  let busy = 0

  const attempt = (batch: ReadonlyArray<Waiting<A, B>>) =>
    run(batch.map(({ item }) => item)).pipe(
      Effect.disconnect,
      Effect.timeoutFailCause({ duration: options.patience, onTimeout: () => Cause.die(new Unavailable()) }),
      Effect.exit
    )

  const answer = (batch: ReadonlyArray<Waiting<A, B>>, exit: Exit.Exit<ReadonlyArray<B>>) =>
    Effect.forEach(batch, (one, index) =>
      Deferred.done(
        one.answer,
        Exit.map(exit, (all) => all[index] as B)
      )
    )

  /** One that cannot be done must not take the others with it. */
  const settle = (batch: ReadonlyArray<Waiting<A, B>>): Effect.Effect<void> =>
    Effect.flatMap(attempt(batch), (exit) =>
      Exit.isFailure(exit) && batch.length > 1 && !isDown(exit.cause)
        ? Effect.forEach(batch, (one) => settle([one]), { discard: true })
        : Effect.asVoid(answer(batch, exit))
    )

  const flush = (): void => {
    if (queue.length === 0 || busy >= options.slots) return
    const batch = queue.splice(0, options.most)
    busy++
    Effect.runFork(
      Effect.ensuring(
        settle(batch),
        Effect.sync(() => {
          busy--
          flush()
        })
      )
    )
    flush()
  }

  return (item: A): Effect.Effect<B> =>
    Effect.gen(function* () {
      if (queue.length >= options.queue) return yield* Effect.die(new Unavailable())
      const answer = yield* Deferred.make<B>()
      const waiting = { item, answer }
      queue.push(waiting)
      setImmediate(flush)
      return yield* Effect.onInterrupt(Deferred.await(answer), () =>
        Effect.sync(() => {
          const place = queue.indexOf(waiting)
          if (place >= 0) queue.splice(place, 1)
        })
      )
    })
}
