import type { Generator, Measured, Order } from "./Load.ts"
import type { Plan } from "./Plan.ts"
import type { Service } from "./Stage.ts"

/** Overrides of the plan's amounts. */
export interface Amount {
  readonly requests: number
  readonly connections?: number
  readonly callers?: number
  readonly paths?: ReadonlyArray<string>
}

const accepted: ReadonlySet<Order["work"]> = new Set(["intake", "intake-batch", "hook"])
const expected = (work: Order["work"]) => (accepted.has(work) ? 202 : 200)

export type Send = (service: Service, work: Order["work"], amount: Amount, generator?: Generator) => Promise<Measured>

/** Sends work to services; never sends a request twice to one database. An unexpected answer ends the benchmark. */
export const sender = (plan: Plan, usual: Generator): Send => {
  const taken = new Map<string, number>()
  return async ({ database, name, url }, work, amount, generator = usual) => {
    const { callers: tokens = plan.callers, connections = plan.connections, paths, requests } = amount
    const { rows } = database.size
    const key = `${database.name} ${work}`
    const from = taken.get(key) ?? 0
    taken.set(key, from + requests)
    if (work === "resolve" && from + requests > rows) throw new Error(`no decision of ${database.name} waits any more`)
    const measured = await generator.load({
      url,
      work,
      requests,
      connections,
      from,
      tokens,
      rows,
      source: database.source,
      app: database.app,
      ...(database.hook ? { hook: database.hook } : {}),
      ...(paths ? { paths } : {})
    })
    if (measured.statuses[expected(work)] !== requests)
      throw new Error(`${name} answered ${work} with ${JSON.stringify(measured.statuses)}`)
    return measured
  }
}
