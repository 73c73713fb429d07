import { compare, type Comparison, type Grown, type Side } from "./Comparing.ts"
import type { Contender } from "./Contenders.ts"
import { type AppWork, perSecond } from "./Load.ts"
import type { Send } from "./Loading.ts"
import type { Plan } from "./Plan.ts"

const pairs: ReadonlyArray<readonly [what: string, rest: AppWork, page: AppWork]> = [
  ["decisions page", "pending", "decisions-page"],
  ["decision page", "decision", "decision-page"]
]

/** Measures pages of the app beside the REST reads of the same data: time of one request, and requests a second. */
export const besideRest = async (plan: Plan, send: Send, ours: Contender): Promise<ReadonlyArray<Grown>> => {
  const { requests, rounds, warmUp } = plan.app
  const time = (of: string, work: AppWork): Side => ({
    of,
    run: async () => (await send(ours, work, { requests, connections: 1 })).p50
  })
  const speed = (of: string, work: AppWork): Side => ({
    of,
    run: async () => perSecond(await send(ours, work, { requests }))
  })
  const comparisons = pairs.flatMap(([what, rest, page]): ReadonlyArray<Comparison> => [
    { what, unit: "ms", small: time("REST", rest), large: time("page", page) },
    { what, unit: "/s", small: speed("REST", rest), large: speed("page", page) }
  ])
  for (const work of pairs.flatMap(([, ...both]) => both)) await send(ours, work, { requests: warmUp })
  const all: Array<Grown> = []
  for (const comparison of comparisons) all.push(await compare(rounds, comparison))
  return all
}
