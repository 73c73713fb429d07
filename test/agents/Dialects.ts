import { randomUUID } from "node:crypto"
import type { Turn, Usage } from "./ModelServer.ts"

/** A request to the model, as a script reads it. */
export interface Asked {
  readonly story: string
  readonly step: string
  readonly attempt: number
  /** Results of tools since the last prompt: the number of this turn. */
  readonly turn: number
  /** The last result of a tool since the prompt. */
  readonly result: string
  readonly prompt: string
  /** The whole request. */
  readonly body: string
  readonly tools: ReadonlyArray<string>
  readonly model: string
  readonly folder: string
  /** True for a call beside the work, such as for a title. */
  readonly isAside: boolean
}

/** A message of either wire: a text, a call of a tool or its result. */
interface Part {
  readonly kind: "text" | "result"
  readonly text: string
}

const askedOf = (parts: ReadonlyArray<Part>, rest: Pick<Asked, "body" | "model" | "tools">): Asked => {
  const begin = parts.findLastIndex(({ kind, text }) => kind === "text" && /^Step: \w+, attempt/m.test(text))
  const prompt = parts[begin]?.text ?? ""
  const results = parts.slice(begin + 1).filter(({ kind }) => kind === "result")
  const [, step = "", attempt = "0"] = /^Step: (\w+), attempt (\d+)/m.exec(prompt) ?? []
  return {
    ...rest,
    prompt,
    step,
    attempt: Number(attempt),
    story: /^# ([A-Z]+-\d+)/m.exec(prompt)?.[1] ?? "",
    turn: results.length,
    result: results.at(-1)?.text ?? "",
    folder: [...rest.body.matchAll(/working directory(?: is now|:) ([^\s\\"<;]+)/gi)].at(-1)?.[1] ?? "",
    isAside: begin === -1 || rest.tools.length === 0
  }
}

// oxlint-disable-next-line typescript/no-explicit-any
type Json = any

const flat = (content: Json): string => (typeof content === "string" ? content : JSON.stringify(content))

export const messagesAsked = (body: Json): Asked =>
  askedOf(
    body.messages.flatMap(({ content, role }: Json): ReadonlyArray<Part> => {
      if (role !== "user") return []
      if (typeof content === "string") return [{ kind: "text", text: content }]
      return content.map((block: Json): Part =>
        block.type === "tool_result"
          ? { kind: "result", text: flat(block.content) }
          : { kind: "text", text: block.text ?? "" }
      )
    }),
    {
      body: JSON.stringify(body),
      model: body.model,
      tools: (body.tools ?? []).map(({ name }: Json) => name)
    }
  )

export const responsesAsked = (body: Json): Asked =>
  askedOf(
    body.input.flatMap((item: Json): ReadonlyArray<Part> => {
      if (item.type === "function_call_output" || item.type === "custom_tool_call_output")
        return [{ kind: "result", text: flat(item.output) }]
      if (item.role !== "user") return []
      return item.content.map(({ text = "" }: Json): Part => ({ kind: "text", text }))
    }),
    {
      body: JSON.stringify(body),
      model: body.model,
      tools: (body.tools ?? []).map(({ name, type }: Json) => name ?? type)
    }
  )

const sse = (events: ReadonlyArray<Json>) =>
  events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join("")

const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`

const messagesCall = (turn: Exclude<Turn, { say: string }>, { folder }: Asked): readonly [string, object] => {
  if ("write" in turn) return ["Write", { file_path: `${folder}/${turn.write}`, content: turn.content }]
  if ("run" in turn) return ["Bash", { command: turn.run, description: "scripted" }]
  if ("mcp" in turn) return [`mcp__gatehouse__${turn.mcp}`, turn.input]
  return ["Read", { file_path: `${folder}/README.md` }]
}

/** Anthropic's Messages, streamed. */
export const messagesEvents = (turn: Turn, asked: Asked, { input, output }: Usage): string => {
  const isText = "say" in turn
  const [name, given] = isText ? ["", {}] : messagesCall(turn, asked)
  const block = isText ? { type: "text", text: "" } : { type: "tool_use", id: `toolu_${randomUUID()}`, name, input: {} }
  const delta = isText
    ? { type: "text_delta", text: turn.say }
    : { type: "input_json_delta", partial_json: JSON.stringify(given) }
  return sse([
    {
      type: "message_start",
      message: {
        id: `msg_${randomUUID()}`,
        type: "message",
        role: "assistant",
        model: asked.model,
        content: [],
        stop_reason: null,
        stop_sequence: null,
        usage: { input_tokens: input, output_tokens: 1 }
      }
    },
    { type: "content_block_start", index: 0, content_block: block },
    { type: "content_block_delta", index: 0, delta },
    { type: "content_block_stop", index: 0 },
    {
      type: "message_delta",
      delta: { stop_reason: isText ? "end_turn" : "tool_use", stop_sequence: null },
      usage: { input_tokens: input, output_tokens: output }
    },
    { type: "message_stop" }
  ])
}

const responsesCall = (turn: Exclude<Turn, { say: string }>): Json => {
  const call = { type: "function_call", id: `fc_${randomUUID()}`, call_id: `call_${randomUUID()}`, status: "completed" }
  if ("mcp" in turn)
    return { ...call, namespace: "mcp__gatehouse", name: turn.mcp, arguments: JSON.stringify(turn.input) }
  const command =
    "write" in turn
      ? `mkdir -p "$(dirname ${quoted(turn.write)})" && printf %s ${quoted(turn.content)} > ${quoted(turn.write)}`
      : "run" in turn
        ? turn.run
        : "true"
  return { ...call, name: "exec_command", arguments: JSON.stringify({ cmd: command }) }
}

/** OpenAI's Responses, streamed. */
export const responsesEvents = (turn: Turn, asked: Asked, { input, output }: Usage): string => {
  const id = `resp_${randomUUID()}`
  const item =
    "say" in turn
      ? {
          type: "message",
          id: `msg_${randomUUID()}`,
          role: "assistant",
          status: "completed",
          content: [{ type: "output_text", text: turn.say, annotations: [] }]
        }
      : responsesCall(turn)
  return sse([
    { type: "response.created", response: { id, object: "response", model: asked.model, output: [] } },
    { type: "response.output_item.added", output_index: 0, item },
    { type: "response.output_item.done", output_index: 0, item },
    {
      type: "response.completed",
      response: {
        id,
        object: "response",
        model: asked.model,
        status: "completed",
        output: [item],
        usage: {
          input_tokens: input,
          input_tokens_details: { cached_tokens: 0 },
          output_tokens: output,
          output_tokens_details: { reasoning_tokens: 0 },
          total_tokens: input + output
        }
      }
    }
  ])
}
