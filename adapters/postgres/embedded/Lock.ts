import { closeSync } from "node:fs"
import { join } from "node:path"
import { Effect, type Duration } from "effect"
import { attempt } from "./EmbeddedErrors.ts"
import * as Flock from "./Flock.ts"
import * as WaitFor from "./WaitFor.ts"

interface Waiting {
  readonly reason: () => string
  readonly within?: Duration.DurationInput
  /** Called each time the lock is found taken. */
  readonly meanwhile?: () => void
}

/** Passes the descriptor of a locked file to `use`, and closes it. */
export const holding =
  (path: string, { meanwhile, reason, within }: Waiting) =>
  <A, E, R>(use: (descriptor: number) => Effect.Effect<A, E, R>) =>
    Effect.suspend(() => {
      let descriptor: number | undefined
      const taken = attempt(`lock ${path}`, () => {
        descriptor = Flock.take(path)
        if (descriptor === undefined) meanwhile?.()
        return descriptor
      })
      return WaitFor.until(taken, reason, within, "50 millis").pipe(
        Effect.flatMap(use),
        Effect.ensuring(Effect.sync(() => descriptor !== undefined && closeSync(descriptor)))
      )
    })

const describeHolder = (path: string) => {
  const { host, isHere, pid } = Flock.holder(path)
  return `process ${pid}${isHere ? "" : ` of the host '${host}'`} is starting it and does not finish (${path}).`
}

/** Admits one process at a time, even when the previous one was killed while it held the lock. */
export const hold =
  (folder: string, within: Duration.DurationInput = WaitFor.deadline) =>
  <A, E, R>(use: Effect.Effect<A, E, R>) => {
    const path = join(folder, "lock")
    return holding(path, { reason: () => describeHolder(path), within })(() => use)
  }
