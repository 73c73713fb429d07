import { Option } from "effect"
import type { AgentName, AgentSettings } from "../../RunnerSettings.ts"
import { valuesOf } from "../process/Environment.ts"

/** Variables that give an agent a key of its model; one of them is enough. */
const keys: Partial<Readonly<Record<AgentName, ReadonlyArray<string>>>> = {
  "claude-code": ["ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN"],
  codex: ["CODEX_API_KEY"],
  "gemini-cli": ["GEMINI_API_KEY", "GOOGLE_API_KEY"]
}

/** Variables that choose a provider with credentials of its own. */
const providers: Partial<Readonly<Record<AgentName, ReadonlyArray<string>>>> = {
  "claude-code": ["CLAUDE_CODE_USE_BEDROCK", "CLAUDE_CODE_USE_VERTEX"],
  "gemini-cli": ["GOOGLE_GENAI_USE_VERTEXAI"]
}

/** Settings files of an agent that can name another way to a key. */
const hasOwnWay = (name: AgentName, { claudeSettings, codexConfig }: AgentSettings): boolean =>
  (name === "claude-code" &&
    Option.exists(claudeSettings, ({ text }) => /"(apiKeyHelper|CLAUDE_CODE_USE_\w+)"/.test(text))) ||
  (name === "codex" && Option.isSome(codexConfig))

/** Says how to give an agent the key of its model; null when it has one, or may need none. */
export const missingKey = (name: AgentName, settings: AgentSettings): string | null => {
  const wanted = keys[name]
  if (wanted === undefined || hasOwnWay(name, settings)) return null
  const values = valuesOf(settings.agentVariables)
  if ([...wanted, ...(providers[name] ?? [])].some((variable) => (values[variable] ?? "") !== "")) return null
  const named = wanted.find((variable) => settings.agentVariables.includes(variable))
  return named === undefined
    ? `set ${wanted.join(" or ")} and name it in RUNNER_AGENT_ENV`
    : `set ${named}, which RUNNER_AGENT_ENV names`
}
