import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { Effect, Layer, Schema } from "effect"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { Socket } from "node:net"
import type { Duplex } from "node:stream"
import { requestsPerMinute, windowSeconds } from "../../../domain/workspace/RateLimit.ts"
import * as Settings from "../../Settings.ts"
import { ConnectionLimits, type Limits } from "./ConnectionLimits.ts"
import * as Connections from "./Connections.ts"
import { FastRoutes } from "../rest/FastRoutes.ts"
import * as Pipelining from "./Pipelining.ts"

export class AddressUnavailable extends Schema.TaggedError<AddressUnavailable>()("AddressUnavailable", {
  host: Schema.String,
  port: Schema.Int,
  reason: Schema.String
}) {
  override get message() {
    const address = `${this.host}:${this.port}`
    if (this.reason === "EADDRINUSE")
      return `Port ${this.port} on ${this.host} is taken by another program. Choose another: PORT=${this.port === 65535 ? 3000 : this.port + 1} npm start`
    if (this.reason === "EACCES") return `This user may not listen on ${address}. Choose a port above 1023: PORT=3000`
    return `Cannot listen on ${address} (${this.reason}). Set HOST and PORT to an address of this machine.`
  }
}

const malformed: Record<string, readonly [status: string, code: string, message: string]> = {
  HPE_HEADER_OVERFLOW: ["431 Request Header Fields Too Large", "invalid_request", "The headers are over 16 KB."],
  ERR_HTTP_REQUEST_TIMEOUT: ["408 Request Timeout", "invalid_request", "The request took too long to arrive."]
}

/** Milliseconds a client may take to leave after a final error before its connection is destroyed. */
const farewell = 2000

/** Answers requests that Node cannot parse, before the API sees them, in the shape of every other error. */
const onClientError = (error: Error & { readonly code?: string }, socket: Duplex) => {
  if (error.code === "ECONNRESET" || !socket.writable) return
  const [status, code, message] = malformed[error.code ?? ""] ?? [
    "400 Bad Request",
    "invalid_request",
    "The request is not well-formed HTTP."
  ]
  const body = JSON.stringify({ error: { code, message } })
  const reset = Math.ceil(performance.timeOrigin / 1000 + performance.now() / 1000) + windowSeconds
  const headers = [
    `HTTP/1.1 ${status}`,
    "content-type: application/json",
    `content-length: ${Buffer.byteLength(body)}`,
    `x-ratelimit-limit: ${requestsPerMinute}`,
    `x-ratelimit-remaining: ${requestsPerMinute}`,
    `x-ratelimit-reset: ${reset}`,
    `x-request-id: ${crypto.randomUUID()}`,
    "cache-control: no-store",
    "x-content-type-options: nosniff",
    "connection: close"
  ]
  socket.end(`${headers.join("\r\n")}\r\n\r\n${body}`)
  setTimeout(() => socket.destroy(), farewell).unref()
}

/** `CONNECT` is for proxies. */
const onConnect = (_: IncomingMessage, socket: Duplex) => {
  // Node no longer handles the connection's errors, and a client that left before the answer must not end the process.
  socket.on("error", () => {})
  onClientError(new Error("CONNECT is for proxies"), socket)
}

/** Timeouts for slow clients, in milliseconds. */
const limits = {
  headersTimeout: 5000,
  requestTimeout: 15_000,
  connectionsCheckingInterval: 2500,
  keepAliveTimeout: 30_000,
  maxHeaderSize: 16_384,
  requireHostHeader: false
}

/** Time a stop waits for current requests; a client that never finishes its request must not block it. */
const patience = 3000

interface Options extends Limits {
  readonly most: number
  readonly isProxied: boolean
}

const make = (isTaken: typeof FastRoutes.Service, options: Options) => () => {
  const server = createServer(limits)
    .on("clientError", onClientError)
    .on("connect", onConnect)
    .on("checkExpectation", (request, response) => server.emit("request", request, response))
  // Refuses further connections, so that the existing ones are served.
  server.maxConnections = options.most
  const connections = Connections.make(options, options)
  let sweeping: NodeJS.Timeout | undefined
  const sweep = () => {
    connections.sweep()
    if (!connections.isEmpty()) return
    clearInterval(sweeping)
    sweeping = undefined
  }
  // No request is upgraded: a listener would take body, connection and errors from a client that only offers it.
  const on = server.on.bind(server)
  server.on = ((event: string, listener: (...given: ReadonlyArray<unknown>) => void) =>
    event === "upgrade" ? server : on(event, listener)) as typeof server.on
  const emit = server.emit.bind(server)
  const handle = Pipelining.make(options, (request, response) => {
    // Node may not read the bytes after an upgrade request.
    if (request.headers.upgrade !== undefined) response.setHeader("connection", "close")
    connections.lingerAfter(request)
    if (!isTaken(request, response)) emit("request", request, response)
  })
  server.emit = (event: string, ...given: ReadonlyArray<unknown>) => {
    if (event === "connection") {
      const socket = given[0] as Socket
      if (connections.admit(socket)) {
        sweeping ??= setInterval(sweep, options.interval).unref()
        return emit(event, socket)
      }
      socket.destroy()
      return true
    }
    if (event !== "request") return emit(event, ...given)
    const [request, response] = given as [IncomingMessage, ServerResponse]
    // A request after the connection's last response is not handled.
    if (!connections.isLingering(request.socket)) handle(request, response)
    return true
  }
  const close = server.close.bind(server)
  server.close = (done) => {
    setTimeout(() => server.closeAllConnections(), patience).unref()
    return close(done)
  }
  return server
}

export const layer = Layer.unwrapEffect(
  Effect.map(
    Effect.all([
      Settings.host,
      Settings.port,
      Settings.maxConnections,
      Settings.trustProxy,
      FastRoutes,
      ConnectionLimits
    ]),
    ([host, port, most, isProxied, isTaken, connectionLimits]) =>
      Layer.mapError(
        NodeHttpServer.layer(make(isTaken, { ...connectionLimits, most, isProxied }), { host, port }),
        ({ cause }) => {
          const reason = cause instanceof Error && "code" in cause ? String(cause.code) : String(cause)
          return new AddressUnavailable({ host, port, reason })
        }
      )
  )
)
