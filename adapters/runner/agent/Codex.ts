import { Option, Schema } from "effect"
import type { Task } from "./Agent.ts"
import { modelProblem } from "./ModelProblem.ts"
import { noTokens, type Tokens } from "./Prices.ts"
import type { Program, Sign } from "./ProgramAgent.ts"
import { callWords, textOf } from "./Words.ts"

const Item = Schema.Struct({
  type: Schema.String,
  text: Schema.optional(Schema.String),
  message: Schema.optional(Schema.String),
  command: Schema.optional(Schema.Unknown),
  exit_code: Schema.optional(Schema.NullOr(Schema.Number)),
  status: Schema.optional(Schema.String),
  tool: Schema.optional(Schema.String),
  arguments: Schema.optional(Schema.Unknown),
  error: Schema.optional(Schema.Unknown),
  changes: Schema.optional(Schema.Array(Schema.Struct({ path: Schema.String, kind: Schema.optional(Schema.Unknown) }))),
  query: Schema.optional(Schema.String)
})

const Usage = Schema.Struct({
  input_tokens: Schema.Number,
  cached_input_tokens: Schema.optional(Schema.Number),
  output_tokens: Schema.Number
})

/** The totals of the thread after an answer of the model, as its record has them. */
const TokenCount = Schema.Struct({
  type: Schema.Literal("token_count"),
  info: Schema.Struct({ total_token_usage: Usage })
})

const Event = Schema.Union(
  Schema.Struct({ type: Schema.Literal("event_msg"), payload: TokenCount }),
  Schema.Struct({ type: Schema.Literal("thread.started"), thread_id: Schema.String }),
  Schema.Struct({ type: Schema.Literal("item.completed"), item: Item }),
  Schema.Struct({ type: Schema.Literal("turn.completed"), usage: Schema.optional(Schema.NullOr(Usage)) }),
  Schema.Struct({
    type: Schema.Literal("turn.failed"),
    error: Schema.optional(Schema.Struct({ message: Schema.optional(Schema.String) }))
  }),
  Schema.Struct({ type: Schema.Literal("error"), message: Schema.String })
)
const decode = Schema.decodeUnknownOption(Event)

/** An item of type `error` is a warning: the turn goes on. */
const itemWords = (item: typeof Item.Type): string => {
  switch (item.type) {
    case "agent_message":
      return item.text ?? ""
    case "command_execution":
      return `Ran ${textOf(item.command)}${item.exit_code === undefined || item.exit_code === null ? "" : `, exit code ${item.exit_code}`}`
    case "file_change":
      return `Changed ${(item.changes ?? []).map(({ path }) => path).join(", ")}`
    case "mcp_tool_call":
      return callWords(item.tool ?? "tool", item.arguments)
    case "web_search":
      return `Searched for ${item.query ?? ""}`
    case "error":
      return `Warning: ${item.message ?? ""}`
    default:
      return ""
  }
}

const refusal = /requires approval|rejected by|not permitted|denied/i

/** The tokens of a thread are counted over all its processes, so its name carries those that are reported. */
const nameOf = (thread: string, { cachedInput, input, output }: Tokens) => `${thread}:${input}.${cachedInput}.${output}`

const threadOf = (session: string | null) => {
  const [thread = "", totals = ""] = (session ?? "").split(":")
  const [input = 0, cachedInput = 0, output = 0] = totals.split(".").map((part) => Number(part) || 0)
  return { thread, tokens: { input, cachedInput, output } }
}

const most = (a: Tokens, b: Tokens): Tokens => ({
  input: Math.max(a.input, b.input),
  cachedInput: Math.max(a.cachedInput, b.cachedInput),
  output: Math.max(a.output, b.output)
})

const minus = (a: Tokens, b: Tokens): Tokens => ({
  input: Math.max(0, a.input - b.input),
  cachedInput: Math.max(0, a.cachedInput - b.cachedInput),
  output: Math.max(0, a.output - b.output)
})

