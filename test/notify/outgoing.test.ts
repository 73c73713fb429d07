import { assert, describe, it } from "@effect/vitest"
import { Deferred, Duration, Effect, Fiber, Option, TestClock } from "effect"
import { readFileSync } from "node:fs"
import type { RequestListener } from "node:http"
import * as https from "node:https"
import type { AddressInfo } from "node:net"
import { parseRange } from "../../adapters/outgoing/AllowedAddresses.ts"
import * as OutgoingHttp from "../../adapters/outgoing/OutgoingHttp.ts"
import { listening, mailbox } from "./WebServer.ts"

type Rules = Parameters<typeof OutgoingHttp.make>[0]

const here: Rules = { allowed: Option.toArray(parseRange("127.0.0.0/8")), isHttpAllowed: true }
const at =
  (...addresses: ReadonlyArray<string>): NonNullable<Rules["lookup"]> =>
  () =>
    Promise.resolve(addresses.map((address) => ({ address })))

const get = (rules: Rules, url: string) => OutgoingHttp.make(rules).send({ method: "GET", url })

const serving = (listener: RequestListener) =>
  Effect.map(listening(listener), (server) => ({ ...server, url: `http://127.0.0.1:${server.port}/pa7h?qu3ry` }))

describe("an answer", () => {
  it.scopedLive("comes back with its status, headers and text", () =>
    Effect.gen(function* () {
      const { url } = yield* serving((_, response) => {
        response.writeHead(418, { "X-Kind": "teapot", "Set-Cookie": ["a=1", "b=2"] }).end("é")
      })
      const { body, headers, status } = yield* get(here, url)
      assert.deepStrictEqual([status, body, headers["x-kind"], headers["set-cookie"]], [418, "é", "teapot", "a=1,b=2"])
    })
  )

  it.scopedLive("is cut at 64 KB, and what is endless ends there", () =>
    Effect.gen(function* () {
      const full = yield* serving((_, response) => void response.end("x".repeat(65_536)))
      const endless = yield* serving((_, response) => {
        const more = () => {
          while (response.write("x".repeat(10_000)));
          response.once("drain", more)
        }
        more()
      })
      assert.strictEqual((yield* get(here, full.url)).body.length, 65_536)
      assert.strictEqual((yield* get(here, endless.url)).body.length, 65_536)
    })
  )

  it.scopedLive.each(["Disk → full", "Disk full\r\nX-Evil: yes"])("is not waited for with the header %j", (title) =>
    Effect.gen(function* () {
      const { port, posts } = yield* mailbox
      const outgoing = OutgoingHttp.make(here)
      const sent = outgoing.send({ method: "POST", url: `http://127.0.0.1:${port}/`, headers: { Title: title } })
      const { isForbidden, problem } = yield* Effect.flip(sent)
      assert.deepStrictEqual(
        [isForbidden, problem],
        [true, "the header Title holds a character that no header may have"]
      )
      assert.deepStrictEqual(posts, [])
    })
  )

  it.scopedLive("is of what was sent", () =>
    Effect.gen(function* () {
      const { port, posts } = yield* mailbox
      const url = `http://hooks.example.test:${port}/a%20b?c=d`
      const outgoing = OutgoingHttp.make({ ...here, lookup: at("127.0.0.1") })
      yield* outgoing.send({ method: "PUT", url, headers: { "X-Kind": "test", host: "evil.test" }, body: "é" })
      const [post] = posts
      assert.deepStrictEqual([post?.method, post?.path, post?.body], ["PUT", "/a%20b?c=d", "é"])
      assert.include(post?.headers, { host: `hooks.example.test:${port}`, "x-kind": "test", connection: "close" })
    })
  )
})

