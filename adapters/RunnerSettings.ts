import { Config, ConfigError, Duration, Either, Option, Redacted, Schema } from "effect"
import { readFileSync, realpathSync } from "node:fs"
import { homedir, hostname, tmpdir } from "node:os"
import { dirname, isAbsolute, join, sep } from "node:path"
import { Label } from "../domain/runner/Runner.ts"
import { withoutSlashes } from "../domain/value/Text.ts"
import { parseSlug } from "../domain/workspace/Team.ts"
import { parity, Prices } from "./runner/agent/Prices.ts"
import { hidden, optional, setting, web } from "./Settings.ts"

const isRoot = process.getuid?.() === 0

/** Folder of a runner without RUNNER_DIR; another user cannot enter the home of root. */
const usualFolder = isRoot ? "/var/lib/gatehouse-runner" : join(homedir(), ".gatehouse-runner")

/** Every variable of a runner with its meaning, as the help shows them. */
export const variables: ReadonlyArray<readonly [name: string, meaning: string]> = [
  ["SERVICE_URL", "Address of the service, such as https://gatehouse.example.com; required"],
  ["SERVICE_API_KEY", "API token of the workspace, tk_…; revoking it takes the runner offline"],
  ["SERVICE_API_KEY_FILE", "File with the token instead, which agents cannot read; /dev/stdin reads standard input"],
  ["RUNNER_AGENT", "Agents, separated by commas: claude-code, codex, gemini-cli, opencode, custom; default: custom"],
  ["RUNNER_CUSTOM_COMMAND", "Agent 'custom': a command that /bin/sh runs in the working tree; required for it"],
  ["RUNNER_MODELS", "Models, as agent=model,agent=model; default: that of the agent"],
  ["RUNNER_PRICES", "File with the euro rate and the prices of models; default: a dollar is a euro, no prices"],
  ["RUNNER_CLAUDE_SETTINGS", "File with settings for claude-code, such as the commands that it may run"],
  ["RUNNER_CODEX_CONFIG", "File with settings for codex, such as the provider of its model"],
  ["RUNNER_AGENT_ENV", "Names of variables that the agent and the gates get, such as ANTHROPIC_API_KEY"],
  ["RUNNER_NAME", "Name in the list of runners; default: the name of this machine"],
  ["RUNNER_SLOTS", "Attempts it works on at a time, 1 to 100; default: 1"],
  ["RUNNER_TEAMS", "Slugs of the teams it works for, separated by commas; default: all"],
  ["RUNNER_DIR", "Folder for repositories and working trees, not below the temporary folder"],
  ["RUNNER_USER", "User that agents and gates run as when the runner is root; default: nobody"],
  ["GIT_TOKENS", "Tokens for git over https, as host=token,host=token"],
  ["RUNNER_START_SECONDS", "Time for the first output of an agent; default: 300"],
  ["RUNNER_SILENCE_SECONDS", "Longest time without output of an agent; default: 900"],
  ["RUNNER_TOTAL_SECONDS", "Longest time of one step of an agent; default: 3600"],
  ["RUNNER_GATE_SECONDS", "Longest time of a gate without a limit of its own, and of a check; default: 600"],
  ["RUNNER_DRAIN_SECONDS", "Time for attempts to finish after SIGTERM; default: 300"]
]

const missing = (name: string, wanted: string) =>
  ConfigError.MissingData([name], `${name} is missing; set it to ${wanted}`)

const required = <A>(name: string, wanted: string, config: Config.Config<Option.Option<A>>): Config.Config<A> =>
  Config.mapOrFail(config, (found) => Either.fromOption(found, () => missing(name, wanted)))

const seconds = (name: string, fallback: number, most: number) =>
  Config.map(
    setting(name, fallback, `a number of seconds from 1 to ${most}`, (text) =>
      /^[1-9]\d{0,5}$/.test(text) && Number(text) <= most ? Option.some(Number(text)) : Option.none()
    ),
    Duration.seconds
  )

const split = (text: string) => text.split(",").map((part) => part.trim())

