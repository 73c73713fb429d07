import { readFileSync, rmSync } from "node:fs"
import { join } from "node:path"
import { Effect, type Duration } from "effect"
import { attempt } from "./EmbeddedErrors.ts"
import * as Process from "./Process.ts"
import * as WaitFor from "./WaitFor.ts"

/** Content of a server's postmaster.pid. */
export interface Running {
  readonly pid: number
  readonly port: number
  readonly sockets: string
  readonly status: string
}

const pidFile = (data: string) => join(data, "postmaster.pid")

const readPidFile = (data: string): Running | undefined => {
  try {
    const lines = readFileSync(pidFile(data), "utf8").split("\n")
    const [pid = "", , , port = "", sockets = "", , , status = ""] = lines
    return { pid: Number(pid), port: Number(port), sockets, status: status.trim() }
  } catch {
    return undefined
  }
}

/** The server of this data folder; a pid that now belongs to another program is none. */
export const find = (data: string): Running | undefined => {
  const found = readPidFile(data)
  return found !== undefined && Process.serves(found.pid, data) ? found : undefined
}

/** Postgres does not start while any process of its user has the pid in the file. */
export const forgetForeign = (data: string) =>
  attempt(`remove ${pidFile(data)}`, () => {
    const found = readPidFile(data)
    if (found !== undefined && Process.isForeign(found.pid, data)) rmSync(pidFile(data), { force: true })
  })

const signal = (pid: number, name: NodeJS.Signals) => Effect.sync(() => Process.kill(pid, name))

/** Fast shutdown, then after ten seconds an immediate one; the WAL keeps the data consistent either way. */
export const stop = Effect.fn(function* (pid: number, data: string) {
  const gone = (within: Duration.DurationInput) =>
    WaitFor.until(
      Effect.sync(() => (Process.serves(pid, data) ? undefined : true)),
      () => `its process ${pid} does not stop.`,
      within
    )
  yield* signal(pid, "SIGINT")
  yield* gone("10 seconds").pipe(
    Effect.catchTag("EmbeddedPostgresFailed", () => Effect.zipRight(signal(pid, "SIGQUIT"), gone("10 seconds")))
  )
})
