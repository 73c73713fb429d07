import { Layer } from "effect"
import { createServer, type RequestListener } from "node:http"
import type { AddressInfo } from "node:net"
import { assert, describe, it } from "vitest"
import * as Memory from "../../adapters/memory/Memory.ts"
import * as Broken from "../support/Broken.ts"
import * as Seed from "../support/Seed.ts"
import { start } from "../support/World.ts"
import { errorLog } from "./ErrorLog.ts"
import { fuzz } from "./Fuzzing.ts"
import { isWellFormed, type Request } from "./Wire.ts"
import { long } from "../support/Long.ts"

const marker = "Quokkaberry"
const secrets = { marker, secrets: ["hush-hush"] }

const plain: Request = {
  method: "GET",
  target: "/healthz",
  version: "HTTP/1.1",
  headers: [["host", "x"]],
  body: Buffer.alloc(0),
  framing: "none",
  manner: "at once",
  mayBeUnavailable: false
}

const good = () => ({
  "content-type": "application/json",
  "x-ratelimit-limit": "120",
  "x-ratelimit-remaining": "120",
  "x-ratelimit-reset": String(Math.ceil((performance.timeOrigin + performance.now()) / 1000) + 60),
  "x-request-id": "req-1",
  "cache-control": "no-store",
  "x-content-type-options": "nosniff"
})

const error = (message: string) => JSON.stringify({ error: { code: "route_not_found", message } })

/** The fuzzer's findings for one request to a server. */
const found = async (listener: RequestListener, request: Partial<Request> = {}, patience = 20_000) => {
  const server = createServer(listener)
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const { port } = server.address() as AddressInfo
  const requestAt = () => ({ ...plain, ...request })
  const url = `http://127.0.0.1:${port}`
  const { findings } = await fuzz({ url, requestAt, secrets, seed: 7, count: 1, lanes: 1, patience })
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
  return findings.join("\n")
}

const answering =
  (status: number, body: string, headers: Readonly<Record<string, string | undefined>> = {}): RequestListener =>
  (_, response) => {
    const all = Object.entries({ ...good(), ...headers }).flatMap(([name, value]) =>
      value === undefined ? [] : [name, value]
    )
    response.writeHead(status, all).end(body)
  }

const ok = '{"status":"ok"}'

describe.concurrent("the fuzzer", () => {
  it("finds nothing wrong with a good answer", async () => {
    assert.strictEqual(await found(answering(200, ok)), "")
    assert.strictEqual(await found(answering(200, ok), { manner: "pipelined" }), "")
    assert.strictEqual(await found(answering(200, ok), { manner: "in pieces" }), "")
    const nowhere = { target: "/nowhere" }
    assert.strictEqual(await found(answering(404, error("There is no route GET /nowhere.")), nowhere), "")
  })

  it.each<[string, RequestListener, Partial<Request>]>([
    ["answers 500", answering(500, error("Something broke on our side.")), {}],
    ["hangs", () => {}, {}],
    ["hangs", (_, response) => void response.writeHead(200, good()).write("{"), {}],
    ["ends the connection without an answer", (_, response) => void response.destroy(), {}],
    ["lacks x-request-id", answering(200, ok, { "x-request-id": undefined }), {}],
    ["lacks x-ratelimit-reset", answering(200, ok, { "x-ratelimit-reset": undefined }), {}],
    ["lacks x-content-type-options", answering(200, ok, { "x-content-type-options": undefined }), {}],
    ["says cache-control: public", answering(200, ok, { "cache-control": "public" }), {}],
    ["says x-ratelimit-remaining: -1", answering(200, ok, { "x-ratelimit-remaining": "-1" }), {}],
    ["tells of the neighbour", answering(200, JSON.stringify({ status: "ok", by: `${marker} Ltd` })), {}],
    ["tells of the neighbour", answering(200, ok, { "x-more": marker }), {}],
    ["tells a token", answering(404, error(`no such thing as tk_${"x".repeat(32)}`)), { target: "/nowhere" }],
    ["tells a secret", answering(404, error("the secret is hush-hush, really")), { target: "/nowhere" }],
    ["is not as documented", answering(200, '{"status":"fine"}'), {}],
    ["is not as documented", answering(200, "{"), {}],
    ["has the content type 'text/html'", answering(200, ok, { "content-type": "text/html" }), {}],
    ["answers 418, which health does not document", answering(418, error("I am a little teapot, short")), {}],
    ["does not have the shape of an error", answering(404, '{"message":"no"}'), { target: "/nowhere" }],
    ["answers 200 in place of 404", answering(200, ok), { target: "/nowhere" }],
    ["answers 200 in place of 405", answering(200, ok), { method: "DELETE" }],
    [
      "lacks allow",
      answering(405, error("not this way, that way please").replace("route_not_found", "method_not_allowed")),
      { method: "DELETE" }
    ]
  ])("finds who %s", async (what, listener, request) => {
    const findings = await found(listener, request, what.startsWith("hangs") ? 300 : undefined)
    assert.include(findings, what)
    assert.match(findings, /^Request 0 of seed 7 \(at once, none\): /)
    assert.include(findings, 'sent "')
  })

  it.each(["/v1/teams", "/v1/teams/payments"])(
    "finds our own service broken at %s, and hears it say so",
    async (path) => {
      const { errors, layer } = errorLog()
      const broken = Layer.mergeAll(Memory.layer, Broken.teamStore("planted"), Broken.polling("planted"))
      const world = await start(broken, {}, layer)
      const { slug } = await world.run(Seed.workspace)
      const { value } = await world.run(Seed.token(slug))
      const requestAt = () => ({ ...plain, target: path, headers: [["authorization", `Bearer ${value}`]] as const })
      const { findings } = await fuzz({ url: world.url, requestAt, secrets, seed: 7, count: 1, lanes: 1 })
      await world.close()
      assert.match(findings.join("\n"), /answers 500/)
      assert.match(errors.join("\n"), /^request failed .*planted/)
    }
  )

  it("finds a 503 that a request causes, and not one of a moment", async () => {
    const failing = (times: number): RequestListener => {
      let left = times
      const [away, healthy] = [answering(503, error("away")), answering(200, '{"status":"ok"}')]
      return (request, response) => (left-- > 0 ? away : healthy)(request, response)
    }
    assert.strictEqual(await found(failing(1)), await found(failing(0)))
    assert.include(await found(failing(Infinity)), "answers 503")
  })

  long(() => {
    it("finds a server that loses the requests behind one", async () => {
      let isFirst = true
      const forgetful: RequestListener = (asked, response) => {
        if (isFirst) answering(200, ok)(asked, response)
        isFirst = false
      }
      assert.include(await found(forgetful, { manner: "pipelined" }, 3000), "hangs: 1 of 3 answers")
    })
  })

  it("lets nobody refuse as malformed what is not", async () => {
    const refusal = JSON.stringify({
      error: { code: "invalid_request", message: "The request is not well-formed HTTP." }
    })
    const refusing = answering(400, refusal, { connection: "close" })
    assert.include(await found(refusing), "answers 400, which health does not document")
    const odd: Partial<Request> = {
      headers: [
        ["host", "x"],
        ["content-length", "+5"]
      ]
    }
    assert.isFalse(isWellFormed({ ...plain, ...odd }))
  })
})
