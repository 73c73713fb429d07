// @effect-diagnostics processEnv:off
import { spawn } from "node:child_process"
import { chmod, mkdtemp, rm } from "node:fs/promises"
import { get } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { ownPort } from "../test/support/Port.ts"
import { built } from "./Building.ts"
import { median } from "./report/Figures.ts"

/** Seconds to the first response: with a fresh data folder, and with a used one. */
export interface Starts {
  readonly times: number
  readonly cold: number
  readonly warm: number
}

/** An unknown token: to refuse it, the service must query its database. */
const headers = { authorization: `Bearer tk_${"0".repeat(32)}` }

const statusOf = (port: number) =>
  new Promise<number>((resolve) => {
    get({ host: "127.0.0.1", port, path: "/v1/teams", headers }, (response) => {
      response.resume()
      response.on("end", () => resolve(response.statusCode ?? 0))
    }).on("error", () => resolve(0))
  })

const patience = 60

/** Starts the service, waits for its first response and ends it. */
const start = async (folder: string) => {
  const port = await ownPort()
  const env = { PATH: process.env["PATH"] ?? "", HOME: process.env["HOME"] ?? "", PORT: String(port), DATA_DIR: folder }
  const began = performance.now()
  const child = spawn(process.execPath, [built.ours], { env, stdio: ["ignore", "ignore", "inherit"] })
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()))
  const elapsed = () => (performance.now() - began) / 1000
  try {
    while ((await statusOf(port)) !== 401) {
      if (child.exitCode !== null || elapsed() > patience) throw new Error("the service does not start")
      await sleep(5)
    }
    return elapsed()
  } finally {
    child.kill()
    await ended
  }
}

export const starting = async (times: number): Promise<Starts> => {
  const cold: Array<number> = []
  const warm: Array<number> = []
  for (let time = 0; time < times; time++) {
    const folder = await mkdtemp(join(tmpdir(), "gatehouse-start-"))
    await chmod(folder, 0o755)
    cold.push(await start(join(folder, "data")))
    warm.push(await start(join(folder, "data")))
    await rm(folder, { recursive: true, force: true })
  }
  return { times, cold: median(cold), warm: median(warm) }
}
