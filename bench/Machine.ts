// @effect-diagnostics globalDate:off
import { existsSync, readFileSync } from "node:fs"
import { arch, cpus, loadavg, platform, totalmem } from "node:os"

export interface Machine {
  readonly date: string
  readonly cores: number
  readonly model: string
  readonly gigabytes: number
  readonly system: string
  readonly node: string
  readonly postgres: string
  /** Load over the 15 minutes before the start. */
  readonly loadBefore: number
}

const loadBefore = loadavg()[2] ?? 0

/** Arm processors do not report their name to Node, but their part number to Linux. */
const partOf = () => {
  const file = "/proc/cpuinfo"
  const part = existsSync(file) ? /CPU part\s*: (\w+)/.exec(readFileSync(file, "utf8"))?.[1] : undefined
  return part === undefined ? "processor of unknown model" : `processor part ${part}`
}

export const machine = (postgres: string): Machine => {
  const all = cpus()
  const model = all[0]?.model ?? ""
  return {
    date: new Date().toISOString().slice(0, 10),
    cores: all.length,
    model: model === "" || model === "unknown" ? partOf() : model,
    gigabytes: Math.round(totalmem() / 2 ** 30),
    system: `${platform()} ${arch()}`,
    node: process.versions.node,
    postgres,
    loadBefore
  }
}
