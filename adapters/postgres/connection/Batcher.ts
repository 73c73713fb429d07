import { Cause, Effect, type Either, Exit, type Fiber, Option, Runtime } from "effect"
import { Unavailable } from "../../../application/ports/Health.ts"
import { isTrouble } from "./Transactions.ts"

interface Waiting<A, B, E> {
  readonly item: A
  readonly lane: string
  readonly by: Fiber.RuntimeFiber<unknown, unknown>
  readonly answer: (answer: Effect.Effect<B, E>) => void
}

/** True for a caller that gave up meanwhile, as when a client disconnects. */
const isGone = <A, B, E>({ by }: Waiting<A, B, E>) => by.unsafePoll() !== null

const isDown = (cause: Cause.Cause<never>) =>
  Option.exists(Cause.dieOption(cause), (defect) => defect instanceof Unavailable || isTrouble(defect))

const unavailable = Exit.die(new Unavailable())
const unanswered = Exit.die("a batch left one of its items unanswered")

export interface Options {
  readonly most: number
  readonly slots: number
  /** Limit of waiting items, in all and per lane. */
  readonly queue: number
  readonly each?: number
  /** Milliseconds after which all waiting callers give up on a database that does not answer. */
  readonly patience: number
}

/** Waiting items, with a lane for each caller. */
const lanes = <A, B, E>({ each = Infinity, queue }: Options) => {
  const waiting = new Map<string, Array<Waiting<A, B, E>>>()
  let count = 0
  return {
    add: (one: Waiting<A, B, E>): boolean => {
      const own = waiting.get(one.lane) ?? []
      if (count >= queue || own.length >= each) return false
      own.push(one)
      count++
      if (own.length === 1) waiting.set(one.lane, own)
      return true
    },
    /** Takes one item of each lane in turn; a lane with more items goes to the end. */
    take: (most: number): ReadonlyArray<Waiting<A, B, E>> => {
      const taken: Array<Waiting<A, B, E>> = []
      for (const [name, own] of waiting) {
        const first = own.shift()
        count--
        waiting.delete(name)
        if (own.length > 0) waiting.set(name, own)
        if (first !== undefined && !isGone(first)) taken.push(first)
        if (taken.length >= most) break
      }
      return taken
    },
    isEmpty: () => count === 0
  }
}

/**
 * Turns one statement for many into one for each: items that arrive during a batch form the next one. A full queue
 * refuses, since callers that wait longer give up anyway. Plain functions and timers: this runs for every request, and
 * a fiber for each would cost more than the statement it saves.
 */
export const make = <A, B, E>(
  runtime: Runtime.Runtime<never>,
  run: (items: ReadonlyArray<A>) => Effect.Effect<ReadonlyArray<Either.Either<B, E>>>,
  options: Options
) => {
  const start = Runtime.runCallback(runtime)
  const waiting = lanes<A, B, E>(options)
  let busy = 0
  let isDue = false
  /** Batches that the database answered, with results or with an error. */
  let answered = 0

  const answer = (batch: ReadonlyArray<Waiting<A, B, E>>, exit: Exit.Exit<ReadonlyArray<Either.Either<B, E>>>) => {
    for (const [index, one] of batch.entries())
      one.answer(Exit.isSuccess(exit) ? (exit.value[index] ?? unanswered) : Exit.failCause(exit.cause))
  }

  /** Runs a batch and then the rest, one by one. */
  const begin = (
    batch: ReadonlyArray<Waiting<A, B, E>>,
    rest: ReadonlyArray<Waiting<A, B, E>>,
    done: () => void
  ): void => {
    const before = answered
    let isOver = false
    const giveUp = () => {
      if (isOver) return
      isOver = true
      answer(batch, unavailable)
      if (answered === before) {
        answer([...rest, ...waiting.take(Infinity)], unavailable)
        setImmediate(done)
      } else setImmediate(alone, rest, done)
      stop()
    }
    // Begins before the batch, which may end at once; an answer that came while this process was busy is read first.
    const timer = setTimeout(() => setImmediate(giveUp), options.patience)
    const end = (exit: Exit.Exit<ReadonlyArray<Either.Either<B, E>>>) => {
      if (isOver) return
      isOver = true
      answered++
      clearTimeout(timer)
      // One failing item must not fail the others.
      if (Exit.isFailure(exit) && batch.length > 1 && !isDown(exit.cause)) alone(batch, done)
      else {
        // Starts the next batch first, so that the database works on it while this batch is answered.
        setImmediate(alone, rest, done)
        setImmediate(answer, batch, exit)
      }
    }
    const stop = start(
      Effect.suspend(() => run(batch.map(({ item }) => item))),
      { onExit: end }
    )
  }

  const alone = ([first, ...rest]: ReadonlyArray<Waiting<A, B, E>>, done: () => void): void =>
    first === undefined ? done() : begin([first], rest, done)

  const flush = (): void => {
    isDue = false
    while (!waiting.isEmpty() && busy < options.slots) {
      const batch = waiting.take(options.most)
      if (batch.length === 0) return
      busy++
      begin(batch, [], () => {
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

  /** Lanes take turns, so that a client with many requests waits only for itself. */
  return (item: A, lane = ""): Effect.Effect<B, E> =>
    Effect.withFiberRuntime((by) =>
      Effect.async((resume) => {
        if (!waiting.add({ item, lane, by, answer: resume })) return resume(unavailable)
        wake()
      })
    )
}
