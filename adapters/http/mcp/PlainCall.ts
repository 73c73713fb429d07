import type { Headers } from "@effect/platform/Headers"
import { Effect, Predicate } from "effect"
import { callOf, identity, isWait, type Session } from "./McpServer.ts"
import { type Settled, settled } from "./Results.ts"
import type { Tool } from "./Tool.ts"
import { find } from "./ToolList.ts"

const revision = "2026-07-28"

/** A call of a tool in which the library has nothing to refuse. */
interface PlainCall {
  readonly id: string | number
  readonly tool: Tool
  readonly given: unknown
}

type Fields = Readonly<Record<string, unknown>>

const isObject = (value: unknown): value is Fields => Predicate.isRecord(value) && !Array.isArray(value)

const hasOnly = (value: Fields, names: ReadonlyArray<string>) =>
  Object.keys(value).every((name) => names.includes(name))

const isEmpty = (value: unknown) => isObject(value) && Object.keys(value).length === 0

const isText = (value: unknown) => typeof value === "string"

const metadata = "io.modelcontextprotocol/"

const isPlainClient = (meta: unknown) => {
  if (!isObject(meta)) return false
  const {
    [`${metadata}clientCapabilities`]: can,
    [`${metadata}clientInfo`]: info,
    [`${metadata}protocolVersion`]: spoken,
    ...rest
  } = meta
  return (
    spoken === revision &&
    isEmpty(rest) &&
    isObject(can) &&
    Object.values(can).every(isEmpty) &&
    (info === undefined ||
      (isObject(info) && isText(info["name"]) && isText(info["version"]) && hasOnly(info, ["name", "version"])))
  )
}

/**
 * Recognises the most frequent request, so that it is answered without the library: making its server, validating the
 * message and writing the answer take longer than the tool. All other requests, and all refusals, are the library's.
 */
export const plainCall = (message: unknown, headers: Headers): PlainCall | null => {
  if (!isObject(message) || !hasOnly(message, ["jsonrpc", "id", "method", "params"])) return null
  const { id, jsonrpc, method, params } = message
  if (jsonrpc !== "2.0" || method !== "tools/call" || !isObject(params)) return null
  if (!isText(id) && !Number.isSafeInteger(id)) return null
  const { _meta: meta, arguments: given, name, ...rest } = params
  const tool = isText(name) ? find(name as string) : undefined
  const accepted = headers["accept"] ?? ""
  return tool !== undefined &&
    isEmpty(rest) &&
    isObject(given) &&
    isPlainClient(meta) &&
    !isWait(tool, given) &&
    headers["content-type"] === "application/json" &&
    accepted.includes("application/json") &&
    accepted.includes("text/event-stream") &&
    headers["mcp-protocol-version"] === revision &&
    headers["mcp-method"] === method &&
    headers["mcp-name"] === name
    ? { id: id as string | number, tool, given }
    : null
}

const closing = `"resultType":"complete","_meta":${JSON.stringify({ [`${metadata}serverInfo`]: identity })}},"jsonrpc":"2.0"`

/** The answer as the library writes it; the result is JSON already. */
const answerOf = (id: string | number, { isError, text }: Settled) =>
  `{"result":{"content":[{"type":"text","text":${JSON.stringify(text)}}],${isError ? '"isError":true' : `"structuredContent":${text}`},${closing},"id":${JSON.stringify(id)}}`

export const answer = ({ given, id, tool }: PlainCall, { caller, exchange }: Session) =>
  Effect.map(settled(callOf(caller, tool, given), exchange), (result) => answerOf(id, result))
