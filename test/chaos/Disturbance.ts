import { inject, type TaskContext } from "vitest"
import { type Station, station } from "../support/Station.ts"
import { crowd, type Crowd } from "./Crowd.ts"
import { instances, type Instances } from "./Instances.ts"

export const patience = inject("full") ? 900_000 : 120_000

/** Number of contested decisions. */
const decisions = inject("full") ? 1500 : 30

/** Shifts the clock of a process by that many minutes. */
const skewed = (minutes: number) => {
  const shift = `const D=Date,o=${minutes}*60000;globalThis.Date=class extends D{constructor(...a){a.length?super(...a):super(D.now()+o)}static now(){return D.now()+o}}`
  return { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(shift)}` }
}

export interface Pair {
  readonly at: Station
  readonly services: Instances
  readonly close: () => Promise<void>
}

/** A database and two instances on it, whose clocks are ten minutes apart. */
export const pair = async (folder?: string): Promise<Pair> => {
  const at = await station(folder)
  const services = await instances(at, [skewed(5), skewed(-5)])
  return {
    at,
    services,
    close: async () => {
      await services.close()
      await at.close()
    }
  }
}

/** Causes a fault while all clients work, and checks the remaining state. */
export const disturb = async (
  { at, services }: Pair,
  task: TaskContext["task"],
  trouble: (people: Crowd) => Promise<string>
) => {
  const people = await crowd(at, services.urls, decisions)
  const told = await trouble(people)
  task.meta.figures = `${told}; ${(await people.end()).figures}`
}
