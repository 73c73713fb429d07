import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { Effect, Fiber, TestClock } from "effect"
import { createServer, get as httpGet, type RequestListener } from "node:http"
import type { AddressInfo } from "node:net"
import { getBy } from "../../adapters/alerting/cloudwatch/CloudPagesHttp.ts"

const asked: Array<string> = []

const listener: RequestListener = (request, response) => {
  asked.push(request.url ?? "")
  if (request.url === "/page") return void response.end("a page, é")
  if (request.url === "/full") return void response.end("x".repeat(65_536))
  if (request.url === "/over") return void response.end("x".repeat(65_537))
  if (request.url === "/endless") return void setInterval(() => response.write("x".repeat(10_000)), 1).unref()
  if (request.url === "/moved") return void response.writeHead(302, { location: "/page" }).end()
  if (request.url === "/gone") return void response.writeHead(404).end("no page")
  if (request.url === "/torn") {
    response.writeHead(200, { "content-length": "100" }).write("a part")
    return void setTimeout(() => response.destroy(), 20)
  }
}

const server = createServer(listener)
const get = (path: string) => getBy(httpGet)(`http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`)
const problem = (path: string) => Effect.map(Effect.flip(get(path)), (unreachable) => unreachable.problem)

describe("a page of a cloud provider", () => {
  beforeAll(() => new Promise<void>((done) => void server.listen(0, "127.0.0.1", done)))
  afterAll(() => {
    server.closeAllConnections()
    return new Promise<void>((done) => void server.close(() => done()))
  })

  it.live("is read whole, up to 64 KB", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* get("/page"), "a page, é")
      assert.strictEqual((yield* get("/full")).length, 65_536)
      assert.include(yield* problem("/over"), "64 KB")
      assert.include(yield* problem("/endless"), "64 KB")
    })
  )

  it.live("that moved is not followed", () =>
    Effect.gen(function* () {
      asked.length = 0
      assert.include(yield* problem("/moved"), "302")
      assert.deepStrictEqual(asked, ["/moved"])
    })
  )

  it.live.each(["/gone", "/torn"])("at %s cannot be reached", (path) => problem(path))

  it.live("of a host that refuses cannot be reached", () =>
    Effect.map(Effect.flip(getBy(httpGet)("http://127.0.0.1:1/")), ({ host, message }) => {
      assert.strictEqual(host, "127.0.0.1:1")
      assert.include(message, "ECONNREFUSED")
    })
  )

  it.effect("that takes over 3 s is given up", () =>
    Effect.gen(function* () {
      const waiting = yield* Effect.fork(problem("/silent"))
      yield* TestClock.adjust("3 seconds")
      assert.include(yield* Fiber.join(waiting), "3 s")
    })
  )
})
