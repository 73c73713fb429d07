import type { AgentName } from "../../../RunnerSettings.ts"

interface Started {
  readonly name: string
  /** Variables that choose the agent. */
  readonly variables: string
  /** The placeholder to fill in, and the program that the machine needs. */
  readonly hint: string
}

const program = (command: string, key: string) =>
  `Install ${command} where the user of the agents can start it, and put the key of its model in place of … after ${key}.`

/** The agents of a runner, as the docs start them. */
export const agents = {
  "claude-code": {
    name: "Claude Code",
    variables: "RUNNER_AGENT=claude-code RUNNER_AGENT_ENV=ANTHROPIC_API_KEY ANTHROPIC_API_KEY=…",
    hint: program("claude", "ANTHROPIC_API_KEY")
  },
  codex: {
    name: "Codex",
    variables: "RUNNER_AGENT=codex RUNNER_AGENT_ENV=CODEX_API_KEY RUNNER_MODELS=codex=gpt-5 CODEX_API_KEY=…",
    hint: program("codex", "CODEX_API_KEY")
  },
  "gemini-cli": {
    name: "Gemini CLI",
    variables: "RUNNER_AGENT=gemini-cli RUNNER_AGENT_ENV=GEMINI_API_KEY GEMINI_API_KEY=…",
    hint: program("gemini", "GEMINI_API_KEY")
  },
  opencode: {
    name: "OpenCode",
    variables: "RUNNER_AGENT=opencode RUNNER_AGENT_ENV=ANTHROPIC_API_KEY ANTHROPIC_API_KEY=…",
    hint: `${program("opencode", "ANTHROPIC_API_KEY")} Another provider has a variable of its own.`
  },
  custom: {
    name: "A command of your own",
    variables: "RUNNER_CUSTOM_COMMAND=/path/to/agent",
    hint: "Put the command of your agent in place of /path/to/agent."
  }
} satisfies Readonly<Record<AgentName, Started>>

export type Agent = keyof typeof agents

/** The line that starts a runner in the folder of Gatehouse. */
export const startLine = (origin: string, token: string, agent: Agent) =>
  `SERVICE_URL=${origin} SERVICE_API_KEY=${token} ${agents[agent].variables} node dist/main.js runner`
