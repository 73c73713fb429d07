import { Console, Effect, Option } from "effect"
import { type AgentName, agentNames, type AgentSettings, agentSettings } from "../RunnerSettings.ts"
import { programs, versionOf } from "./agent/Agents.ts"
import { parity } from "./agent/Prices.ts"
import { valuesOf } from "./process/Environment.ts"
import * as Isolation from "./process/Isolation.ts"

/** Variables of which an agent needs one, unless its provider takes no key. */
const keys: Readonly<Record<Exclude<AgentName, "custom">, ReadonlyArray<string>>> = {
  "claude-code": ["ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN"],
  codex: ["CODEX_API_KEY"],
  "gemini-cli": ["GEMINI_API_KEY", "GOOGLE_API_KEY"],
  opencode: []
}

const tried: ReadonlySet<AgentName> = new Set(["claude-code", "codex"])

interface Finding {
  readonly words: string
  readonly isMissing: boolean
}

const found = (words: string): Finding => ({ words, isMissing: false })
const lacking = (words: string): Finding => ({ words, isMissing: true })

const keyOf = (name: Exclude<AgentName, "custom">, settings: AgentSettings): Finding | null => {
  const wanted = keys[name]
  const isSet = Object.keys(valuesOf(settings.agentVariables)).some((one) => wanted.includes(one))
  // A provider of the operator's own names the variable of its key itself.
  if (wanted.length === 0 || isSet || (name === "codex" && Option.isSome(settings.codexConfig))) return null
  return lacking(`no key: name one of ${wanted.join(", ")} in RUNNER_AGENT_ENV and set it`)
}

const costOf = (name: AgentName, { models, prices }: AgentSettings): Finding | null => {
  if (name === "claude-code" || name === "opencode")
    return prices === parity ? found("a dollar counts as a euro; RUNNER_PRICES sets the rate") : null
  const model = models.get(name)
  return model !== undefined && Object.keys(prices.models).some((one) => model.startsWith(one))
    ? null
    : lacking("costs are not known: set RUNNER_MODELS and RUNNER_PRICES")
}

/** Findings about one agent; an agent that RUNNER_AGENT does not name lacks nothing. */
const examined = Effect.fnUntraced(function* (
  name: AgentName,
  settings: AgentSettings,
  isolation: Pick<Isolation.Isolation, "account">
) {
  const isNamed = settings.agents.includes(name)
  if (name === "custom") return settings.customCommand === "" ? [] : [found(`runs '${settings.customCommand}'`)]
  const program = programs(settings)[name]
  const version = yield* versionOf(program, isolation)
  if (version === null)
    return isNamed
      ? [lacking(`'${program.command}' cannot be started as the user of the agents`)]
      : [found("not installed")]
  return [
    found(`${program.command} ${version}${tried.has(name) ? "" : "; not tried with Gatehouse yet"}`),
    ...(isNamed ? [keyOf(name, settings), costOf(name, settings)] : [])
  ].filter((one) => one !== null)
})

/** Says which agents are installed, their versions and what is missing; returns the exit code. */
export const examine = Effect.gen(function* () {
  const settings = yield* agentSettings
  const isolation = yield* Isolation.find(settings.user)
  if (isolation === undefined) {
    yield* Console.log(`RUNNER_USER ${settings.user} is no user of this machine.`)
    return 1
  }
  const git = yield* Isolation.outputOf(["git", "--version"], undefined)
  yield* Console.log(git ?? "git is missing.")
  let isMissing = git === undefined
  for (const name of agentNames) {
    const findings = yield* examined(name, settings, isolation)
    if (findings.length === 0) continue
    const mark = settings.agents.includes(name) ? "RUNNER_AGENT names it" : "not named"
    yield* Console.log(`${name} (${mark})`)
    for (const finding of findings) {
      isMissing ||= finding.isMissing
      yield* Console.log(`  ${finding.isMissing ? "missing: " : ""}${finding.words}`)
    }
  }
  return isMissing ? 1 : 0
})
