import { Effect } from "effect"
import { afterAll, assert, beforeAll, inject, it } from "vitest"
import { OnCallStore } from "../../application/ports/OnCallStore.ts"
import * as Seed from "../support/Seed.ts"
import { signed, source } from "../support/Source.ts"
import { ask } from "../support/World.ts"
import { type Station, station } from "./Station.ts"

const count = inject("full") ? 5000 : 500

let at: Station
beforeAll(async () => {
  at = await station()
})
afterAll(() => at.close())

it(`a storm of ${count} alerts for one service opens one incident, and reads stay responsive`, async ({ task }) => {
  const { path, secret, slug, workspace } = await at.run(source())
  const tokens = await at.run(Effect.replicateEffect(Seed.token(slug), 20))
  const { service, url } = await at.serve()
  const indexes = Array.from({ length: count }, (_, index) => index).values()
  const began = performance.now()
  let isOver = false
  const sender = async () => {
    for (const index of indexes) {
      const body = JSON.stringify({ title: `Host ${index} is down`, severity: "critical", id: `host-${index}` })
      const answer = await ask(url, path, { method: "POST", body, headers: signed(secret, body) })
      assert.strictEqual(answer.status, 202, answer.text)
    }
  }
  const times: Array<number> = []
  const reader = async () => {
    for (let turn = 0; !isOver; turn++) {
      const before = performance.now()
      const answer = await ask(url, "/v1/decisions", { token: tokens[turn % tokens.length]?.value ?? "" })
      assert.oneOf(answer.status, [200, 429])
      times.push(performance.now() - before)
      await new Promise((resolve) => setTimeout(resolve, 25))
    }
  }
  const reading = reader()
  await Promise.all(Array.from({ length: 32 }, sender))
  const sent = performance.now() - began
  const incidents = async () => {
    const found = await at.run(Effect.flatMap(OnCallStore, (store) => store.incidents(workspace)))
    return found.map((json) => JSON.parse(json) as { alerts: number; status: string })
  }
  for (let seen = 0; seen < count; seen = (await incidents())[0]?.alerts ?? 0)
    await new Promise((resolve) => setTimeout(resolve, 50))
  const judged = performance.now() - began
  isOver = true
  await reading
  assert.deepStrictEqual(
    (await incidents()).map(({ alerts, status }) => [alerts, status]),
    [[count, "open"]]
  )
  const slowest = times.toSorted((a, b) => a - b)[Math.floor(times.length * 0.95)] ?? 0
  assert.isBelow(slowest, 1000)
  service.signal("SIGTERM")
  task.meta.figures = `${count.toLocaleString("en")} alerts taken in ${(sent / 1000).toFixed(1)} s, judged after ${(judged / 1000).toFixed(1)} s; 95 of 100 reads meanwhile under ${slowest.toFixed(0)} ms`
}, 180_000)
