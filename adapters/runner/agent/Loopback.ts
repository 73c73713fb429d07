import { Effect } from "effect"
import { randomBytes } from "node:crypto"
import { createServer, type IncomingMessage, request as plainRequest, type ServerResponse } from "node:http"
import { request as secureRequest } from "node:https"
import { type Call, callOf, decisionIn, isResolved } from "./LoopbackCalls.ts"

/** The MCP server of the service for one agent, on this machine. */
export interface Loopback {
  readonly url: string
  /** The part of the address that nobody can guess; no log shows it. */
  readonly secret: string
  /** True once the agent has got the list of tools. */
  readonly isConnected: () => boolean
  /** True when the agent asked a question since `forget`, and has not read the answer. */
  readonly awaits: () => boolean
  readonly forget: () => void
}

/** The service takes as much. */
const largestBody = 1_048_576

/** Part of an answer that is read on its way. */
const mostRead = 262_144

const passedOn = [
  "accept",
  "content-type",
  "last-event-id",
  "mcp-method",
  "mcp-name",
  "mcp-protocol-version",
  "mcp-session-id"
]
const passedBack = ["cache-control", "content-type", "mcp-session-id", "retry-after", "x-accel-buffering"]

const picked = (headers: IncomingMessage["headers"], names: ReadonlyArray<string>): Record<string, string> =>
  Object.fromEntries(names.flatMap((name) => (headers[name] === undefined ? [] : [[name, String(headers[name])]])))

const refuse = (response: ServerResponse, status: number, code: string, message: string) => {
  if (response.headersSent) return response.destroy()
  const allow = status === 405 ? { allow: "POST, GET, DELETE" } : {}
  response.writeHead(status, { "content-type": "application/json", connection: "close", ...allow })
  return response.end(JSON.stringify({ error: { code, message } }))
}

const bodyOf = async (request: IncomingMessage): Promise<Buffer | undefined> => {
  const chunks: Array<Buffer> = []
  let size = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > largestBody) return undefined
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

/** Refuses pages of a browser on this machine, which may reach any port of it by a name of their own. */
const isOwn = ({ headers }: IncomingMessage, port: number): boolean => {
  const hosts = [`127.0.0.1:${port}`, `localhost:${port}`]
  return (
    hosts.includes(headers.host ?? "") &&
    (headers.origin === undefined || hosts.some((host) => headers.origin === `http://${host}`))
  )
}

const methods = new Set(["POST", "GET", "DELETE"])

/** Serves MCP on 127.0.0.1 until the scope ends, and passes requests to the service with the credential of the run. */
export const open = Effect.fn("Loopback.open")(function* (service: string, credential: string) {
  const secret = randomBytes(24).toString("base64url")
  const target = new URL(`${service}/mcp`)
  const send = target.protocol === "https:" ? secureRequest : plainRequest
  const asked = new Set<string>()
  let isConnected = false

  const note = (call: Call, text: string) => {
    if (call.method === "tools/list") isConnected = true
    const decision = call.tool === "request_human_input" ? decisionIn(text) : undefined
    if (decision !== undefined) asked.add(decision)
    if (call.tool === "get_decision" && call.decision !== undefined && isResolved(text)) asked.delete(call.decision)
  }

  const pass = (request: IncomingMessage, response: ServerResponse, body: Buffer) => {
    const call = callOf(body)
    const headers = {
      ...picked(request.headers, passedOn),
      authorization: `Bearer ${credential}`,
      ...(request.method === "POST" && { "content-length": String(body.length) })
    }
    const onward = send(target, { method: request.method, headers }, (answer) => {
      const status = answer.statusCode ?? 502
      // 401 would make a client look for a way to sign in.
      if (status === 401) {
        answer.resume()
        return void refuse(response, 403, "lease_over", "The run is no longer held by this runner. End your turn.")
      }
      response.writeHead(status, picked(answer.headers, passedBack))
      let read = ""
      answer.on("data", (chunk: Buffer) => {
        if (call !== null && read.length < mostRead) read += chunk.toString("utf8")
        response.write(chunk)
      })
      answer.on("end", () => {
        if (call !== null && status < 300) note(call, read)
        response.end()
      })
      answer.on("error", () => response.destroy())
    })
    onward.on("error", () => refuse(response, 502, "unavailable", "The service cannot be reached. Try again later."))
    response.on("close", () => onward.destroy())
    onward.end(body)
  }

  const serve = async (request: IncomingMessage, response: ServerResponse, port: number) => {
    if (!isOwn(request, port)) return refuse(response, 403, "forbidden", "This address serves the agent of one run.")
    if (request.url !== `/${secret}`) return refuse(response, 404, "route_not_found", "There is nothing here.")
    if (!methods.has(request.method ?? ""))
      return refuse(response, 405, "method_not_allowed", "Use POST, GET or DELETE.")
    const body = await bodyOf(request)
    return body === undefined
      ? refuse(response, 413, "payload_too_large", `A request has at most ${largestBody} bytes.`)
      : pass(request, response, body)
  }

  const port = yield* Effect.acquireRelease(
    Effect.async<{ readonly number: number; readonly close: () => void }>((resume) => {
      const server = createServer((request, response) => {
        const address = server.address()
        const own = address !== null && typeof address === "object" ? address.port : 0
        serve(request, response, own).catch(() => response.destroy())
      })
      server.on("error", (error) => resume(Effect.die(error)))
      server.listen(0, "127.0.0.1", () => {
        const address = server.address()
        const number = address !== null && typeof address === "object" ? address.port : 0
        resume(
          Effect.succeed({
            number,
            close: () => {
              server.close()
              server.closeAllConnections()
            }
          })
        )
      })
    }),
    ({ close }) => Effect.sync(close)
  )
  return {
    url: `http://127.0.0.1:${port.number}/${secret}`,
    secret,
    isConnected: () => isConnected,
    awaits: () => asked.size > 0,
    forget: () => asked.clear()
  } satisfies Loopback
})
