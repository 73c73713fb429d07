import { ConfigError, Effect, Option } from "effect"
import type { AgentName, AgentSettings, RunnerSettings } from "../../RunnerSettings.ts"
import { type Isolation, outputOf } from "../process/Isolation.ts"
import type { Agent } from "./Agent.ts"
import { claudeCode } from "./ClaudeCode.ts"
import { codex } from "./Codex.ts"
import { customAgent } from "./CustomAgent.ts"
import { geminiCli } from "./GeminiCli.ts"
import { openCode } from "./OpenCode.ts"
import { patience, type Program, programAgent } from "./ProgramAgent.ts"

type Kind = Exclude<AgentName, "custom">

/** The programs behind the agents, with the settings of the operator. */
export const programs = (settings: AgentSettings): Readonly<Record<Kind, Program>> => {
  const model = (name: Kind) => settings.models.get(name) ?? null
  return {
    "claude-code": claudeCode({
      model: model("claude-code"),
      settings: Option.getOrNull(Option.map(settings.claudeSettings, ({ path }) => path)),
      eurPerUsd: settings.prices.eurPerUsd
    }),
    codex: codex({
      model: model("codex"),
      config: Option.getOrElse(
        Option.map(settings.codexConfig, ({ text }) => text),
        () => ""
      )
    }),
    "gemini-cli": geminiCli(model("gemini-cli")),
    opencode: openCode(model("opencode"))
  }
}

/** The version that a program prints; null when the user of the agents cannot start it. */
export const versionOf = ({ command }: Program, { account }: Pick<Isolation, "account">) =>
  Effect.map(outputOf([command, "--version"], account), (text) =>
    text === undefined ? null : (/\d+\.\d+[\w.-]*/.exec(text)?.[0] ?? text.slice(0, 100))
  )

const absent = (name: string, { command }: Program, { user }: AgentSettings, { account }: Isolation) =>
  ConfigError.InvalidData(
    ["RUNNER_AGENT"],
    `RUNNER_AGENT names ${name}, whose program '${command}' ${
      account === undefined ? "the user of this runner" : `the user of the agents, ${user},`
    } cannot start. Install it where PATH finds it; 'gatehouse runner doctor' shows what is there`
  )

/** The agents that RUNNER_AGENT names, by name. */
export const make = Effect.fn("Agents.make")(function* (settings: RunnerSettings, isolation: Isolation) {
  const known = programs(settings)
  const agents = new Map<string, Agent>()
  for (const name of settings.agents) {
    if (name === "custom") {
      agents.set(name, customAgent(settings.customCommand, settings.clocks))
      continue
    }
    const program = known[name]
    const version = yield* versionOf(program, isolation)
    if (version === null) return yield* Effect.fail(absent(name, program, settings, isolation))
    const { clocks, prices } = settings
    agents.set(name, programAgent(program, { version, clocks, prices, patience }))
  }
  return agents
})
