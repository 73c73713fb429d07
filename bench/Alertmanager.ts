// @effect-diagnostics processEnv:off
import { execFileSync, spawn } from "node:child_process"
import { existsSync } from "node:fs"
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { get } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { ownPort } from "../test/support/Port.ts"
import { compare } from "./Comparing.ts"
import type { Contender } from "./Contenders.ts"
import { perSecond } from "./Load.ts"
import type { Send } from "./Loading.ts"
import type { Plan } from "./Plan.ts"
import { quiet } from "./Quiet.ts"
import type { Stage } from "./Stage.ts"

/** Accepted alerts per second. */
export interface Beside {
  readonly version: string
  readonly ours: number
  readonly alertmanager: number
  readonly ratio: number
}

const program = () =>
  (process.env["PATH"] ?? "")
    .split(":")
    .flatMap((folder) => ["prometheus-alertmanager", "alertmanager"].map((name) => join(folder, name)))
    .find((file) => existsSync(file))

const versionOf = (file: string) =>
  /version (\S+)/.exec(execFileSync(file, ["--version"], { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] }))?.[1]

const isReady = (port: number) =>
  new Promise<boolean>((resolve) => {
    get(`http://127.0.0.1:${port}/-/ready`, (response) => {
      response.resume()
      response.on("end", () => resolve(response.statusCode === 200))
    }).on("error", () => resolve(false))
  })

/** An Alertmanager that notifies nobody. */
const launch = async (file: string) => {
  const folder = await mkdtemp(join(tmpdir(), "gatehouse-alertmanager-"))
  const config = join(folder, "alertmanager.yml")
  await writeFile(config, "route:\n  receiver: nobody\nreceivers:\n  - name: nobody\n")
  const port = await ownPort()
  const flags = [
    `--config.file=${config}`,
    `--storage.path=${folder}`,
    `--web.listen-address=127.0.0.1:${port}`,
    "--cluster.listen-address=",
    "--log.level=error"
  ]
  const child = spawn(file, flags, { stdio: "ignore" })
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()))
  const close = async () => {
    child.kill()
    await ended
    await rm(folder, { recursive: true, force: true })
  }
  const began = performance.now()
  while (!(await isReady(port))) {
    if (performance.now() - began > 20_000) {
      await close()
      throw new Error("Alertmanager does not start")
    }
    await sleep(50)
  }
  return { url: `http://127.0.0.1:${port}`, pid: child.pid ?? 0, close }
}

/** Measures the intake of alerts beside this machine's Alertmanager, if it has one. */
export const besideAlertmanager = async (
  stage: Stage,
  plan: Plan,
  send: Send,
  ours: Contender
): Promise<Beside | null> => {
  const file = program()
  if (file === undefined) return null
  const manager = { name: "alertmanager", database: ours.database, ...(await launch(file)) }
  const amount = { requests: plan.requests.intake }
  try {
    await send(manager, "alertmanager", amount)
    const { large, ratio, small } = await compare(plan.rounds, {
      what: "intake",
      unit: "/s",
      small: { of: "alertmanager", run: async () => perSecond(await send(manager, "alertmanager", amount)) },
      large: {
        of: "ours",
        run: async () => {
          const measured = await send(ours, "intake", amount)
          await quiet(stage, ours)
          return perSecond(measured)
        }
      }
    })
    return { version: versionOf(file) ?? "unknown", ours: large.value, alertmanager: small.value, ratio }
  } finally {
    await manager.close()
  }
}
