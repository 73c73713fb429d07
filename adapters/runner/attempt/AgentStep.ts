import { Effect } from "effect"
import { printable } from "../../../domain/value/Text.ts"
import { cutWords } from "../SecretRedaction.ts"
import type { Result, Step } from "../agent/Agent.ts"
import { described, type Ending } from "../process/Child.ts"
import { AttemptFailed, failed } from "./Bench.ts"
import { fitting } from "./LogBuffer.ts"
import { promptOf } from "./Prompts.ts"
import { save, type Site } from "./Site.ts"

/** Longest text of an agent in a fact, in bytes. */
const mostText = 40_000

/** Text of an agent as a fact may carry it. */
export const textOf = (site: Site, text: string): string => fitting(site.redact(printable(text)), mostText)

/** Exit codes of a shell that cannot run a command. A shell line is not checked at the start. */
const shellCodes: Readonly<Record<number, string>> = { 126: "execute", 127: "find" }

const shellHint = ({ bench }: Site, ending: Ending): string => {
  const verb = ending.type === "exited" && ending.code !== null ? shellCodes[ending.code] : undefined
  const { isolation, settings } = bench
  const who = isolation.account === undefined ? "the user of the runner" : `the user of the agents, ${settings.user}`
  return verb === undefined
    ? ""
    : ` The shell could not ${verb} a program of RUNNER_CUSTOM_COMMAND, or the agent one of its own, as ${who}; 'gatehouse run logs' has its words.`
}

const failureOf = (site: Site, step: Step, result: Extract<Result, { type: "failed" }>) => {
  const { ending, problem } = result
  const words = problem?.words ?? described(ending)
  const error = `The agent failed in the step ${step}: ${words}${words.endsWith(".") ? "" : "."}${problem === undefined ? shellHint(site, ending) : ""}${refusals(site)}`
  if (ending.type === "clock") {
    const outcome = ending.clock === "total" ? "timed_out" : "failed"
    return new AttemptFailed({ failureClass: "transient", error, outcome })
  }
  const failureClass = problem?.failureClass ?? "persistent"
  return failed(failureClass === "persistent" && site.refused.length > 0 ? "policy" : failureClass, error)
}

/** Says which calls the agent's own program refused. */
export const refusals = ({ refused }: Site): string =>
  refused.length === 0 ? "" : ` Its program refused: ${refused.slice(0, 5).join("; ")}.`

/** Lets the agent do one step and returns what it printed; a question or a failure ends the attempt. */
export const agentStep = Effect.fn("AgentStep.run")(function* (site: Site, step: Step, failure: string | null = null) {
  const { bench, grant, line, mcp } = site
  const agent = bench.agents.get(grant.run.executor)
  if (agent === undefined)
    return yield* failed(
      "persistent",
      `This runner has no agent '${grant.run.executor}'; it has ${[...bench.agents.keys()].join(", ")}.`
    )
  const isWriting = step === "implement" || step === "rework"
  yield* bench.say("step", `${grant.story.key}: the agent works on the step ${step}`, { run: grant.run.key, step })
  line.log(`The step ${step} begins.`)
  for (;;) {
    const spent = line.spent()
    site.refused = []
    mcp.forget()
    const result = yield* agent.work({
      step,
      prompt: promptOf(step, grant, {
        plan: line.plan(),
        inputs: yield* line.inputs,
        failure,
        denied: grant.policy.deniedPaths,
        base: site.base,
        conflicts: site.conflicts
      }),
      folder: site.tree.path,
      env: { ...site.env, GATEHOUSE_MCP_URL: mcp.url },
      isolation: bench.isolation,
      session: line.session(),
      mcp,
      budgetCents: grant.budgetLeftCents - (spent - grant.run.costCents),
      on: (event) => {
        if (event.type === "output") line.log(`[${step}] ${event.line}`)
        if (event.type === "progress") line.log(`[${step}] progress: ${cutWords(event.text, 2000)}`)
        if (event.type === "cost") line.cost(spent + event.costCents, event.prices)
        if (event.type === "session") line.resumeBy(event.session)
        if (event.type === "refused") {
          site.refused = [...site.refused, event.tool]
          line.log(`[${step}] refused by the agent's program: ${event.tool}`)
        }
      },
      onStart: site.onStart
    })
    if (result.type === "failed") {
      // The cost ends the lease where it uses up the budget, and people are asked.
      if (result.problem?.failureClass === "budget") yield* line.report()
      return yield* failureOf(site, step, result)
    }
    if (result.type === "question") {
      if (isWriting) yield* save(site, `Work in progress on ${grant.story.key}`)
      yield* bench.say("question", `${grant.story.key}: the agent asks a question`, { run: grant.run.key })
      yield* line.report({ type: "question", question: textOf(site, result.question) })
      return yield* failed("persistent", "The agent asked a question that the service did not pass on.")
    }
    if (!mcp.awaits()) {
      line.log(`The step ${step} is done.`)
      return result.text
    }
    // It asked through the tools, and has nothing left to do without the answer.
    if (isWriting) yield* save(site, `Work in progress on ${grant.story.key}`)
    yield* bench.say("question", `${grant.story.key}: the agent awaits an answer`, { run: grant.run.key })
    line.log(`The step ${step} awaits an answer.`)
    yield* line.report({ type: "answer_awaited" })
    yield* line.catchUp
    line.log(`The answer is there; the step ${step} goes on.`)
    site.isUnsaved = isWriting
  }
})
