import { Effect } from "effect"
import { gitHub } from "../test/codehost/GitHubPlace.ts"
import { proposedAt } from "../test/codehost/Proposal.ts"
import { perSecond } from "./Load.ts"
import type { Send } from "./Loading.ts"
import type { Plan } from "./Plan.ts"
import { median } from "./report/Figures.ts"
import type { Service, Stage } from "./Stage.ts"

export interface CodeHostFigures {
  /** Webhooks that are accepted a second over all connections. */
  readonly perSecond: number
  /** Median time of one, over one connection, in milliseconds. */
  readonly p50: number
  /** Calls to GitHub, in their order, that open a pull request and merge it; the second token is that of the merge. */
  readonly calls: { readonly open: ReadonlyArray<string>; readonly merge: ReadonlyArray<string> }
}

/** One pull request on the GitHub of the tests. */
const callsOfMerge = Effect.gen(function* () {
  const { host, pull, server } = yield* proposedAt(gitHub("app"))
  const page = { body: "All gates passed.", isVerified: true, summary: "All gates passed.", url: "https://gate.test/r" }
  const operations = () => server.requests.map(({ operation }) => operation ?? "other")
  yield* host.open(pull, page)
  const opening = operations()
  yield* host.merge(pull, "Merge pull request #7: Round the fees")
  return { open: opening, merge: operations().slice(opening.length) }
})

/** Measures the intake of webhooks, and counts the calls of one merge. */
export const codeHost = async (stage: Stage, plan: Plan, send: Send, ours: Service): Promise<CodeHostFigures> => {
  const service = { ...ours, database: await stage.connect(ours.database) }
  const { requests, rounds, warmUp } = plan.app
  await send(service, "hook", { requests: warmUp })
  const speeds: Array<number> = []
  const times: Array<number> = []
  for (let round = 0; round < rounds; round++) {
    speeds.push(perSecond(await send(service, "hook", { requests: plan.requests.intake })))
    times.push((await send(service, "hook", { requests, connections: 1 })).p50)
  }
  const calls = await Effect.runPromise(Effect.scoped(callsOfMerge))
  return { perSecond: median(speeds), p50: median(times), calls }
}