const listOf =
  <A>(parse: (text: string) => Option.Option<A>) =>
  (text: string) =>
    Option.all(split(text).map(parse))

const key = Config.map(
  optional(
    "SERVICE_API_KEY",
    "an API token: tk_ and 32 letters or digits, as 'gatehouse token create' prints",
    (text) => (/^tk_[A-Za-z0-9]{32}$/.test(text) ? Option.some(text) : Option.none()),
    hidden
  ),
  Option.map((text) => Redacted.make(text))
)

const keyFile = optional("SERVICE_API_KEY_FILE", "the path of a file", Option.some)

export const isKeySet = Config.map(
  Config.all({ key, keyFile }),
  (found) => Option.isSome(found.key) || Option.isSome(found.keyFile)
)

const realOf = (path: string): string => {
  try {
    return realpathSync(path)
  } catch {
    return dirname(path) === path ? path : join(realOf(dirname(path)), path.slice(dirname(path).length))
  }
}

/** Sandboxes of agents let them write the temporary folder, and systems empty it. */
const temporary = [tmpdir(), "/tmp", "/var/tmp"]

const isBelow = (path: string, folder: string) => `${path}${sep}`.startsWith(`${folder}${sep}`)

const folder = setting(
  "RUNNER_DIR",
  usualFolder,
  "an absolute path that is not below the temporary folder, which agents may write and the system empties",
  (text) =>
    Option.liftPredicate(
      text,
      () => isAbsolute(text) && !temporary.some((other) => isBelow(realOf(text), realOf(other)))
    )
)

/** Variables that the runner sets itself, or that an agent must not see. */
const ownVariable = /^(SERVICE_API_KEY.*|GIT_TOKENS|GATEHOUSE_.*|PATH|HOME|TMPDIR|TERM|LANG)$/

const agentVariables = setting<ReadonlyArray<string>>(
  "RUNNER_AGENT_ENV",
  [],
  "names of variables separated by commas, without those that the runner sets itself or keeps",
  listOf((name) => (/^[A-Za-z_]\w*$/.test(name) && !ownVariable.test(name) ? Option.some(name) : Option.none()))
)

export type GitTokens = ReadonlyMap<string, Redacted.Redacted>

const tokenOf = (text: string) => {
  const [, host, token] = /^([a-z0-9.-]+(?::\d+)?)=(\S+)$/i.exec(text) ?? []
  return host === undefined || token === undefined
    ? Option.none()
    : Option.some([host.toLowerCase(), Redacted.make(token)] as const)
}

const gitTokens = setting<GitTokens>(
  "GIT_TOKENS",
  new Map(),
  "hosts with their tokens, as github.com=token,git.example.com=token",
  (text) => Option.map(listOf(tokenOf)(text), (entries) => new Map(entries)),
  hidden
)

const customCommand = Config.map(
  optional("RUNNER_CUSTOM_COMMAND", "a command", (text) => Option.liftPredicate(text, () => text.trim() !== "")),
  Option.getOrElse(() => "")
)

/** Kinds of agents that a runner has. */
export const agentNames = ["claude-code", "codex", "gemini-cli", "opencode", "custom"] as const
export type AgentName = (typeof agentNames)[number]

const agentName = (text: string) => Option.fromNullable(agentNames.find((name) => name === text))

const wantedAgents = `one or more of ${agentNames.join(", ")}, separated by commas`

/** Agents by name, `custom` alone needs a command; without any, none but the doctor starts. */
const agents = Config.mapOrFail(
  Config.all({ named: optional("RUNNER_AGENT", wantedAgents, listOf(agentName)), command: customCommand }),
  ({ command, named }) => {
    const names = Option.getOrElse(named, (): ReadonlyArray<AgentName> => (command === "" ? [] : ["custom"]))
    return names.includes("custom") && command === ""
      ? Either.left(missing("RUNNER_CUSTOM_COMMAND", "the command of the agent 'custom', which RUNNER_AGENT names"))
      : Either.right([...new Set(names)])
  }
)

