import { ProtocolError, ProtocolErrorCode, Server } from "@modelcontextprotocol/server"
import { Effect, Predicate, Runtime } from "effect"
import manifest from "../../../package.json" with { type: "json" }
import { decoded } from "../server/Decoding.ts"
import type { Notes } from "../server/RequestNotes.ts"
import * as Guide from "./Guide.ts"
import { resultOf, settled } from "./Results.ts"
import * as Streams from "./Streams.ts"
import {
  annotationsOf,
  type Caller,
  isAgent,
  isOffered,
  type Needed,
  type Refusal,
  type Result,
  type Tool
} from "./Tool.ts"
import { find, tools } from "./ToolList.ts"

/** The caller of a request, and its notes. */
export interface Session {
  readonly caller: Caller
  readonly exchange: Notes
  /** Comes in again, while a call waits. */
  readonly enter: Effect.Effect<unknown, Refusal, Needed>
}

export const identity = { name: "gatehouse", title: "Gatehouse", version: manifest.version }

/** Revisions of the protocol that are served, the newest first. */
const revisions = ["2026-07-28", "2025-11-25", "2025-06-18"]

/** Only for questions of the server to the client, which this one never asks. */
const noValidator = {
  getValidator: () => () => ({ valid: false as const, data: undefined, errorMessage: "not validated" })
}

const options = {
  capabilities: { tools: { listChanged: true }, resources: {}, prompts: {} },
  instructions: Guide.instructions,
  supportedProtocolVersions: revisions,
  jsonSchemaValidator: noValidator
}

/** Entries of the list of tools. */
const listed = new Map(
  tools.map((tool) => [
    tool.name,
    {
      name: tool.name,
      title: tool.title,
      description: tool.description,
      inputSchema: { type: "object" as const, properties: {}, ...tool.inputSchema },
      annotations: annotationsOf(tool)
    }
  ])
)

const notOffered = (name: string): Refusal => ({
  _tag: "ToolNotOffered",
  message: `The credential of a run cannot call ${name}. It has ${tools.flatMap((tool) => (tool.asAgent === null ? [] : [tool.name])).join(", ")}.`
})

const unknown = (message: string, data?: object) => new ProtocolError(ProtocolErrorCode.InvalidParams, message, data)

/** A call of a tool with arguments that nobody has checked. */
export const callOf = (caller: Caller, tool: Tool, given: unknown): Result =>
  Effect.flatMap(decoded(tool.input, given ?? {}), (arranged) =>
    isAgent(caller)
      ? tool.asAgent === null
        ? Effect.fail(notOffered(tool.name))
        : tool.asAgent(caller, arranged)
      : tool.asMember(caller, arranged)
  )

export const isWait = ({ waits }: Tool, given: unknown) => waits === true && Predicate.hasProperty(given, "waitSeconds")

/** Serves one request of a caller; the library makes one for each. */
export const make = (runtime: Runtime.Runtime<Needed>, { caller, enter, exchange }: Session): Server => {
  const server = new Server(identity, options as ConstructorParameters<typeof Server>[1])
  const run = Runtime.runPromise(runtime)

  /** A refusal of a resource or a prompt is an error of the protocol. */
  const orRefused = async (effect: Effect.Effect<string | object, Refusal, Needed>, data?: object) => {
    const result = await run(settled(effect, exchange))
    if (result.isError) throw unknown(result.text, data)
    return result.text
  }

  server.setRequestHandler("tools/list", () => ({
    tools: tools.flatMap((tool) => (isOffered(caller, tool) ? [listed.get(tool.name) as never] : []))
  }))
  server.setRequestHandler("tools/call", ({ params }, { mcpReq }) => {
    const tool = find(params.name)
    if (tool === undefined) throw unknown(`There is no tool '${params.name.slice(0, 128)}'; tools/list has them.`)
    const call = callOf(caller, tool, params.arguments)
    // A client that leaves ends a wait, and no other call.
    return isWait(tool, params.arguments)
      ? run(Effect.map(settled(Streams.waiting(caller, call, enter), exchange), resultOf), { signal: mcpReq.signal })
      : run(Effect.map(settled(call, exchange), resultOf))
  })
  server.setRequestHandler("resources/list", () => ({ resources: [] }))
  server.setRequestHandler("resources/templates/list", () => ({ resourceTemplates: Guide.templates }))
  server.setRequestHandler("resources/read", async ({ params: { uri } }) => {
    const read = Guide.read(caller, uri)
    if (read === null)
      throw unknown(
        `There is no resource '${uri.slice(0, 200)}'; the templates are ${Guide.templates.map(({ uriTemplate }) => uriTemplate).join(", ")}.`,
        { uri }
      )
    return { contents: [{ uri, mimeType: "application/json", text: await orRefused(read, { uri }) }] }
  })
  server.setRequestHandler("prompts/list", () => ({ prompts: Guide.prompts }))
  server.setRequestHandler("prompts/get", async ({ params }) => {
    const { arguments: given = {}, name } = params
    if (name !== "work_on_story") throw unknown(`There is no prompt '${name.slice(0, 128)}'; it is work_on_story.`)
    const story = Object.hasOwn(given, "story") ? (given["story"] ?? "") : ""
    if (story === "") throw unknown("The argument story is missing: give the key of a story, such as PAY-12.")
    const text = Effect.map(Guide.workOnStory(caller, story), (words) => ({ text: words }))
    const { text: words } = JSON.parse(await orRefused(text)) as { readonly text: string }
    return { messages: [{ role: "user" as const, content: { type: "text" as const, text: words } }] }
  })
  return server
}
