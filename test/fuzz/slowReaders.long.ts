import { connect } from "node:net"
import { assert, it } from "vitest"
import * as Memory from "../../adapters/memory/Memory.ts"
import { neverRead } from "../support/Raw.ts"
import { ask, start } from "../support/World.ts"

const docs = "GET /docs HTTP/1.1\r\nHost: x\r\n\r\n".repeat(6)

it("50 clients that never read hold 50 connections no longer than the limit, and one that reads slowly is served", async ({
  task
}) => {
  const world = await start(Memory.layer, { MAX_CONNECTIONS: "50" })
  const { hostname, port } = new URL(world.url)
  const slow = connect({ host: hostname, port: Number(port) })
  let taken = 0
  let isOpen = true
  slow.on("readable", () => {})
  slow.on("error", () => (isOpen = false)).on("close", () => (isOpen = false))
  const sips = setInterval(() => {
    const some = slow.read(Math.min(65_536, slow.readableLength)) as Buffer | null
    taken += some?.length ?? 0
  }, 100)
  slow.write(docs)
  const silent = await Promise.all(Array.from({ length: 49 }, () => neverRead(world.url, docs)))
  const began = performance.now()
  const isUp = () =>
    ask(world.url, "/healthz").then(
      ({ status }) => status === 200,
      () => false
    )
  while (!(await isUp())) await new Promise((resolve) => setTimeout(resolve, 100))
  task.meta.figures = `others get in after ${((performance.now() - began) / 1000).toFixed(1)} s`
  const before = taken
  while (isOpen && taken < before + 1_000_000) await new Promise((resolve) => setTimeout(resolve, 100))
  assert.isTrue(isOpen, "the slow reader was cut")
  clearInterval(sips)
  for (const socket of [slow, ...silent]) socket.destroy()
  await world.close()
}, 120_000)
