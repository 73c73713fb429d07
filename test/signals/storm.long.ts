import { incidentsOf } from "../support/OnCall.ts"
import { Effect, Redacted } from "effect"
import { afterAll, assert, beforeAll, inject, it } from "vitest"
import * as Incidents from "../../application/oncall/Incidents.ts"
import * as Places from "../../application/oncall/Places.ts"
import * as Services from "../../application/oncall/Services.ts"
import type { IncidentKey } from "../../domain/value/IncidentKey.ts"
import { team } from "../following/Desk.ts"
import { postsOf, receivers } from "../following/Receivers.ts"
import * as Idle from "../support/Idle.ts"
import { eventually } from "../support/Process.ts"
import * as Seed from "../support/Seed.ts"
import { signed, source } from "../support/Source.ts"
import { ask } from "../support/World.ts"
import { type Station, station } from "../support/Station.ts"

const count = inject("full") ? 5000 : 100

let at: Station
beforeAll(async () => {
  at = await station()
})
afterAll(() => at.close())

it(`a storm of ${count} alerts for one service opens one incident, and reads stay responsive`, async ({ task }) => {
  const { owner, path, secret, slug, workspace } = await at.run(source())
  const tokens = await at.run(Effect.replicateEffect(Seed.token(slug), 20))
  const outside = await receivers()
  for (const name of ["ops", "chat"])
    await at.run(Places.add(owner, { team, name, address: Redacted.make(`${outside.chatUrl}/${name}`) }))
  await at.run(Services.set(owner, "checkout", { notify: ["owner@acme.test"] }))
  const { service, url } = await at.serve(outside.settings)
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
    const found = await at.run(incidentsOf(workspace))
    return found.map((json) => JSON.parse(json) as { key: IncidentKey; alerts: number; status: string })
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
  await at.run(Incidents.resolve(owner, (await incidents())[0]?.key as IncidentKey))
  const isToldOver = () => postsOf(outside).filter(({ event }) => event === "resolved").length === 2
  await eventually(
    () => `the end of it; ${JSON.stringify(postsOf(outside))}`,
    () => (isToldOver() && outside.mail.mails.length === 2 ? true : undefined)
  )
  await outside.leave()
  const told = (place: string) => postsOf(outside).filter(({ path }) => path === place)
  for (const place of ["/ops", "/chat"]) {
    const events = told(place).map(({ event }) => event)
    assert.deepStrictEqual([events[0], events.at(-1)], ["opened", "resolved"])
    assert.isAtMost(events.length, 8, events.join())
  }
  assert.deepStrictEqual(
    outside.mail.mails.map(({ to }) => to),
    ["owner@acme.test", "owner@acme.test"]
  )
  const slowest = times.toSorted((a, b) => a - b)[Math.floor(times.length * 0.95)] ?? 0
  Idle.isBelow(slowest, 1000)
  service.signal("SIGTERM")
  task.meta.figures = `${count.toLocaleString("en")} alerts taken in ${(sent / 1000).toFixed(1)} s, judged after ${(judged / 1000).toFixed(1)} s; 95 of 100 reads meanwhile under ${slowest.toFixed(0)} ms; the member got 2 mails, each place ${told("/ops").length} messages in one thread`
}, 180_000)
