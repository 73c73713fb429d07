import { Effect } from "effect"
import { cut, printable } from "../../../domain/value/Text.ts"
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
  const { ending } = result
  const error = `The agent failed in the step ${step}: ${described(ending)}.${shellHint(site, ending)}`
  if (ending.type !== "clock") return failed("persistent", error)
  const outcome = ending.clock === "total" ? "timed_out" : "failed"
  return new AttemptFailed({ failureClass: "transient", error, outcome })
}

/** Lets the agent do one step and returns what it printed; a question or a failure ends the attempt. */
export const agentStep = Effect.fn("AgentStep.run")(function* (site: Site, step: Step, failure: string | null = null) {
  const { bench, grant, line } = site
  const agent = bench.agents.get(grant.run.executor)
  if (agent === undefined)
    return yield* failed(
      "persistent",
      `This runner has no agent '${grant.run.executor}'; it has ${[...bench.agents.keys()].join(", ")}.`
    )
  yield* bench.say("step", `${grant.story.key}: the agent works on the step ${step}`, { run: grant.run.key, step })
  line.log(`The step ${step} begins.`)
  const spent = line.spent()
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
    env: site.env,
    isolation: bench.isolation,
    session: line.session(),
    on: (event) => {
      if (event.type === "output") line.log(`[${step}] ${event.line}`)
      if (event.type === "progress") line.log(`[${step}] progress: ${cut(event.text, 2000)}`)
      if (event.type === "cost") line.cost(spent + event.costCents)
      if (event.type === "session") line.resumeBy(event.session)
    },
    onStart: site.onStart
  })
  if (result.type === "failed") return yield* failureOf(site, step, result)
  if (result.type === "question") {
    if (step === "implement" || step === "rework") yield* save(site, `Work in progress on ${grant.story.key}`)
    yield* bench.say("question", `${grant.story.key}: the agent asks a question`, { run: grant.run.key })
    yield* line.report({ type: "question", question: textOf(site, result.question) })
    return yield* failed("persistent", "The agent asked a question that the service did not pass on.")
  }
  line.log(`The step ${step} is done.`)
  return result.text
})
