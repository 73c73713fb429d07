/** A receiver of webhooks, which keeps every delivery with its raw bytes. */
import { createServer, type IncomingHttpHeaders } from "node:http"
import type { AddressInfo } from "node:net"

export interface Received {
  readonly headers: IncomingHttpHeaders
  readonly event: string
  readonly delivery: string
  readonly raw: string
  readonly payload: Readonly<Record<string, unknown>>
}

export interface Receiver {
  readonly url: string
  readonly received: Array<Received>
  readonly close: () => Promise<unknown>
}

export const startReceiver = async (): Promise<Receiver> => {
  const received: Array<Received> = []
  const server = createServer((request, response) => {
    const chunks: Array<Buffer> = []
    request.on("data", (chunk: Buffer) => chunks.push(chunk))
    request.on("end", () => {
      const raw = Buffer.concat(chunks).toString("utf8")
      received.push({
        headers: request.headers,
        event: String(request.headers["x-github-event"]),
        delivery: String(request.headers["x-github-delivery"]),
        raw,
        payload: JSON.parse(raw) as Readonly<Record<string, unknown>>
      })
      response.writeHead(202).end()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/hooks`,
    received,
    close: () => new Promise((resolve) => void server.close(resolve).closeAllConnections())
  }
}
