import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import { Deferred, Effect, Fiber } from "effect"
import * as RunnerSettings from "./adapters/RunnerSettings.ts"
import * as Doctor from "./adapters/runner/Doctor.ts"
import * as Runner from "./adapters/runner/Runner.ts"

/** The first signal drains the runner, the second ends its attempts now. */
const heard = Effect.gen(function* () {
  const signals: Runner.Signals = { drain: yield* Deferred.make<void>(), now: yield* Deferred.make<void>() }
  let count = 0
  const hear = () => Deferred.unsafeDone(count++ === 0 ? signals.drain : signals.now, Effect.void)
  yield* Effect.sync(() => process.on("SIGTERM", hear).on("SIGINT", hear))
  return signals
})

const isDoctor = process.argv[3] === "doctor"

const program = Effect.gen(function* () {
  if (isDoctor) return yield* Effect.flatMap(Doctor.examine, (code) => Effect.sync(() => process.exit(code)))
  const settings = yield* RunnerSettings.all
  const code = yield* Runner.run(settings, process.argv.includes("--json"), yield* heard)
  return yield* Effect.sync(() => process.exit(code))
}).pipe(Effect.provide(FetchHttpClient.layer))

/** Runs until it is drained or refused. A signal interrupts the main fiber, but not the runner: it drains first. */
export const runner = Effect.uninterruptible(
  Effect.flatMap(Effect.forkDaemon(Effect.interruptible(program)), (fiber) => Fiber.join(fiber))
)
