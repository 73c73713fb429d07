import { Layer } from "effect"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { type AddressInfo, connect, type Socket } from "node:net"
import { assert, describe, it } from "vitest"
import { ConnectionLimits, type Limits } from "../../../adapters/http/server/ConnectionLimits.ts"
import * as Pipelining from "../../../adapters/http/server/Pipelining.ts"
import * as Memory from "../../../adapters/memory/Memory.ts"
import { linger, neverRead, raw } from "../../support/Raw.ts"
import { ask, start, type World } from "../../support/World.ts"
import { long } from "../../support/Long.ts"

const limited = (limits: Partial<Limits>) =>
  Layer.succeed(ConnectionLimits, { ...ConnectionLimits.defaultValue(), ...limits })

const withWorld = async (
  settings: Readonly<Record<string, string>>,
  limits: Partial<Limits>,
  check: (world: World) => Promise<void>
) => {
  const world = await start(Memory.layer, settings, limited(limits))
  try {
    await check(world)
  } finally {
    await world.close()
  }
}

const isUp = ({ url }: World) =>
  ask(url, "/healthz").then(
    ({ status }) => status === 200,
    () => false
  )

const until = async (holds: () => Promise<boolean> | boolean) => {
  while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, 20))
}

const docs = "GET /docs HTTP/1.1\r\nHost: x\r\n\r\n"

describe("connections", () => {
  it("of clients that ask and never read are cut after 15 s, and others get in; silent ones are kept", () => {
    let clock = 0
    return withWorld({ MAX_CONNECTIONS: "20" }, { interval: 10, now: () => clock }, async (world) => {
      const idle = await linger(world.url)
      const silent = await Promise.all(Array.from({ length: 19 }, () => neverRead(world.url, docs.repeat(6))))
      assert.isFalse(await isUp(world))
      clock = 14_999
      assert.isFalse(await isUp(world))
      await until(() => {
        clock += 15_000
        return isUp(world)
      })
      const answer = new Promise<string>((resolve) => idle?.once("data", (bytes) => resolve(String(bytes))))
      idle?.write("GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n")
      assert.match(await answer, /^HTTP\/1\.1 200 /)
      for (const socket of [idle, ...silent]) socket?.destroy()
    })
  })

  it("of one address are at most a quarter of all, and its others are hung up on", () =>
    withWorld({ MAX_CONNECTIONS: "8" }, {}, async (world) => {
      const of = (address: string) => linger(world.url, address)
      const kept = [await of("127.0.0.2"), await of("127.0.0.2")]
      assert.notInclude(kept, null)
      assert.isNull(await of("127.0.0.2"))
      const others = [await of("127.0.0.3"), await of("127.0.0.1"), await of("127.0.0.1"), await of("127.0.0.1")]
      assert.notInclude(others, null)
      const isGone = new Promise((resolve) => kept[0]?.once("close", resolve))
      kept[0]?.end()
      await isGone
      const next = await of("127.0.0.2")
      assert.isNotNull(next)
      for (const socket of [...kept, ...others, next]) socket?.destroy()
    }))

  it("of proxies are not counted by address", () =>
    withWorld({ MAX_CONNECTIONS: "8", TRUST_PROXY: "on" }, {}, async (world) => {
      const all = await Promise.all(Array.from({ length: 6 }, () => linger(world.url, "127.0.0.2")))
      assert.notInclude(all, null)
      for (const socket of all) socket?.destroy()
    }))
})

describe("requests sent without waiting for answers", () => {
  const asked = (id: number) => `GET /healthz HTTP/1.1\r\nHost: x\r\nX-Request-Id: ${id}\r\n`

  it("are all answered, in their order", () =>
    withWorld({}, {}, async (world) => {
      const ids = Array.from({ length: 300 }, (_, index) => index)
      const last = `${asked(300)}Connection: close\r\n\r\n`
      const answers = await raw(world.url, `${ids.map((id) => `${asked(id)}\r\n`).join("")}${last}`)
      const answered = [...answers.matchAll(/x-request-id: (\d+)/g)].map(([, id]) => Number(id))
      assert.deepStrictEqual(answered, [...ids, 300])
    }))

  long(() => {
    it("are handled a few at a time, and while some wait no more is read", async () => {
      const held: Array<ServerResponse> = []
      let most = 0
      let handled = 0
      const sockets = new Set<Socket>()
      const handle = Pipelining.make({ pipelined: 4, waiting: 100_000 }, (request, response) => {
        sockets.add(request.socket)
        handled++
        held.push(response)
        most = Math.max(most, held.length)
      })
      const server = createServer((request: IncomingMessage, response: ServerResponse) => handle(request, response))
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
      const client = connect((server.address() as AddressInfo).port, "127.0.0.1")
      let answers = 0
      client.setEncoding("utf8").on("data", (text) => (answers += String(text).split("HTTP/1.1 200").length - 1))
      const total = 5000
      const piece = `${asked(1)}\r\n`
      client.write(piece.repeat(total))
      await until(() => handled === 4)
      const [socket] = sockets
      await until(() => socket?.isPaused() === true)
      const read = socket?.bytesRead ?? 0
      // One read of a socket returns 64 KB at most.
      assert.isBelow(read, 3 * 65_536)
      const answer = setInterval(() => {
        for (const response of held.splice(0)) response.end("{}")
      }, 0)
      await until(() => handled === total && answers === total)
      clearInterval(answer)
      assert.strictEqual(most, 4)
      client.destroy()
      await new Promise((resolve) => server.close(resolve))
    })
  })

  it("are hung up on where too many wait", async () => {
    const handle = Pipelining.make({ pipelined: 1, waiting: 10 }, () => {})
    const server = createServer((request, response) => handle(request, response))
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    const { port } = server.address() as AddressInfo
    assert.strictEqual(await raw(`http://127.0.0.1:${port}`, `${asked(1)}\r\n`.repeat(12)).catch(() => ""), "")
    await new Promise((resolve) => server.close(resolve))
  })
})
