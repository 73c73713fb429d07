import { Option, Schema } from "effect"
import type { Problem, Step, Task } from "./Agent.ts"
import { modelProblem } from "./ModelProblem.ts"
import { noTokens } from "./Prices.ts"
import type { Program, Sign } from "./ProgramAgent.ts"
import { callWords, textOf } from "./Words.ts"

const Usage = Schema.Struct({
  input_tokens: Schema.optional(Schema.Number),
  cache_creation_input_tokens: Schema.optional(Schema.NullOr(Schema.Number)),
  cache_read_input_tokens: Schema.optional(Schema.NullOr(Schema.Number)),
  output_tokens: Schema.optional(Schema.Number)
})

const Block = Schema.Struct({
  type: Schema.String,
  text: Schema.optional(Schema.String),
  name: Schema.optional(Schema.String),
  input: Schema.optional(Schema.Unknown)
})

const Event = Schema.Union(
  Schema.Struct({
    type: Schema.Literal("system"),
    subtype: Schema.Literal("init"),
    session_id: Schema.String,
    mcp_servers: Schema.Array(Schema.Struct({ name: Schema.String, status: Schema.String }))
  }),
  Schema.Struct({
    type: Schema.Literal("assistant"),
    message: Schema.Struct({
      id: Schema.optional(Schema.String),
      model: Schema.optional(Schema.String),
      content: Schema.Array(Block),
      usage: Schema.optional(Usage)
    })
  }),
  Schema.Struct({
    type: Schema.Literal("result"),
    subtype: Schema.String,
    is_error: Schema.Boolean,
    result: Schema.optional(Schema.NullOr(Schema.String)),
    errors: Schema.optional(Schema.Array(Schema.Unknown)),
    total_cost_usd: Schema.optional(Schema.Number),
    modelUsage: Schema.optional(
      Schema.Record({ key: Schema.String, value: Schema.Struct({ costBasis: Schema.optional(Schema.String) }) })
    ),
    terminal_reason: Schema.optional(Schema.NullOr(Schema.String)),
    api_error_status: Schema.optional(Schema.NullOr(Schema.Number)),
    permission_denials: Schema.optional(
      Schema.Array(Schema.Struct({ tool_name: Schema.String, tool_input: Schema.optional(Schema.Unknown) }))
    )
  })
)
type Ended = Extract<typeof Event.Type, { type: "result" }>
const decode = Schema.decodeUnknownOption(Event)

/** The name by which the program shows a model of its own, where no model has answered. */
const synthetic = "<synthetic>"

const own = ["get_story", "get_run", "get_decision", "request_human_input", "report_progress"].map(
  (tool) => `mcp__gatehouse__${tool}`
)

/** Tools that ask a person in a window nobody sees, or leave the working tree. */
const never = ["AskUserQuestion", "EnterWorktree", "CronCreate"]

const allowed: Record<Step, ReadonlyArray<string>> = {
  plan: own,
  spec: [...own, "Bash(chmod +x:*)"],
  implement: [...own, "Bash(chmod +x:*)"],
  rework: [...own, "Bash(chmod +x:*)"]
}

/** The program puts the variable in, so that no command line shows the address. */
const servers = { mcpServers: { gatehouse: { type: "http", url: "${GATEHOUSE_MCP_URL}" } } }

/** Sessions are kept by the folder of the work, which is another one under the next lease. */
const follow = `here=$(pwd -P | tr -c 'A-Za-z0-9\\n' -)
for old in "$HOME"/.claude/projects/*/"$GATEHOUSE_SESSION".jsonl; do
  [ -f "$old" ] || continue
  mkdir -p "$HOME/.claude/projects/$here" && [ "$old" -ef "$HOME/.claude/projects/$here/$GATEHOUSE_SESSION.jsonl" ] ||
    cp -p "$old" "$HOME/.claude/projects/$here/"
done`

const problemOf = ({ api_error_status, errors = [], is_error, result, subtype, terminal_reason }: Ended) => {
  if (!is_error && subtype === "success") return null
  const words = [api_error_status, result ?? errors.map(textOf).join("; ")].filter((part) => part != null).join(" ")
  if (subtype === "error_max_budget_usd")
    return { failureClass: "budget", words: "the budget of the run is used up" } satisfies Problem
  return terminal_reason === "api_error" || /API Error|api key|log ?in/i.test(words)
    ? modelProblem(words)
    : ({ failureClass: "persistent", words: `${subtype}: ${words}` } satisfies Problem)
}