describe("no answer", () => {
  const told = (rules: Rules, url: string) =>
    Effect.map(Effect.flip(get(rules, url)), (unreachable) => {
      assert.isFalse(unreachable.isForbidden, unreachable.message)
      assert.notMatch(JSON.stringify(unreachable) + unreachable.message, /pa7h|qu3ry/)
      return unreachable.problem
    })

  it.live("of a name that is not known, or known without an address", () =>
    Effect.gen(function* () {
      const lookup = () => Promise.reject(Object.assign(new Error("pa7h"), { code: "ENOTFOUND" }))
      const url = "https://nowhere.example.test/pa7h?qu3ry"
      assert.strictEqual(yield* told({ ...here, lookup }, url), "its name is not known")
      assert.strictEqual(yield* told({ ...here, lookup: at() }, url), "its name is not known")
    })
  )

  it.live("of the machine's own resolver", () =>
    Effect.map(Effect.flip(get(here, "https://nowhere.invalid/pa7h")), ({ isForbidden, problem }) => {
      assert.isFalse(isForbidden)
      assert.match(problem, /its name/)
    })
  )

  it.scopedLive("of a server that is gone, tears the line, speaks no HTTP or answers nothing that ends", () =>
    Effect.gen(function* () {
      const gone = yield* serving(() => {})
      yield* gone.stop
      assert.strictEqual(yield* told(here, gone.url), "it refused the connection")
      const torn = yield* serving((request) => void request.socket.destroy())
      assert.strictEqual(yield* told(here, torn.url), "it closed the connection")
      const half = yield* serving((request, response) => {
        response.writeHead(200, { "content-length": "100" }).write("a part", () => request.socket.destroy())
      })
      assert.strictEqual(yield* told(here, half.url), "it closed the connection")
      const garbled = yield* serving((request) => void request.socket.end("SSH-2.0-OpenSSH\r\n"))
      assert.match(yield* told(here, garbled.url), /the connection failed \(HPE_/)
      const swelling = yield* serving((request) => {
        request.socket.end(`HTTP/1.1 200 OK\r\nX-Long: ${"x".repeat(100_000)}\r\n\r\n`)
      })
      assert.match(yield* told(here, swelling.url), /the connection failed \(HPE_/)
      const upgraded = yield* serving((request) => {
        request.socket.write("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n")
      })
      assert.strictEqual(yield* told(here, upgraded.url), "it closed the connection")
    })
  )

  it.scoped("within 10 s, or what the request allows, with the look-up and the answer's end", () =>
    Effect.gen(function* () {
      const asked = yield* Deferred.make<void>()
      const { url } = yield* serving((_, response) => {
        response.write("a part", () => Deferred.unsafeDone(asked, Effect.void))
      })
      const waiting = yield* Effect.fork(told(here, url))
      yield* Deferred.await(asked)
      yield* TestClock.adjust("9 seconds")
      assert.isTrue(Option.isNone(yield* Fiber.poll(waiting)))
      yield* TestClock.adjust("1 second")
      assert.strictEqual(yield* Fiber.join(waiting), "it did not answer within 10 s")

      const lookup = () => new Promise<never>(() => {})
      const send = OutgoingHttp.make({ ...here, lookup }).send
      const looking = yield* Effect.fork(
        Effect.flip(send({ method: "GET", url: "https://slow.example.test/", within: Duration.millis(1500) }))
      )
      yield* TestClock.adjust("1500 millis")
      assert.strictEqual((yield* Fiber.join(looking)).problem, "it did not answer within 1.5 s")
    })
  )

  it.scopedLive("for who is interrupted, and the line is closed", () =>
    Effect.gen(function* () {
      const asked = yield* Deferred.make<void>()
      const closed = yield* Deferred.make<void>()
      const { url } = yield* serving((request) => {
        Deferred.unsafeDone(asked, Effect.void)
        request.socket.on("close", () => Deferred.unsafeDone(closed, Effect.void))
      })
      const waiting = yield* Effect.fork(get(here, url))
      yield* Deferred.await(asked)
      yield* Fiber.interrupt(waiting)
      yield* Deferred.await(closed)
    })
  )
})

it.scopedLive("an address that refuses is followed by the next one of the same look-up, and no other trouble is", () =>
  Effect.gen(function* () {
    const { port } = yield* serving((_, response) => void response.end("second"))
    const rules = { ...here, lookup: at("127.0.0.3", "127.0.0.1") }
    assert.strictEqual((yield* get(rules, `http://two.example.test:${port}/`)).body, "second")
    const torn = yield* listening((request) => void request.socket.destroy())
    yield* Effect.flip(get({ ...here, lookup: at("127.0.0.1", "127.0.0.1") }, `http://two.example.test:${torn.port}/`))
    assert.strictEqual(torn.connections(), 1)
  })
)

describe("TLS", () => {
  const file = (name: string) => readFileSync(new URL(`./fixtures/${name}`, import.meta.url), "utf8")
  const cert = file("gate.pem")
  const secure = Effect.acquireRelease(
    Effect.async<https.Server>((resume) => {
      const server = https.createServer({ key: file("gate.key"), cert }, (request, response) => {
        response.end(`${"servername" in request.socket ? request.socket.servername : ""} ${request.headers.host}`)
      })
      server.listen(0, "127.0.0.1", () => resume(Effect.succeed(server)))
    }),
    (server) => Effect.async<void>((done) => void server.close(() => done(Effect.void)))
  )
  const trusting: Rules = {
    ...here,
    lookup: at("127.0.0.1"),
    connect: (options, answer) => https.request({ ...options, ca: cert }, answer)
  }

  it.scopedLive("asks for the name and proves it, at the address that was checked", () =>
    Effect.gen(function* () {
      const { port } = (yield* secure).address() as AddressInfo
      for (const name of ["gate.example.test", "gate.example.test."]) {
        const { body } = yield* get(trusting, `https://${name}:${port}/`)
        assert.strictEqual(body, `gate.example.test ${name}:${port}`)
      }
    })
  )

  it.scopedLive("refuses another name, a bare address and a certificate nobody vouches for", () =>
    Effect.gen(function* () {
      const { port } = (yield* secure).address() as AddressInfo
      const problem = (rules: Rules, host: string) =>
        Effect.map(Effect.flip(get(rules, `https://${host}:${port}/`)), ({ isForbidden, problem }) => {
          assert.isFalse(isForbidden)
          return problem
        })
      const mismatch = "the connection failed (ERR_TLS_CERT_ALTNAME_INVALID)"
      assert.strictEqual(yield* problem(trusting, "other.example.test"), mismatch)
      assert.strictEqual(yield* problem(trusting, "127.0.0.1"), mismatch)
      assert.strictEqual(
        yield* problem({ ...here, lookup: at("127.0.0.1") }, "gate.example.test"),
        "the connection failed (DEPTH_ZERO_SELF_SIGNED_CERT)"
      )
    })
  )
})
