import { Option, Schema } from "effect"
import type { Task } from "./Agent.ts"
import { modelProblem } from "./ModelProblem.ts"
import type { Program, Sign } from "./ProgramAgent.ts"
import { callWords, textOf } from "./Words.ts"

const Stats = Schema.Struct({
  input_tokens: Schema.optional(Schema.Number),
  cached: Schema.optional(Schema.Number),
  output_tokens: Schema.optional(Schema.Number)
})

const Event = Schema.Union(
  Schema.Struct({ type: Schema.Literal("init"), session_id: Schema.String, model: Schema.optional(Schema.String) }),
  Schema.Struct({ type: Schema.Literal("message"), role: Schema.String, content: Schema.String }),
  Schema.Struct({
    type: Schema.Literal("tool_use"),
    tool_name: Schema.String,
    parameters: Schema.optional(Schema.Unknown)
  }),
  Schema.Struct({ type: Schema.Literal("error"), message: Schema.String }),
  Schema.Struct({
    type: Schema.Literal("result"),
    status: Schema.String,
    error: Schema.optional(Schema.Unknown),
    stats: Schema.optional(Stats)
  })
)
const decode = Schema.decodeUnknownOption(Event)

const reader = (given: string | null) => () => {
  let [model, said] = [given ?? "gemini", ""]
  return (event: unknown): ReadonlyArray<Sign> => {
    const found = Option.getOrNull(decode(event))
    switch (found?.type) {
      case "init":
        model = found.model ?? model
        return [{ type: "session", id: found.session_id }]
      case "message":
        if (found.role !== "assistant") return []
        said += found.content
        return [{ type: "line", text: found.content }]
      case "tool_use":
        said = ""
        return [{ type: "line", text: callWords(found.tool_name, found.parameters) }]
      case "error":
        return [{ type: "line", text: `Warning: ${found.message}` }]
      case "result": {
        const { error, stats, status } = found
        const tokens = {
          input: stats?.input_tokens ?? 0,
          cachedInput: stats?.cached ?? 0,
          output: stats?.output_tokens ?? 0
        }
        const problem = status === "success" ? null : modelProblem(textOf(error))
        return [
          { type: "tokens", model, tokens },
          { type: "ended", text: said, problem }
        ]
      }
      default:
        return []
    }
  }
}

/** Gemini CLI 0.61, as its documentation describes it; not tried with the program yet. */
export const geminiCli = (model: string | null): Program => ({
  name: "gemini-cli",
  command: "gemini",
  sessionLost: /invalid session|session .*not found|no previous sessions/i,
  reader: reader(model),
  start: (task: Task, session) => ({
    argv: [
      "gemini",
      "--output-format=stream-json",
      `--approval-mode=${task.step === "plan" ? "plan" : "auto_edit"}`,
      "--allowed-mcp-server-names=gatehouse",
      ...(model === null ? [] : ["--model", model]),
      ...(session === null ? [] : ["--resume", session])
    ],
    files: {
      ".gemini/settings.json": JSON.stringify({
        mcpServers: { gatehouse: { httpUrl: task.mcp.url, trust: true } },
        tools: { exclude: ["ask_user"] },
        general: { disableAutoUpdate: true },
        privacy: { usageStatisticsEnabled: false }
      })
    }
  })
})
