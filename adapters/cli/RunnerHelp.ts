import { variables } from "../RunnerSettings.ts"
import { columns } from "./Columns.ts"

/** Verbs of `runner` that read the service's database; without one, the runner itself starts. */
const verbs = new Set(["list", "show", "drain", "remove"])

/** True when the arguments start the program that works on runs, which needs no database. */
export const startsRunner = ([command, ...words]: ReadonlyArray<string>): boolean =>
  command === "runner" && !words.some((word) => verbs.has(word) || word === "--help" || word === "-h")

/** Settings of the runner itself, for its help. */
export const runnerHelp = `

A runner works on the stories of a workspace on your own machine, and only calls out. Without a verb it starts:
  SERVICE_URL=https://gatehouse.example.com SERVICE_API_KEY=tk_… \\
  RUNNER_AGENT=claude-code RUNNER_AGENT_ENV=ANTHROPIC_API_KEY node dist/main.js runner

'runner doctor' says which agents are installed and what is left to do; it ends with 1 when the runner could not work.

Its variables:
${columns(variables.map(([name, meaning]) => [`  ${name}`, meaning])).join("\n")}

SIGTERM and 'runner drain' drain it: attempts finish, nothing more is leased. It ends with 0, or with 77 when the service refuses its key.
docs/runner.md describes set-up, gates and what is contained, docs/agents.md the agents.`
