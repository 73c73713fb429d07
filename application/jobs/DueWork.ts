import { Context, Effect, Layer, Queue, Record, Schedule } from "effect"
import { JobPace } from "./JobPace.ts"

/** Kinds of work that instances look for every two seconds; true where there may be some. */
export interface Due {
  readonly decisions: boolean
  readonly scheduling: boolean
  readonly uptimeChecks: boolean
  readonly deliveries: boolean
  readonly jobs: boolean
  readonly leases: boolean
}

const everything: Due = {
  decisions: true,
  scheduling: true,
  uptimeChecks: true,
  deliveries: true,
  jobs: true,
  leases: true
}

/** One look for all kinds, so that an idle service asks its database one question in two seconds in place of six. */
export class DueWork extends Context.Reference<DueWork>()("application/DueWork", {
  defaultValue: (): Effect.Effect<Due> => Effect.succeed(everything)
}) {}

const kinds = Record.keys(everything) as Array<keyof Due>

/** A bell for each kind of work, which each look rings when there may be some. */
export class DueBells extends Context.Tag("application/DueBells")<
  DueBells,
  Readonly<Record<keyof Due, Queue.Queue<void>>>
>() {}

/** One loop for all kinds. A look that fails rings every bell, so that the work itself meets the failure. */
export const bells = Layer.scoped(
  DueBells,
  Effect.gen(function* () {
    const look = yield* DueWork
    const { poll } = yield* JobPace
    const made = yield* Effect.all(Record.fromIterableWith(kinds, (kind) => [kind, Queue.sliding<void>(1)]))
    const ring = Effect.map(
      Effect.catchAllCause(look, () => Effect.succeed(everything)),
      (due) => {
        for (const kind of kinds) if (due[kind]) made[kind]?.unsafeOffer(undefined)
      }
    )
    yield* Effect.forkScoped(Effect.repeat(ring, Schedule.spaced(poll)))
    return made as (typeof DueBells)["Service"]
  })
)
