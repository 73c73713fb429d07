import { Option, Schema } from "effect"
import type { Task } from "./Agent.ts"
import { modelProblem } from "./ModelProblem.ts"
import type { Program, Sign } from "./ProgramAgent.ts"
import { callWords, textOf } from "./Words.ts"

const Event = Schema.Struct({
  type: Schema.String,
  sessionID: Schema.optional(Schema.String),
  error: Schema.optional(Schema.Unknown),
  part: Schema.optional(
    Schema.Struct({
      text: Schema.optional(Schema.String),
      tool: Schema.optional(Schema.String),
      state: Schema.optional(Schema.Struct({ input: Schema.optional(Schema.Unknown) })),
      reason: Schema.optional(Schema.String),
      cost: Schema.optional(Schema.Number)
    })
  )
})
const decode = Schema.decodeUnknownOption(Event)

const reader = () => {
  let said = ""
  let dollars = 0
  let isNamed = false
  return (event: unknown): ReadonlyArray<Sign> => {
    const found = Option.getOrNull(decode(event))
    if (found === null) return []
    const { error, part, sessionID, type } = found
    const signs: Array<Sign> = []
    if (sessionID !== undefined && !isNamed) {
      isNamed = true
      signs.push({ type: "session", id: sessionID })
    }
    if (type === "text") {
      said = part?.text ?? said
      signs.push({ type: "line", text: said })
    }
    if (type === "tool_use") signs.push({ type: "line", text: callWords(part?.tool ?? "tool", part?.state?.input) })
    if (type === "error") signs.push({ type: "ended", text: said, problem: modelProblem(textOf(error)) })
    if (type === "step_finish") {
      dollars += part?.cost ?? 0
      if (part?.cost !== undefined) signs.push({ type: "dollars", total: dollars, isGuess: false })
      if (part?.reason === "stop") signs.push({ type: "ended", text: said, problem: null })
    }
    return signs
  }
}

/** OpenCode 1.18, as its documentation describes it; not tried with the program yet. */
export const openCode = (model: string | null): Program => ({
  name: "opencode",
  command: "opencode",
  sessionLost: /session .*not found/i,
  reader,
  start: (task: Task, session) => ({
    argv: [
      "opencode",
      "run",
      "--format=json",
      `--dir=${task.folder}`,
      ...(task.step === "plan" ? ["--agent", "plan"] : []),
      ...(model === null ? [] : ["--model", model]),
      ...(session === null ? [] : ["--session", session])
    ],
    env: {
      OPENCODE_DISABLE_AUTOUPDATE: "1",
      OPENCODE_CONFIG_CONTENT: JSON.stringify({
        share: "disabled",
        mcp: { gatehouse: { type: "remote", url: task.mcp.url, oauth: false, enabled: true } },
        permission: {
          edit: task.step === "plan" ? "deny" : "allow",
          bash: task.step === "plan" ? "deny" : { "*": "deny", "chmod +x *": "allow" },
          webfetch: "deny",
          question: "deny",
          external_directory: "deny"
        }
      })
    }
  })
})
