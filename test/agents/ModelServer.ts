import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { type Asked, messagesAsked, messagesEvents, responsesAsked, responsesEvents } from "./Dialects.ts"

/** One answer of the model. */
export type Turn =
  | { readonly write: string; readonly content: string }
  | { readonly run: string }
  | { readonly mcp: string; readonly input: object }
  | { readonly say: string }
  /** The server fails with a status. */
  | { readonly status: number }
  /** It answers with what no model says, or not at all. */
  | { readonly mood: "nonsense" | "nothing" }

/** Tokens of every answer. */
export interface Usage {
  readonly input: number
  readonly output: number
}

type Script = (asked: Asked) => Turn

const bodyOf = async (request: IncomingMessage): Promise<string> => {
  const chunks: Array<Buffer> = []
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk)
  return Buffer.concat(chunks).toString("utf8")
}

const failed = (response: ServerResponse, status: number) => {
  response.writeHead(status, { "content-type": "application/json", "retry-after": "0" })
  const type = status === 429 ? "rate_limit_error" : "api_error"
  response.end(JSON.stringify({ type: "error", error: { type, message: `scripted ${status}`, code: type } }))
}

/**
 * A model that says what a test scripted, on loopback: Anthropic's Messages and OpenAI's Responses, both streamed. Calls
 * without tools, such as those for a title, get a word.
 */
export const modelServer = async (
  script: Script,
  usage: (asked: Asked) => Usage = () => ({ input: 100, output: 10 })
) => {
  const seen: Array<{ readonly path: string; readonly body: string; readonly headers: string }> = []
  const server = createServer((request, response) => {
    const answer = async () => {
      const path = (request.url ?? "").replace(/\?.*/, "")
      const body = await bodyOf(request)
      seen.push({ path, body, headers: JSON.stringify(request.headers) })
      const isMessages = path.endsWith("/messages")
      if (request.method !== "POST" || !(isMessages || path.endsWith("/responses"))) {
        response.writeHead(404, { "content-type": "application/json" })
        response.end('{"error":{"message":"not scripted"}}')
        return
      }
      const asked = isMessages ? messagesAsked(JSON.parse(body)) : responsesAsked(JSON.parse(body))
      const turn: Turn = asked.isAside ? { say: "ok" } : script(asked)
      if ("status" in turn) return failed(response, turn.status)
      if ("mood" in turn && turn.mood === "nothing") return
      response.writeHead(200, { "content-type": "text/event-stream" })
      if ("mood" in turn) response.end('event: sense\ndata: {"type":"nonsense"\n\n<html>\n\n')
      else response.end((isMessages ? messagesEvents : responsesEvents)(turn, asked, usage(asked)))
    }
    answer().catch(() => response.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    close: () => {
      server.close()
      server.closeAllConnections()
    }
  }
}
