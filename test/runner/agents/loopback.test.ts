import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { createServer, type IncomingHttpHeaders, request } from "node:http"
import type { AddressInfo } from "node:net"
import * as Loopback from "../../../adapters/runner/agent/Loopback.ts"

const credential = `rk_${"c".repeat(32)}`

interface Answer {
  readonly status: number
  readonly body: string
  readonly headers: IncomingHttpHeaders
}

/** A service that answers every request with what a test says. */
const service = Effect.acquireRelease(
  Effect.promise(async () => {
    const seen: Array<{ method: string; url: string; headers: IncomingHttpHeaders; body: string }> = []
    const state = { status: 200, body: "{}" }
    const server = createServer((asked, response) => {
      let body = ""
      asked.on("data", (chunk) => (body += String(chunk)))
      asked.on("end", () => {
        seen.push({ method: asked.method ?? "", url: asked.url ?? "", headers: asked.headers, body })
        response.writeHead(state.status, { "content-type": "application/json", "www-authenticate": "Bearer" })
        response.end(state.body)
      })
    })
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, seen, state, server }
  }),
  ({ server }) => Effect.sync(() => void server.close())
)

const send = (url: string, options: { method?: string; headers?: Record<string, string>; body?: string } = {}) =>
  Effect.promise(
    () =>
      new Promise<Answer>((resolve, reject) => {
        const { body = "", headers = {}, method = "POST" } = options
        const asked = request(url, { method, headers }, (answer) => {
          let text = ""
          answer.on("data", (chunk) => (text += String(chunk)))
          answer.on("end", () => resolve({ status: answer.statusCode ?? 0, body: text, headers: answer.headers }))
        })
        asked.on("error", reject)
        asked.end(body)
      })
  )

const call = (name: string, given: object = {}) =>
  JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: given } })

const answered = (value: object) =>
  `event: message\ndata: ${JSON.stringify({ result: { content: [{ type: "text", text: JSON.stringify(value) }] } })}\n\n`

const opened = Effect.gen(function* () {
  const at = yield* service
  return { at, loopback: yield* Loopback.open(at.url, credential) }
})

describe("the loopback address of an agent", () => {
  it.scopedLive("passes requests to the service with the credential of the run, and nothing that the agent adds", () =>
    Effect.gen(function* () {
      const { at, loopback } = yield* opened
      const headers = {
        authorization: "Bearer tk_own",
        cookie: "a=b",
        "mcp-method": "ping",
        "x-forwarded-for": "1.2.3.4"
      }
      const answer = yield* send(loopback.url, { headers, body: '{"method":"ping"}' })
      assert.deepStrictEqual([answer.status, answer.body], [200, "{}"])
      assert.isUndefined(answer.headers["www-authenticate"])
      const [seen] = at.seen
      assert.deepInclude(seen, { method: "POST", url: "/mcp", body: '{"method":"ping"}' })
      assert.deepInclude(seen?.headers, { authorization: `Bearer ${credential}`, "mcp-method": "ping" })
      for (const name of ["cookie", "x-forwarded-for"]) assert.isUndefined(seen?.headers[name])
    })
  )

  it.scopedLive.each([
    ["another path", (url: string) => url.replace(/[^/]+$/, "guess"), {}, 404],
    ["another host", (url: string) => url, { headers: { host: "evil.test" } }, 403],
    ["a page of a browser", (url: string) => url, { headers: { origin: "https://evil.test" } }, 403],
    ["another method", (url: string) => url, { method: "PUT" }, 405],
    ["a large body", (url: string) => url, { body: "x".repeat(1_048_577) }, 413]
  ] as const)("refuses %s", ([, address, options, status]) =>
    Effect.gen(function* () {
      const { at, loopback } = yield* opened
      const answer = yield* send(address(loopback.url), options)
      assert.strictEqual(answer.status, status)
      assert.deepStrictEqual(at.seen, [])
    })
  )

  it.scopedLive("answers 403 when the lease is over, and 502 when the service is away", () =>
    Effect.gen(function* () {
      const { at, loopback } = yield* opened
      at.state.status = 401
      assert.strictEqual((yield* send(loopback.url)).status, 403)
      const away = yield* Loopback.open("http://127.0.0.1:9", credential)
      assert.strictEqual((yield* send(away.url)).status, 502)
    })
  )

  it.scopedLive("sees the tools connect, questions and the answers that the agent has read", () =>
    Effect.gen(function* () {
      const { at, loopback } = yield* opened
      const passed = (body: string, answer: object) => {
        at.state.body = answered(answer)
        return send(loopback.url, { body })
      }
      assert.isFalse(loopback.isConnected())
      yield* passed('{"method":"tools/list"}', {})
      assert.isTrue(loopback.isConnected())
      yield* passed(call("request_human_input", { question: "Which?" }), { decision: "dec-4m2q", status: "pending" })
      assert.isTrue(loopback.awaits())
      yield* passed(call("get_decision", { decision: "dec-4m2q" }), { key: "dec-4m2q", status: "pending" })
      assert.isTrue(loopback.awaits())
      yield* passed(call("get_decision", { decision: "DEC-4M2Q" }), { key: "dec-4m2q", status: "resolved" })
      assert.isFalse(loopback.awaits())
    })
  )
})
