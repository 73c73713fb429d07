import { type ConfigError, Console, Effect } from "effect"
import {
  type AgentName,
  agentNames,
  type AgentSettings,
  agentSettings,
  all,
  keyMissing,
  isKeySet,
  serviceUrl,
  someAgents
} from "../RunnerSettings.ts"
import { programs, versionOf } from "./agent/Agents.ts"
import { missingKey } from "./agent/ModelKeys.ts"
import { parity } from "./agent/Prices.ts"
import * as Isolation from "./process/Isolation.ts"
import * as Startup from "./Startup.ts"

const tried: ReadonlySet<AgentName> = new Set(["claude-code", "codex"])

interface Finding {
  readonly words: string
  /** True when the runner cannot work until it is done. */
  readonly isToDo: boolean
}

const found = (words: string): Finding => ({ words, isToDo: false })
const toDo = (words: string): Finding => ({ words, isToDo: true })

const wordsOf = (error: ConfigError.ConfigError): ReadonlyArray<string> =>
  error._op === "And" || error._op === "Or" ? [...wordsOf(error.left), ...wordsOf(error.right)] : [error.message]

/** Words of a refused setting or check; none when it passes. */
const refusals = <A, R>(check: Effect.Effect<A, ConfigError.ConfigError, R>) =>
  Effect.match(check, { onFailure: (error) => wordsOf(error).map(toDo), onSuccess: () => [] })

const costOf = (name: AgentName, { models, prices }: AgentSettings): Finding | null => {
  if (name === "claude-code" || name === "opencode")
    return prices === parity ? found("a dollar counts as a euro; RUNNER_PRICES sets the rate") : null
  const model = models.get(name)
  return model !== undefined && Object.keys(prices.models).some((one) => model.startsWith(one))
    ? null
    : found("its costs are not known and no budget stops it; set RUNNER_MODELS and RUNNER_PRICES")
}

type Named = Pick<Isolation.Isolation, "account">

const examinedCustom = (settings: AgentSettings, isolation: Named) =>
  settings.agents.includes("custom")
    ? Effect.map(refusals(Startup.requireAgent(settings, isolation)), (refused) =>
        refused.length > 0 ? refused : [found(`the command '${settings.customCommand}'`)]
      )
    : Effect.succeed(
        settings.customCommand === ""
          ? []
          : [found("RUNNER_CUSTOM_COMMAND is set; add custom to RUNNER_AGENT to use it")]
      )

/** Findings about one agent; an agent that the runner does not use lacks nothing. */
const examined = Effect.fnUntraced(function* (name: AgentName, settings: AgentSettings, isolation: Named) {
  if (name === "custom") return yield* examinedCustom(settings, isolation)
  const isUsed = settings.agents.includes(name)
  const program = programs(settings)[name]
  const version = yield* versionOf(program, isolation)
  if (version === null)
    return isUsed
      ? [
          toDo(
            `install '${program.command}' where PATH finds it and ${isolation.account === undefined ? "this user" : settings.user} can start it`
          )
        ]
      : [found("not installed")]
  const key = isUsed ? missingKey(name, settings) : null
  return [
    found(`${program.command} ${version}${tried.has(name) ? "" : "; not tried with Gatehouse yet"}`),
    ...(key === null ? [] : [toDo(`${key}; it has no key of its model`)]),
    ...(isUsed ? [costOf(name, settings)] : [])
  ].filter((one) => one !== null)
})

/** Says whether a runner with these settings could work, and what is to do; returns the exit code. */
export const examine = Effect.gen(function* () {
  let isLeft = false
  const said = new Set<string>()
  const say = (title: string, findings: ReadonlyArray<Finding>) =>
    Effect.gen(function* () {
      if (findings.length === 0) return
      yield* Console.log(title)
      for (const finding of findings) {
        isLeft ||= finding.isToDo
        said.add(finding.words)
        yield* Console.log(`  ${finding.isToDo ? "to do: " : ""}${finding.words}`)
      }
    })
  const settings = yield* agentSettings
  const isolation = yield* Isolation.find(settings.user)
  const key = Effect.filterOrFail(
    isKeySet,
    (isSet) => isSet,
    () => keyMissing
  )
  const git = yield* Isolation.outputOf(["git", "--version"], undefined)
  yield* say("git", yield* refusals(Startup.requireGit))
  if (git !== undefined) yield* Console.log(git)
  yield* say("service", [...(yield* refusals(serviceUrl)), ...(yield* refusals(key))])
  if (isolation === undefined) {
    yield* say("agents", [toDo(Startup.unknownUser(settings.user).message)])
    return 1
  }
  yield* say("agents", yield* refusals(someAgents))
  for (const name of agentNames)
    yield* say(
      `${name} (${settings.agents.includes(name) ? "used" : "not used"})`,
      yield* examined(name, settings, isolation)
    )
  const others = yield* refusals(all)
  yield* say(
    "settings",
    others.filter(({ words }) => !said.has(words))
  )
  yield* Console.log(isLeft ? "The runner cannot work yet." : "The runner can start.")
  return isLeft ? 1 : 0
})
