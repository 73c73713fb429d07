import { Layer } from "effect"
import { connect } from "node:net"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { ConnectionLimits } from "../../../adapters/http/server/ConnectionLimits.ts"
import * as Memory from "../../../adapters/memory/Memory.ts"
import { raw } from "../../support/Raw.ts"
import * as Seed from "../../support/Seed.ts"
import { source } from "../../support/Source.ts"
import { ask, start, type World } from "../../support/World.ts"

const body = Buffer.alloc(1_048_576, "x")

/** Sends the head, and the body in pieces, each after the previous one is sent; reads the whole answer. */
const inPieces = (url: string, head: string, isUsed: boolean): Promise<string> =>
  new Promise((resolve) => {
    const { hostname, port } = new URL(url)
    let answer = ""
    const socket = connect({ host: hostname, port: Number(port), noDelay: true, allowHalfOpen: true })
    const write = (from: number) => {
      if (from >= body.length) socket.end()
      else socket.write(body.subarray(from, from + 32_768), () => setImmediate(write, from + 32_768))
    }
    const begin = () => socket.write(head, () => setImmediate(write, 0))
    socket.setEncoding("latin1")
    if (isUsed) {
      socket.write("GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n")
      socket.once("data", begin)
    } else begin()
    socket.on("data", (chunk) => (answer += String(chunk)))
    socket.on("error", ({ message }) => resolve(`${answer}${message}`))
    socket.on("close", () => resolve(answer.replace(/^HTTP\/1\.1 200 OK[^]*?\{"status":"ok"\}/, "")))
  })

describe("a body that is refused", () => {
  let world: World
  let token: string
  let path: string
  beforeAll(async () => {
    world = await start(Memory.layer)
    const { slug } = await world.run(Seed.workspace)
    token = (await world.run(Seed.token(slug, ["write"]))).value
    path = (await world.run(source())).path
  })
  afterAll(() => world.close())

  const length = `content-length: ${body.length}\r\n`
  const upgrade = "connection: Upgrade, HTTP2-Settings\r\nupgrade: h2c\r\n"

  it.each<readonly [string, () => string, string]>([
    [
      "of no source, by a client that would speak otherwise",
      () => `PUT /signals/%00 HTTP/1.1\r\nhost: fuzz\r\n${upgrade}${length}`,
      "404"
    ],
    [
      "of no source, by a client that closes",
      () => `PUT /signals/x HTTP/1.1\r\nhost: x\r\nconnection: close\r\n${length}`,
      "404"
    ],
    ["of no route", () => `POST /nowhere HTTP/1.1\r\nhost: x\r\nconnection: close\r\n${length}`, "404"],
    [
      "of nobody",
      () => `POST /v1/decisions/dec-aaaa/resolve HTTP/1.1\r\nhost: x\r\nconnection: close\r\n${length}`,
      "401"
    ],
    [
      "over the limit",
      () => `POST /v1/decisions/dec-aaaa/resolve HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${token}\r\n${length}`,
      "413"
    ],
    ["of a source, over the limit", () => `POST ${path} HTTP/1.1\r\nhost: x\r\n${length}`, "413"]
  ])("%s is answered, and the client that still sends reads it", async (_, head, status) => {
    for (let turn = 0; turn < 5; turn++)
      assert.match(
        await inPieces(world.url, `${head()}\r\n`, turn % 2 === 0),
        new RegExp(`^HTTP/1\\.1 ${status} [^]*"error"`)
      )
  })

  it("is refused by its length before any of it came", async () => {
    const one = (head: string) => raw(world.url, `${head}host: x\r\ncontent-length: 600000\r\n\r\n`)
    assert.match(await one(`POST ${path} HTTP/1.1\r\n`), /^HTTP\/1\.1 413 [^]*"payload_too_large"/)
    const resolve = `POST /v1/decisions/dec-aaaa/resolve HTTP/1.1\r\nauthorization: Bearer ${token}\r\n`
    assert.match(await one(resolve), /^HTTP\/1\.1 413 [^]*"payload_too_large"/)
  })

  it("is read no further than 8 MB, and for no longer than 15 s or 2 s of silence", async () => {
    assert.include(ConnectionLimits.defaultValue(), { lingerBytes: 8_388_608, lingerTime: 15_000, lingerIdle: 2000 })
    let clock = 0
    const limits = Layer.succeed(ConnectionLimits, {
      ...ConnectionLimits.defaultValue(),
      interval: 5,
      lingerBytes: 1_000_000,
      now: () => clock
    })
    const own = await start(Memory.layer, {}, limits)
    const head = "POST /nowhere HTTP/1.1\r\nhost: x\r\nconnection: close\r\ntransfer-encoding: chunked\r\n\r\n"
    const { hostname, port } = new URL(own.url)
    /** Ends when the server does, or when `next` has nothing more to send. */
    const cut = (next: () => string) =>
      new Promise<void>((resolve) => {
        const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true })
        const write = () => socket.write(next(), () => setTimeout(write, 1))
        socket.write(head)
        socket.once("data", write).resume()
        socket.on("error", () => {})
        socket.on("close", () => resolve())
      })
    const piece = `10000\r\n${"x".repeat(65_536)}\r\n`
    await cut(() => piece)
    await cut(() => {
      clock += 1000
      return "1\r\nx\r\n"
    })
    let turns = 0
    await cut(() => {
      if (turns++ === 0) clock += 2000
      // A write detects that the server is gone.
      return turns < 100 ? "" : "1\r\nx\r\n"
    })
    assert.strictEqual((await ask(own.url, "/healthz")).status, 200)
    await own.close()
  })
})
