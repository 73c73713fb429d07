import { compare, type Comparison, type Grown, type Side } from "./Comparing.ts"
import { type AppWork, perSecond } from "./Load.ts"
import type { Send } from "./Loading.ts"
import type { Plan } from "./Plan.ts"
import type { Service } from "./Stage.ts"

type Pair = readonly [what: string, rest: AppWork, other: AppWork]

const pages: ReadonlyArray<Pair> = [
  ["decisions page", "pending", "decisions-page"],
  ["decision page", "decision", "decision-page"]
]

/** The tool returns the policy and the decisions of the story, too. */
const tools: ReadonlyArray<Pair> = [["get_story", "story", "get-story"]]

/** Measures requests beside the REST reads of the same data: time of one request, and requests a second. */
const beside = async (
  plan: Plan,
  send: Send,
  ours: Service,
  other: string,
  pairs: ReadonlyArray<Pair>
): Promise<ReadonlyArray<Grown>> => {
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
    { what, unit: "ms", small: time("REST", rest), large: time(other, page) },
    { what, unit: "/s", small: speed("REST", rest), large: speed(other, page) }
  ])
  for (const work of pairs.flatMap(([, ...both]) => both)) await send(ours, work, { requests: warmUp })
  const all: Array<Grown> = []
  for (const comparison of comparisons) all.push(await compare(rounds, comparison))
  return all
}

export const besideRest = (plan: Plan, send: Send, ours: Service) => beside(plan, send, ours, "page", pages)

export const toolsBesideRest = (plan: Plan, send: Send, ours: Service) => beside(plan, send, ours, "tool", tools)
