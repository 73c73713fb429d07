import { type Array, Effect } from "effect"
import type { Decision } from "../../domain/work/Decision.ts"
import type { Fact } from "../../domain/work/RunReport.ts"
import type { TeamSlug } from "../../domain/workspace/Team.ts"
import type { Person } from "../workspace/Authorization.ts"
import * as Decisions from "./Decisions.ts"
import * as Runs from "./Runs.ts"
import * as Stories from "./Stories.ts"

const worked: ReadonlyArray<Array.NonEmptyReadonlyArray<Fact>> = [
  [
    {
      type: "plan_ready",
      plan: "1. Read the stored address.\n2. Offer it at checkout.\n3. Let people change it.",
      size: "l"
    }
  ],
  [
    { type: "stage", stage: "verifying" },
    { type: "cost", costCents: 42 },
    { type: "pull_request", pullRequest: { url: "https://git.example.com/shop/web/pull/512", number: 512 } }
  ],
  [{ type: "verification", status: "passed", summary: "14 of 14 gates passed." }],
  [{ type: "merged" }]
]

/** Drives one story from a wish to done through the public use cases: work, ask, answer, go on. */
export const drive = Effect.fn("DemoRun.drive")(function* (person: Person, team: TeamSlug) {
  const story = yield* Stories.create(person, {
    team,
    title: "Offer the last address at checkout",
    description: "People type the same address again and again.",
    acceptanceCriteria: ["The last address is filled in", "It can be changed"],
    demonstrate: ["Buy twice; the second time the address is there"],
    size: "l",
    column: "backlog",
    draft: false
  })
  const { run } = yield* Runs.start(person, story.key)
  const accept = ({ key, recommendation }: Decision) =>
    Decisions.answer(person, { decision: key, optionId: recommendation, note: null, idempotency: null })
  const worker = { workspace: person.workspace }
  yield* Runs.lease(worker, { team: null, run: run.key })
  let decisions = 0
  for (const facts of worked) {
    const { raised } = yield* Runs.report(worker, run.key, facts)
    yield* Effect.forEach(raised, accept, { discard: true })
    decisions += raised.length
  }
  yield* Runs.finish(worker, run.key, "succeeded")
  return { stories: 1, runs: 1, decisions }
})
