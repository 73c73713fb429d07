import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { createServer, connect, type Server, type Socket } from "node:net"
import { inject } from "vitest"
import { ownPort } from "../support/Port.ts"
import { eventually, scopedWorkshop } from "../support/Process.ts"
import * as TestPostgres from "../support/TestPostgres.ts"

/** A starting server's answer to every connection. */
const starting = () => {
  const fields = ["SFATAL", "VFATAL", "C57P03", "Mthe database system is starting up", "", ""].join("\0")
  const head = Buffer.alloc(5)
  head.write("E")
  head.writeInt32BE(4 + Buffer.byteLength(fields), 1)
  return Buffer.concat([head, Buffer.from(fields)])
}

/** A port to the Postgres of the tests, whose connections the test answers. */
const door = async (port: number, answer: (socket: Socket) => void) => {
  const server: Server = createServer((socket) => answer(socket.on("error", () => {})))
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve))
  return { close: () => new Promise((resolve) => server.close(resolve)) }
}

it.scopedLive(
  "a start waits for a database that is not there yet, and then for one that is starting, and says so once",
  () =>
    Effect.gen(function* () {
      const shop = yield* scopedWorkshop
      const { url } = yield* TestPostgres.addressed
      const { host, port: file } = inject("postgres")
      yield* Effect.promise(async () => {
        const port = await ownPort()
        const DATABASE_URL = url.replace(/localhost:\d+/, `127.0.0.1:${port}`).replace(/\?host=.*$/, "")
        const SECRET_KEY = Buffer.alloc(32, 7).toString("base64")
        const service = shop.node({ DATABASE_URL, SECRET_KEY, PORT: "0" })
        await eventually(
          () => `a word — ${service.err()}`,
          () => (service.err().includes("waits up to 60 s for the database") ? true : undefined)
        )
        let asked = 0
        const early = await door(port, (socket) => {
          asked += 1
          socket.once("data", () => socket.end(starting()))
        })
        await eventually(
          () => `another try — ${service.err()}`,
          () => (asked > 1 ? true : undefined)
        )
        await early.close()
        const open = await door(port, (socket) => {
          const behind = connect(`${host}/.s.PGSQL.${file}`).on("error", () => socket.destroy())
          socket.pipe(behind).pipe(socket)
        })
        await service.says(/^Gatehouse is at/m)
        assert.strictEqual(service.err().trim().split("\n").length, 1, service.err())
        service.signal("SIGTERM")
        assert.strictEqual((await service.ended()).code, 0)
        await open.close()
      })
    }),
  120_000
)