const reader = () => {
  const counted = new Set<string>()
  let plan: string | null = null
  return (event: unknown): ReadonlyArray<Sign> => {
    const found = Option.getOrNull(decode(event))
    if (found === null) return []
    if (found.type === "system") {
      const server = found.mcp_servers.find(({ name }) => name === "gatehouse")
      return [
        { type: "session", id: found.session_id },
        // The connection may still be under way; one that failed stays so.
        ...(server === undefined || server.status === "failed" || server.status === "needs-auth"
          ? [{ type: "tools", isConnected: false } as const]
          : [])
      ]
    }
    if (found.type === "assistant") {
      const { content, id = "", model = "", usage } = found.message
      const signs: Array<Sign> = content.flatMap((block): ReadonlyArray<Sign> => {
        if (block.type === "text" && block.text !== undefined) return [{ type: "line", text: block.text }]
        if (block.type !== "tool_use" || block.name === undefined) return []
        if (block.name === "ExitPlanMode") plan = textOf((block.input as { plan?: unknown } | undefined)?.plan) || plan
        return [{ type: "line", text: callWords(block.name, block.input) }]
      })
      // A message is printed once for each of its parts, with the same tokens.
      if (usage !== undefined && model !== synthetic && !counted.has(id)) {
        counted.add(id)
        const cachedInput = usage.cache_read_input_tokens ?? 0
        const input = (usage.input_tokens ?? 0) + (usage.cache_creation_input_tokens ?? 0) + cachedInput
        signs.push({
          type: "tokens",
          model,
          tokens: { ...noTokens, input, cachedInput, output: usage.output_tokens ?? 0 }
        })
      }
      return signs
    }
    const { modelUsage = {}, permission_denials = [], result, total_cost_usd } = found
    const isGuess = Object.values(modelUsage).some(({ costBasis }) => costBasis === "unknown")
    return [
      ...(total_cost_usd === undefined ? [] : [{ type: "dollars", total: total_cost_usd, isGuess } as const]),
      ...permission_denials
        .filter(({ tool_name }) => tool_name !== "ExitPlanMode")
        .map(({ tool_input, tool_name }): Sign => ({ type: "refused", tool: callWords(tool_name, tool_input) })),
      { type: "ended", text: plan ?? result ?? "", problem: problemOf(found) }
    ]
  }
}

export interface ClaudeOptions {
  readonly model: string | null
  /** Path of a file with settings, such as the sandbox and more commands that are allowed. */
  readonly settings: string | null
  readonly eurPerUsd: number
}

/** Claude Code 2.1. It never runs with its permissions bypassed, and reads no settings of the repository. */
export const claudeCode = ({ eurPerUsd, model, settings }: ClaudeOptions): Program => ({
  name: "claude-code",
  command: "claude",
  sessionLost: /No conversation found/i,
  reader,
  start: (task: Task, session) => ({
    argv: [
      "claude",
      "-p",
      "--output-format=stream-json",
      "--verbose",
      `--permission-mode=${task.step === "plan" ? "plan" : "acceptEdits"}`,
      `--mcp-config=${JSON.stringify(servers)}`,
      "--strict-mcp-config",
      "--permission-prompts=none",
      // A prompt that was recorded names the working tree of an earlier lease.
      "--system-prompt-snapshot=off",
      "--setting-sources=user",
      `--allowedTools=${allowed[task.step].join(",")}`,
      `--disallowedTools=${never.join(",")}`,
      `--max-budget-usd=${(Math.max(1, task.budgetCents) / 100 / eurPerUsd).toFixed(4)}`,
      ...(model === null ? [] : ["--model", model]),
      ...(settings === null ? [] : ["--settings", settings]),
      ...(session === null ? [] : ["--resume", session])
    ],
    env: {
      ENABLE_TOOL_SEARCH: "false",
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
      DISABLE_AUTOUPDATER: "1",
      ...(session !== null && { GATEHOUSE_SESSION: session })
    },
    ...(session !== null && { before: follow })
  })
})
