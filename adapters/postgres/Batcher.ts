import { Cause, Effect, Exit, Option, Runtime } from "effect"
import { Unavailable } from "../../application/ports/Health.ts"
import { isTrouble } from "./Statements.ts"

interface Waiting<A, B> {
  readonly item: A
  readonly answer: (exit: Exit.Exit<B>) => void
}

const isDown = (cause: Cause.Cause<never>) =>
  Option.exists(Cause.dieOption(cause), (defect) => defect instanceof Unavailable || isTrouble(defect))

const unavailable = Exit.die(new Unavailable())

/** Times are in milliseconds. */
export interface Options {
  readonly most: number
  readonly slots: number
  readonly queue: number
  /** After which a batch that never ends makes room for others. */
  readonly patience: number
  /** After which whoever waits is told that nobody answers. */
  readonly deadline?: number
}

/**
 * Turns one statement for many into one for each: what comes while a batch is under way forms the next one. A queue that
 * is full refuses, since whoever waits longer gives up anyway. Plain functions and timers: this is done for every
 * request, and a fiber for each would cost more than the statement it saves.
 */
export const make = <A, B>(
  runtime: Runtime.Runtime<never>,
  run: (items: ReadonlyArray<A>) => Effect.Effect<ReadonlyArray<B>>,
  options: Options
) => {
  const start = Runtime.runCallback(runtime)
  const queue: Array<Waiting<A, B>> = []
  let busy = 0
  let isDue = false

  const answer = (batch: ReadonlyArray<Waiting<A, B>>, exit: Exit.Exit<ReadonlyArray<B>>) => {
    for (const [index, one] of batch.entries())
      one.answer(Exit.isSuccess(exit) ? Exit.succeed(exit.value[index] as B) : Exit.failCause(exit.cause))
  }

  const begin = (batch: ReadonlyArray<Waiting<A, B>>, done: () => void) => {
    let isOver = false
    // Begun first, since a batch may end at once.
    const timer = setTimeout(() => {
      end(unavailable)
      stop()
    }, options.patience)
    const end = (exit: Exit.Exit<ReadonlyArray<B>>) => {
      if (isOver) return
      isOver = true
      clearTimeout(timer)
      // One that cannot be done must not take the others with it.
      if (Exit.isFailure(exit) && batch.length > 1 && !isDown(exit.cause)) alone([...batch], done)
      else {
        answer(batch, exit)
        done()
      }
    }
    const stop = start(
      Effect.suspend(() => run(batch.map(({ item }) => item))),
      { onExit: end }
    )
  }

  const alone = ([first, ...rest]: ReadonlyArray<Waiting<A, B>>, done: () => void): void =>
    first === undefined ? done() : begin([first], () => alone(rest, done))

  const flush = (): void => {
    isDue = false
    while (queue.length > 0 && busy < options.slots) {
      busy++
      begin(queue.splice(0, options.most), () => {
        busy--
        flush()
      })
    }
  }

  const wake = () => {
    if (isDue || busy >= options.slots) return
    isDue = true
    setImmediate(flush)
  }

  return (item: A): Effect.Effect<B> =>
    Effect.async((resume) => {
      if (queue.length >= options.queue) return resume(unavailable)
      const waiting: Waiting<A, B> = {
        item,
        answer: (exit) => {
          clearTimeout(timer)
          resume(exit)
        }
      }
      const forget = () => {
        clearTimeout(timer)
        const place = queue.indexOf(waiting)
        if (place >= 0) queue.splice(place, 1)
      }
      const giveUp = () => {
        forget()
        resume(unavailable)
      }
      const timer = options.deadline === undefined ? undefined : setTimeout(giveUp, options.deadline)
      queue.push(waiting)
      wake()
      return Effect.sync(forget)
    })
}
