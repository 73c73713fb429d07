import { built } from "./Building.ts"
import { compare, type Comparison, type Grown, type Side } from "./Comparing.ts"
import type { Contender } from "./Contenders.ts"
import { type Generator, type Measured, perSecond } from "./Load.ts"
import type { Amount, Send } from "./Loading.ts"
import type { Plan } from "./Plan.ts"
import { count } from "./report/Table.ts"
import type { Database, Service, Stage } from "./Stage.ts"

type Read = "page" | "one" | "audit"

const words: Readonly<Record<Read, string>> = {
  page: "page of decisions",
  one: "one run",
  audit: "filtered page of the audit log"
}

/** Combines measurements that ran at once. */
const together = (all: ReadonlyArray<Measured>) => {
  const begins = all.map(({ began }) => began / 1000)
  const ends = all.map(({ began, seconds }) => began / 1000 + seconds)
  return {
    requests: all.reduce((sum, { requests }) => sum + requests, 0),
    seconds: Math.max(...ends) - Math.min(...begins)
  }
}

/** Cost of more pages, rows, callers, connections and processes for our service. */
export const growth = async (stage: Stage, plan: Plan, send: Send, ours: Contender, second: Generator) => {
  const { requests, rounds, warmUp } = plan.growth
  const [few, many] = [plan.small, plan.size]
  const crowd = few.tokens * plan.crowd

  /** A process's history makes a quarter of its speed, so compared processes have done the same work. */
  const open = async (database: Database, callers: number) => {
    const service = await stage.start("ours", built.ours, database)
    for (const work of ["page", "one", "audit"] as const) await send(service, work, { requests: warmUp, callers })
    return service
  }
  const holding = async (name: string, tokens: number) => (await stage.create(name, { ...few, tokens })).database
  const small = await open(await holding("small", few.tokens), few.tokens)
  const crowded = await open(await holding("crowded", crowd), crowd)
  const twin = await open(ours.database, few.tokens)

  const side = (of: string, service: Service, work: Read, more: Partial<Amount> = {}): Side => ({
    of,
    run: async () => (await send(service, work, { requests, ...more })).p50
  })
  const of = (n: number, noun: string) => `${count(n)} ${noun}`
  const deeper = (work: "page" | "audit"): Comparison => ({
    what: words[work],
    unit: "ms",
    small: side("page 1", ours, work),
    large: side(`page ${count(ours.deep[work].page)}`, ours, work, { paths: ours.deep[work].paths })
  })
  const larger = (work: Read, noun: "rows" | "entries"): Comparison => ({
    what: words[work],
    unit: "ms",
    small: side(of(few[noun], noun), small, work, { callers: few.tokens }),
    large: side(of(many[noun], noun), twin, work, { callers: few.tokens })
  })
  const speed = (of: string, connections: number): Side => ({
    of,
    run: async () => perSecond(await send(ours, "one", { requests, connections }))
  })
  /** From two generators either way, with half of the load each. */
  const shared = (name: string, other: Service): Side => ({
    of: name,
    run: async () => {
      const half = { requests: requests / 2, connections: plan.connections / 2 }
      return perSecond(together(await Promise.all([send(ours, "one", half), send(other, "one", half, second)])))
    }
  })

  const comparisons: ReadonlyArray<Comparison> = [
    {
      what: words.one,
      unit: "ms",
      small: side(of(few.tokens, "tokens"), small, "one", { callers: few.tokens }),
      large: side(of(crowd, "tokens"), crowded, "one", { callers: crowd })
    },
    deeper("page"),
    deeper("audit"),
    larger("page", "rows"),
    larger("one", "rows"),
    larger("audit", "entries"),
    { what: words.one, unit: "/s", small: speed("1 connection", 1), large: speed("64 connections", 64) },
    { what: words.one, unit: "/s", small: shared("1 process", ours), large: shared("2 processes", twin) }
  ]
  const grown: Array<Grown> = []
  for (const comparison of comparisons) grown.push(await compare(rounds, comparison))
  for (const service of [small, crowded, twin]) await service.close()
  return grown
}