export const someAgents = Config.mapOrFail(agents, (names) =>
  names.length === 0
    ? Either.left(missing("RUNNER_AGENT", `${wantedAgents}, or set RUNNER_CUSTOM_COMMAND to the command of yours`))
    : Either.right(names)
)

const modelOf = (text: string) => {
  const [, agent = "", model = ""] = /^([a-z-]+)=([\w./:@-]{1,200})$/.exec(text) ?? []
  return Option.map(agentName(agent), (name) => [name, model] as const)
}

const models = setting<ReadonlyMap<AgentName, string>>(
  "RUNNER_MODELS",
  new Map(),
  "agents with their models, as claude-code=model,codex=model",
  (text) => Option.map(listOf(modelOf)(text), (entries) => new Map(entries))
)

const textIn = Option.liftThrowable((path: string) => readFileSync(path, "utf8"))

const fileOf = (name: string) =>
  optional(name, "the absolute path of a file that this runner can read", (path) =>
    isAbsolute(path) ? Option.map(textIn(path), (text) => ({ path, text })) : Option.none()
  )

const decodePrices = Schema.decodeUnknownOption(Schema.parseJson(Prices))

const prices = setting<Prices>(
  "RUNNER_PRICES",
  parity,
  'the path of a JSON file such as {"version":"2026-11","eurPerUsd":0.9,"models":{"gpt-5":{"input":1.25,"cachedInput":0.125,"output":10}}}',
  (path) => Option.flatMap(textIn(path), (text) => decodePrices(text))
)

const clocks = Config.all({
  start: seconds("RUNNER_START_SECONDS", 300, 86_400),
  silence: seconds("RUNNER_SILENCE_SECONDS", 900, 86_400),
  total: seconds("RUNNER_TOTAL_SECONDS", 3600, 604_800)
})

const user = setting("RUNNER_USER", "nobody", "the name of a user of this machine other than root", (text) =>
  /^[a-z_][\w.-]*\$?$/i.test(text) && text !== "root" ? Option.some(text) : Option.none()
)

/** Settings about agents alone. */
const ofAgents = {
  user,
  agentVariables,
  agents,
  customCommand,
  models,
  prices,
  claudeSettings: fileOf("RUNNER_CLAUDE_SETTINGS"),
  codexConfig: fileOf("RUNNER_CODEX_CONFIG")
}
export const agentSettings = Config.all(ofAgents)
export type AgentSettings = Config.Config.Success<typeof agentSettings>

export const serviceUrl = Config.map(
  required("SERVICE_URL", "the address of the service, such as https://gatehouse.example.com", web("SERVICE_URL")),
  withoutSlashes
)

export const all = Config.all({
  ...ofAgents,
  agents: someAgents,
  url: serviceUrl,
  key,
  keyFile,
  name: setting(
    "RUNNER_NAME",
    hostname(),
    "a name of 1 to 100 printable characters that begins with a letter or a digit",
    Option.liftPredicate(Schema.is(Label))
  ),
  slots: setting("RUNNER_SLOTS", 1, "a whole number from 1 to 100", (text) =>
    /^\d{1,3}$/.test(text) && Number(text) >= 1 && Number(text) <= 100 ? Option.some(Number(text)) : Option.none()
  ),
  teams: setting("RUNNER_TEAMS", [], "slugs of teams separated by commas", listOf(parseSlug)),
  folder,
  gitTokens,
  clocks,
  gateLimit: seconds("RUNNER_GATE_SECONDS", 600, 86_400),
  drainLimit: seconds("RUNNER_DRAIN_SECONDS", 300, 86_400)
})
export type RunnerSettings = Config.Config.Success<typeof all>

export const keyMissing = missing(
  "SERVICE_API_KEY",
  "an API token of the workspace, or set SERVICE_API_KEY_FILE to the file that holds it"
)

export const wrongKeyFile = (path: string, reason: string) =>
  ConfigError.InvalidData(["SERVICE_API_KEY_FILE"], `SERVICE_API_KEY_FILE '${path}' ${reason}`)
