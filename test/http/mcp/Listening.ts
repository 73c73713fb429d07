import { type IncomingHttpHeaders, request } from "node:http"
import { metaOf } from "./House.ts"

export interface Listening {
  readonly status: number | undefined
  readonly headers: IncomingHttpHeaders
  /** The first bytes. */
  readonly first: string
  readonly next: Promise<string>
  readonly ended: Promise<void>
  readonly leave: () => void
}

const method = "subscriptions/listen"
const params = { notifications: { toolsListChanged: true }, _meta: metaOf("2026-07-28") }
const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params })

/** An open stream of a token. */
export const listen = (url: string, bearer: string) => {
  const { hostname, port } = new URL(url)
  const headers = {
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
    authorization: `Bearer ${bearer}`,
    "mcp-protocol-version": "2026-07-28",
    "mcp-method": method
  }
  return new Promise<Listening>((resolve, reject) => {
    const asking = request({ hostname, port, path: "/mcp", method: "POST", headers, agent: false }, (response) => {
      const ended = new Promise<void>((end) => response.on("close", () => end()))
      response.once("data", (chunk: Buffer) => {
        const next = new Promise<string>((seen) => response.once("data", (more: Buffer) => seen(String(more))))
        response.resume()
        resolve({
          status: response.statusCode,
          headers: response.headers,
          first: String(chunk),
          next,
          ended,
          leave: () => void asking.destroy()
        })
      })
    })
    asking.on("error", reject)
    asking.end(body)
  })
}