const reader = (model: string) => (session: string | null) => {
  let [said, problem] = ["", ""]
  let { thread, tokens: counted } = threadOf(session)
  /** Counts what the totals have more than was counted; the record of a resumed thread begins with earlier ones. */
  const countedOf = (usage: typeof Usage.Type): ReadonlyArray<Sign> => {
    const total = most(counted, {
      input: usage.input_tokens,
      cachedInput: usage.cached_input_tokens ?? 0,
      output: usage.output_tokens
    })
    const tokens = minus(total, counted)
    if (tokens.input + tokens.output === 0) return []
    counted = total
    return [
      { type: "tokens", model, tokens },
      { type: "session", id: nameOf(thread, total) }
    ]
  }
  return (event: unknown): ReadonlyArray<Sign> => {
    const found = Option.getOrNull(decode(event))
    switch (found?.type) {
      case "thread.started":
        if (found.thread_id !== thread) counted = noTokens
        thread = found.thread_id
        return [{ type: "session", id: nameOf(thread, counted) }]
      case "item.completed": {
        const { item } = found
        if (item.type === "agent_message") said = item.text ?? said
        const words = itemWords(item)
        const why = textOf(item.error)
        return [
          ...(words === "" ? [] : [{ type: "line", text: words } as const]),
          ...(item.status === "declined" || (item.type === "mcp_tool_call" && refusal.test(why))
            ? [{ type: "refused", tool: words } as const]
            : [])
        ]
      }
      case "turn.completed": {
        const { usage } = found
        const ended: Sign = { type: "ended", text: said, problem: null }
        return usage === undefined || usage === null ? [ended] : [...countedOf(usage), ended]
      }
      case "event_msg":
        return countedOf(found.payload.info.total_token_usage)
      case "turn.failed":
        return [{ type: "ended", text: said, problem: modelProblem(found.error?.message ?? problem) }]
      case "error":
        // The program tries again after some of these; `turn.failed` follows the last.
        problem = found.message
        return [{ type: "line", text: `Warning: ${found.message}` }]
      default:
        return []
    }
  }
}

export interface CodexOptions {
  readonly model: string | null
  /** Text of a file that becomes `config.toml`, such as the provider of the model. */
  readonly config: string
}

/** Variables that commands of the model do not see: they are for the program itself. */
const hiddenVariables = ["*KEY*", "*TOKEN*", "*SECRET*", "GATEHOUSE_MCP*"]

const configOf = (config: string, url: string) => `${config}
[mcp_servers.gatehouse]
url = ${JSON.stringify(url)}
required = true
`

/** Codex 0.166. Its sandbox is on: no network, and nothing but the working tree is written. */
export const codex = ({ config, model }: CodexOptions): Program => ({
  name: "codex",
  command: "codex",
  sessionLost: /no rollout found|thread .*not found|session .*not found/i,
  reader: reader(model ?? "the default of Codex"),
  record: (session) => ({ folder: ".codex/sessions", ending: `-${threadOf(session).thread}.jsonl` }),
  start: (task: Task, session) => ({
    argv: [
      "codex",
      "exec",
      "--json",
      `--sandbox=${task.step === "plan" ? "read-only" : "workspace-write"}`,
      `--cd=${task.folder}`,
      "--skip-git-repo-check",
      '--config=approval_policy="never"',
      `--config=shell_environment_policy.exclude=${JSON.stringify(hiddenVariables)}`,
      "--config=sandbox_workspace_write.exclude_slash_tmp=true",
      "--config=sandbox_workspace_write.network_access=false",
      ...(model === null ? [] : ["--model", model]),
      ...(session === null ? [] : ["resume", threadOf(session).thread]),
      "-"
    ],
    env: { CODEX_HOME: `${task.env["HOME"] ?? ""}/.codex` },
    files: { ".codex/config.toml": configOf(config, task.mcp.url) }
  })
})
