import { FetchHttpClient } from "@effect/platform"
import { Effect, Logger, Redacted, Stream } from "effect"
import { createServer, type RequestListener } from "node:http"
import type { AddressInfo } from "node:net"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { proxy } from "../../../adapters/cli/mcp/Proxy.ts"
import { type House, metaOf, open } from "./House.ts"

/** The messages that a client gets for its lines; the proxy ends by itself. */
const through = async (url: string, token: string, lines: ReadonlyArray<string>) => {
  // oxlint-disable-next-line typescript/no-explicit-any
  const messages: Array<any> = []
  const service = { url: `${url}/mcp`, key: Redacted.make(token) }
  await Effect.runPromise(
    proxy(service, Stream.fromIterable(lines), (message) => void messages.push(message)).pipe(
      Effect.provide([FetchHttpClient.layer, Logger.remove(Logger.defaultLogger)])
    )
  )
  return messages
}

const modern = (id: unknown, method: string, params: object = {}) =>
  JSON.stringify({ jsonrpc: "2.0", id, method, params: { ...params, _meta: metaOf("2026-07-28") } })

describe("the proxy over standard input and output", () => {
  let house: House
  beforeAll(async () => void (house = await open()))
  afterAll(() => house?.world.close())

  const own = (...lines: ReadonlyArray<string>) => through(house.world.url, house.place.bearers.owner, lines)

  it("ends with its input, though a stream is open, and after the last answer", async () => {
    const messages = await own(
      modern(1, "subscriptions/listen", { notifications: { toolsListChanged: true } }),
      modern("two", "tools/call", { name: "get_story", arguments: { story: "PAY-2" } })
    )
    assert.strictEqual(messages.find(({ id }) => id === "two")?.result.structuredContent.key, "PAY-2")
  })

  it("passes names that no header can hold", async () => {
    for (const uri of [
      "gatehouse://stories/é\n",
      "gatehouse://stories/=",
      " gatehouse://stories/PAY-2",
      "=?base64?x?="
    ]) {
      const [{ error }] = await own(modern(1, "resources/read", { uri }))
      assert.strictEqual(error.code, -32_602, error.message)
    }
    const [{ error }] = await own(modern(1, "tööls/list\n"))
    assert.isBelow(error.code, 0)
  })

  it("answers lines that are no message, and an id that is open, and goes on", async () => {
    const list = modern(1, "tools/list")
    const messages = await own("", "{", "7", "[]", `[${list}]`, "null", list, list)
    assert.deepStrictEqual(
      messages.slice(0, 5).map(({ error, id }) => [id, error.code]),
      Array.from({ length: 5 }, () => [null, -32_700])
    )
    assert.sameDeepMembers(
      messages.slice(5).map(({ error, id }) => [id, error?.code]),
      [
        [1, -32_600],
        [1, undefined]
      ]
    )
  })

  it("answers a line that is nested too deep with the id of its request", async () => {
    const params = `${"[".repeat(5000)}${"]".repeat(5000)}`
    const [{ error, id }] = await own(`{"jsonrpc":"2.0","id":"deep","method":"tools/call","params":${params}}`)
    assert.deepStrictEqual([id, error], ["deep", { code: -32_600, message: "The message is nested over 64 deep." }])
  })

  it("a call that the client cancels has no answer", async () => {
    const waiting = modern(1, "tools/call", {
      name: "get_decision",
      arguments: { decision: "dec-aaaa", waitSeconds: 45 }
    })
    const cancelled = JSON.stringify({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } })
    assert.deepStrictEqual(await own(waiting, cancelled), [])
  })

  const with200 =
    (type: string, body: string): RequestListener =>
    (_, response) =>
      void response.writeHead(200, { "content-type": type }).end(body)

  it.each<[string, RequestListener, string]>([
    ["a page of somebody else", with200("text/html", "<h1>Sign in</h1>"), "200 without a message"],
    ["nothing", with200("application/json", ""), "200 without a message"],
    ["a list", with200("application/json", "[]"), "200 without a message"],
    ["a stream that ends", with200("text/event-stream", ": hello\n\n"), "ended the stream"],
    ["a stream of nonsense", with200("text/event-stream", "data: {\n\ndata: 7\n\n"), "ended the stream"],
    ["an accepted request", (_, response) => void response.writeHead(202).end(), "202 without a message"],
    ["an error without words", (_, response) => void response.writeHead(502).end("<html>"), "502 without a message"],
    ["an error of another shape", (_, response) => void response.writeHead(500).end("null"), "500 without a message"],
    ["a cut connection", (_, response) => void response.destroy(), "does not answer"],
    [
      "a stream that is cut",
      (_, response) => {
        response.writeHead(200, { "content-type": "text/event-stream" }).write("data: {")
        setImmediate(() => response.destroy())
      },
      "does not answer"
    ]
  ])("a service that answers %s leaves no request open", async (_, listener, part) => {
    const server = createServer(listener)
    await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening))
    const { port } = server.address() as AddressInfo
    const note = '{"jsonrpc":"2.0","method":"notifications/initialized"}'
    const messages = await through(`http://127.0.0.1:${port}`, "tk_x", [note, modern(7, "tools/list")])
    server.closeAllConnections()
    server.close()
    assert.lengthOf(messages, 1)
    assert.strictEqual(messages[0].id, 7)
    assert.include(messages[0].error.message, part)
  })

  it("says why the service refuses a token, and that none answers", async () => {
    const [refused] = await through(house.world.url, `tk_${"x".repeat(32)}`, [modern(1, "tools/list")])
    assert.include(refused.error.message, "token")
    const [nobody] = await through("http://127.0.0.1:1", "tk_x", [modern(1, "tools/list")])
    assert.include(nobody.error.message, "Check SERVICE_URL")
  })
})
