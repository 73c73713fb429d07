import { spawn } from "node:child_process"
import { closeSync } from "node:fs"
import { Effect, Schedule, type Duration } from "effect"
import { attempt, explain, failed } from "./EmbeddedErrors.ts"
import * as ServerLog from "./ServerLog.ts"
import * as Postmaster from "./Postmaster.ts"
import { mark, spawnOptions, watch, type Account } from "./Process.ts"
import * as WaitFor from "./WaitFor.ts"

export interface Options {
  readonly postgres: string
  readonly account: Account | undefined
  readonly data: string
  readonly sockets: string
  readonly log: string
  /** A locked descriptor that all processes of the server keep open. */
  readonly claim?: number
  readonly within?: Duration.DurationInput
}

const settings = (sockets: string) => ({
  listen_addresses: "",
  unix_socket_directories: `"${sockets}"`,
  unix_socket_permissions: "0700",
  port: "5432",
  max_connections: "200",
  shared_buffers: "512MB",
  fsync: "on",
  timezone: "UTC",
  log_timezone: "UTC",
  logging_collector: "off",
  log_destination: "stderr",
  // Postgres returns failed statements to their client; logging them too would fill the disk.
  log_min_messages: "log",
  log_checkpoints: "off"
})

/** Postgres prints this while the previous server or its last children still run. */
const inUse = /lock file .* already exists|is still in use/

const launch = Effect.fn(function* (options: Options) {
  const { data, within = WaitFor.deadline } = options
  yield* Postmaster.forgetForeign(data)
  const { descriptor, from } = yield* ServerLog.open(options.log)
  const flags = Object.entries(settings(options.sockets)).flatMap(([key, value]) => ["-c", `${key}=${value}`])
  const child = yield* attempt(`run ${options.postgres}`, () => {
    try {
      const stdio = ["ignore" as const, descriptor, descriptor, ...(options.claim === undefined ? [] : [options.claim])]
      return spawn(options.postgres, [...mark(data), ...flags], { ...spawnOptions(options.account), stdio })
    } finally {
      closeSync(descriptor)
    }
  })
  let end: string | undefined
  child.once("error", (error) => (end = explain(error)))
  child.once("exit", (code, signal) => (end = signal ?? `exit code ${code}`))
  watch(child)
  child.unref()
  const ended = Effect.sync(() => end)
  const report = () => ServerLog.tail(options.log, from)
  const ready = Effect.suspend(() => {
    if (end !== undefined) return failed(`its server ended while starting (${end}). ${report()}`)
    const running = Postmaster.find(data)
    return Effect.succeed(running?.pid === child.pid && running?.status === "ready" ? running : undefined)
  })
  const abandon = Effect.sync(() => child.kill("SIGQUIT")).pipe(
    Effect.zipRight(WaitFor.until(ended, () => "", "6 seconds")),
    Effect.catchTag("EmbeddedPostgresFailed", () => Effect.sync(() => child.kill("SIGKILL")))
  )
  return yield* WaitFor.until(ready, () => `its server does not get ready. ${report()}`, within).pipe(
    Effect.onError(() => abandon)
  )
})

/** Returns the running server once it is ready; undefined when there is none, or it was stopping and has gone. */
export const join = Effect.fn(function* ({ data, log, within }: Pick<Options, "data" | "log" | "within">) {
  const look = Effect.sync(() => {
    const running = Postmaster.find(data)
    if (running === undefined) return { running }
    return running.status === "ready" ? { running } : undefined
  })
  const { running } = yield* WaitFor.until(
    look,
    () => `its running server does not get ready. ${ServerLog.tail(log)}`,
    within
  )
  return running
})

/** Starts the server, or joins one that was started a moment ago by a process that is gone. */
export const start = (options: Options) =>
  Effect.flatMap(join(options), (running) => (running === undefined ? launch(options) : Effect.succeed(running))).pipe(
    Effect.retry({
      while: (error) => inUse.test(error.reason),
      schedule: Schedule.spaced("50 millis").pipe(Schedule.upTo("3 seconds"))
    })
  )
