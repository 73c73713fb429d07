import { readFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, assert, beforeAll, inject, it } from "vitest"
import { station } from "../support/Station.ts"
import { apart } from "../support/Apart.ts"
import { eventually } from "../support/Process.ts"
import * as Prepared from "../support/Prepared.ts"
import { instances } from "./Instances.ts"
import { disturb, patience, type Pair } from "./Disturbance.ts"

const [kills, intruders] = inject("full") ? [10, 10] : [1, 1]
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

let folder: string
let own: Record<string, string>
let here: Pair
beforeAll(async () => {
  folder = Prepared.folder()
  const at = await station(folder)
  own = { ...at.settings, DATABASE_URL: "", DATA_DIR: folder, DEMO: "off" }
  const services = await instances(at, [own, own])
  const close = async () => {
    await services.close()
    await at.close()
  }
  here = { at, services, close }
}, patience)
afterAll(() => here.close(), patience)

const postmaster = () => {
  try {
    return Number(readFileSync(join(folder, "postgres", "postmaster.pid"), "utf8").split("\n")[0])
  } catch {
    return 0
  }
}

it(
  `kill -9 of the embedded Postgres under two services, ${kills} times, loses and doubles nothing`,
  ({ task }) =>
    disturb(here, task, async (people) => {
      let slowest = 0
      for (let kill = 0; kill < kills; kill++) {
        // Five deaths within a minute would be too many.
        if (kill > 0) await pause(16_000)
        await people.until(30)
        const pid = postmaster()
        process.kill(pid, "SIGKILL")
        const gone = performance.now()
        await eventually(
          () => "another server",
          () => ([0, pid].includes(postmaster()) ? undefined : true),
          60
        )
        await people.until(20)
        slowest = Math.max(slowest, performance.now() - gone)
      }
      return `${kills} kills of the server, served again ${(slowest / 1000).toFixed(1)} s after at the latest`
    }),
  patience
)

it(
  `${intruders} services of another pid namespace on the same folder under load are refused, and nothing is lost`,
  ({ task }) =>
    disturb(here, task, async (people) => {
      const [command = "env", ...flags] = apart ?? []
      for (let intruder = 0; intruder < intruders; intruder++) {
        await people.until(20)
        const pid = postmaster()
        const program = here.at.launch(command, [...flags, process.execPath, "dist/main.js"], own)
        if (apart === null) {
          // Without namespaces it may join, and does.
          await program.says(/^Gatehouse is at/m)
          program.signal("SIGTERM")
        }
        const { code, err } = await program.ended()
        assert.deepStrictEqual([code, err.includes("set DATABASE_URL")], apart === null ? [0, false] : [1, true], err)
        assert.strictEqual(postmaster(), pid)
      }
      await people.until(20)
      return apart === null ? "no namespaces on this machine" : `${intruders} refused`
    }),
  patience
)
