import { execFileSync } from "node:child_process"
import { existsSync, readFileSync } from "node:fs"
import { setTimeout as sleep } from "node:timers/promises"
import { built } from "./Building.ts"
import { mean } from "./report/Figures.ts"
import type { Work } from "./Load.ts"
import type { Send } from "./Loading.ts"
import type { Plan } from "./Plan.ts"
import type { Database, Service, Stage } from "./Stage.ts"

/** Resident memory of a process in megabytes. */
const resident = (pid: number) => {
  const file = `/proc/${pid}/status`
  const kilobytes = existsSync(file)
    ? /VmRSS:\s+(\d+)/.exec(readFileSync(file, "utf8"))?.[1]
    : execFileSync("ps", ["-o", "rss=", "-p", String(pid)], { encoding: "utf8" })
  return Number(kilobytes) / 1024
}

const peakDuring = async (pid: number, work: () => Promise<unknown>) => {
  let peak = 0
  const look = () => (peak = Math.max(peak, resident(pid)))
  const timer = setInterval(look, 50)
  try {
    await work()
    look()
  } finally {
    clearInterval(timer)
  }
  return peak
}

export interface ExportMemory {
  readonly exports: number
  /** Largest growth in megabytes: one export after the other, then four at once. */
  readonly alone: number
  readonly four: number
}

/** In separate processes, warm but without an earlier export. */
export const ofExports = async (stage: Stage, plan: Plan, send: Send, database: Database): Promise<ExportMemory> => {
  const measure = async (connections: number) => {
    const service = await stage.start("ours", built.ours, database)
    for (const work of ["page", "one", "audit"] as const) await send(service, work, { requests: plan.requests[work] })
    await sleep(1000)
    const before = resident(service.pid)
    const exporting = () => send(service, "export", { requests: plan.exports / 2, connections })
    const peak = await peakDuring(service.pid, exporting)
    await service.close()
    return peak - before
  }
  return { exports: plan.exports, alone: await measure(1), four: await measure(4) }
}

export interface MixedMemory {
  readonly seconds: number
  readonly requests: number
  /** Means, in megabytes, over three tenths of the time each, since garbage collection runs at any time. */
  readonly early: number
  readonly late: number
}

/** Requests of each second. */
const mix: ReadonlyArray<readonly [Work, number]> = [
  ["page", 40],
  ["intake", 20],
  ["one", 40],
  ["resolve", 10],
  ["teams", 40],
  ["audit", 10]
]

export const overTime = async (plan: Plan, send: Send, service: Service): Promise<MixedMemory> => {
  const samples: Array<{ readonly at: number; readonly megabytes: number }> = []
  const began = performance.now()
  const elapsed = () => (performance.now() - began) / 1000
  let requests = 0
  for (let second = 1; elapsed() < plan.mixedSeconds; second++) {
    for (const [work, count] of mix) {
      await send(service, work, { requests: count, connections: 8 })
      requests += count
    }
    samples.push({ at: elapsed() / plan.mixedSeconds, megabytes: resident(service.pid) })
    await sleep(Math.max(0, (second - elapsed()) * 1000))
  }
  const between = (from: number, to: number) =>
    mean(samples.filter(({ at }) => at >= from && at < to).map(({ megabytes }) => megabytes))
  return { seconds: plan.mixedSeconds, requests, early: between(0.2, 0.5), late: between(0.7, Infinity) }
}
