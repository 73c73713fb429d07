import * as Json from "../../application/ports/Json.ts"
import { alertsOf as allAlerts } from "../support/OnCall.ts"
import { Effect, Redacted } from "effect"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import * as TriageWorker from "../../application/jobs/TriageWorker.ts"
import { OnCallStore } from "../../application/ports/OnCallStore.ts"
import { SignalStore } from "../../application/ports/SignalStore.ts"
import * as Sources from "../../application/oncall/Sources.ts"
import * as Workspaces from "../../application/workspace/Workspaces.ts"
import { bySystem } from "../../domain/workspace/Actor.ts"
import { raw, writeThenRead } from "../support/Raw.ts"
import { signed, source, unixNow } from "../support/Source.ts"
import { ask, type World } from "../support/World.ts"
import { assertCommon, assertRefused } from "./answers.ts"

type Source = Effect.Effect.Success<ReturnType<typeof source>>

const limit = 524_288
const alert = JSON.stringify({ title: "Checkout is down", severity: "critical" })

/** A delivery of that many bytes. */
const padded = (bytes: number) => {
  const empty = JSON.stringify({ title: "Large", more: "" })
  return JSON.stringify({ title: "Large", more: "m".repeat(bytes - empty.length) })
}

/** The address that alerting tools post to. */
export const signalsSuite = (name: string, open: () => Promise<World>) =>
  describe(`POST /signals/{source} (${name})`, () => {
    let world: World
    beforeAll(async () => {
      world = await open()
    })
    afterAll(() => world.close())

    const post = ({ path, secret }: Source, body: string, more: Parameters<typeof ask>[2] = {}) =>
      ask(world.url, path, { method: "POST", body, ...more, headers: { ...signed(secret, body), ...more.headers } })

    const ledgerOf = ({ source: { id }, workspace }: Source) =>
      world.run(
        Effect.map(
          Effect.flatMap(SignalStore, (store) => store.ledger(workspace, id, { limit: 50, before: null })),
          ({ items }) => Json.each(items)
        )
      )

    /** Waits until every delivery is triaged, by the test or by the service itself. */
    const judged = async (at: Source) => {
      do await world.run(TriageWorker.drain())
      while ((await ledgerOf(at)).some((json) => JSON.parse(json).status === "waiting"))
    }

    const alertsOf = async (at: Source) => {
      await judged(at)
      const { workspace } = at
      const found = await world.run(allAlerts(workspace))
      return found.map((json) => JSON.parse(json) as { title: string; reason: string; incident: string | null })
    }

    it("answers 202 with what became of the alerts, once they are stored", async () => {
      const at = await world.run(source())
      const answer = await post(at, alert, { headers: { "content-type": "application/json" } })
      assertCommon(answer)
      assert.strictEqual(answer.status, 202)
      assert.deepStrictEqual(
        { ...answer.body, deliveryId: "" },
        { deliveryId: "", accepted: 1, duplicates: 0, rejected: [] }
      )
      assert.strictEqual(answer.headers["x-ratelimit-remaining"], "120")
      assert.deepStrictEqual(
        (await alertsOf(at)).map(({ reason, title }) => [title, reason]),
        [["Checkout is down", "opened"]]
      )
    })

    it.each(["text/plain", "application/x-www-form-urlencoded", "nonsense"])(
      "reads JSON sent as %s, and by PUT",
      async (type) => {
        const at = await world.run(source())
        for (const method of ["POST", "PUT"])
          assert.strictEqual((await post(at, alert, { method, headers: { "content-type": type } })).status, 202)
      }
    )

    it.each(["GET", "DELETE", "PATCH"])("does not take %s", async (method) => {
      const at = await world.run(source())
      const answer = await ask(world.url, at.path, { method })
      assertRefused(answer, 405, "method_not_allowed")
      assert.strictEqual(answer.headers["allow"], "POST, PUT")
    })

    it("takes one good alert among bad ones, and tells of the others", async () => {
      const at = await world.run(source())
      const { body, status } = await post(at, JSON.stringify({ alerts: [{ title: "Good" }, { title: "" }, 7] }))
      assert.deepStrictEqual([status, body.accepted], [202, 1])
      assert.deepStrictEqual(
        body.rejected.map(({ index }: { index: number }) => index),
        [1, 2]
      )
      assert.include(body.rejected[0].message, "alerts[1].title")
    })

    it("takes no alerts at all", async () => {
      const { body, status } = await post(await world.run(source()), '{"alerts": []}')
      assert.deepStrictEqual([status, body.accepted], [202, 0])
    })

    it.each([
      ["nothing", ""],
      ["half an object", '{"title": "x"'],
      ["no alert", "{}"],
      ["only bad ones", '{"alerts": [{}, 1]}'],
      ["a number", "7"],
      ["null", "null"],
      ["a form", "title=x"],
      ["no end of brackets", "[".repeat(200_000)],
      ["an object without end", '{"a":'.repeat(50_000)],
      ["brackets and then escaped quotes without end", `${"[]".repeat(65)}${'\\"'.repeat(30_720)}`],
      ["an escaped string that is cut off", `{"title":"${'\\"'.repeat(30_720)}`]
    ])("refuses %s as unreadable", async (_, body) => {
      assertRefused(await post(await world.run(source()), body), 400, "unreadable_alert")
    })

    it("refuses what is not UTF-8", async () => {
      const at = await world.run(source())
      const body = Buffer.from([0x7b, 0xff, 0xfe, 0x7d])
      const head = Object.entries(signed(at.secret, body)).map(([field, value]) => `${field}: ${value}\r\n`)
      const answer = await raw(
        world.url,
        `POST ${at.path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n${head.join("")}content-length: 4\r\n\r\n`,
        body
      )
      assert.match(answer, /^HTTP\/1\.1 400 [^]*"unreadable_alert"/)
    })

    it("asks for the proof before it reads, and counts who lacks it", async () => {
      const at = await world.run(source())
      const without = await ask(world.url, at.path, { method: "POST", body: "nonsense" })
      assertRefused(without, 401, "invalid_proof")
      assertRefused(await post({ ...at, secret: "other" }, alert), 401, "invalid_proof")
      assertRefused(await post(at, alert, { headers: { "x-service-signature": "sha256=00" } }), 401, "invalid_proof")
      const refusals = await world.run(Effect.flatMap(OnCallStore, (store) => store.refusals(at.workspace)))
      assert.strictEqual(refusals.get(at.source.id)?.count, 3)
      assert.deepStrictEqual(await alertsOf(at), [])
    })

    it("takes a signed time within five minutes, once", async () => {
      const at = await world.run(source())
      const send = (time: number) => post(at, alert, { headers: signed(at.secret, alert, time) })
      const now = unixNow()
      assert.strictEqual((await send(now - 280)).body.accepted, 1)
      const again = await send(now - 280)
      assert.deepStrictEqual([again.status, again.body.accepted, again.body.duplicates], [202, 0, 1])
      assertRefused(await send(now - 330), 401, "timestamp_out_of_window")
      assertRefused(await send(now + 330), 401, "timestamp_out_of_window")
      const unsigned = await post(at, alert, { headers: { "x-service-timestamp": String(now) } })
      assertRefused(unsigned, 401, "invalid_proof")
      assert.strictEqual((await alertsOf(at)).length, 1)
    })

    it("takes only signed times where they are required", async () => {
      const at = await world.run(source("generic", { isTimestampRequired: true }))
      assertRefused(await post(at, alert), 401, "invalid_proof")
      assert.strictEqual((await post(at, alert, { headers: signed(at.secret, alert, unixNow()) })).status, 202)
    })

    it("knows no address but a source's own, before anything else", async () => {
      const at = await world.run(source())
      const body = "m".repeat(limit + 1)
      for (const path of [`/signals/${"x".repeat(32)}`, "/signals/short", `/signals/${"%00".repeat(8)}`])
        assertRefused(await ask(world.url, path, { method: "POST", body }), 404, "source_not_found")
      for (const path of ["/signals", "/signals/", `${at.path}/more`, `/${at.path}`, `/v1${at.path}`]) {
        const answer = await ask(world.url, path, { method: "POST", body: alert })
        assertRefused(answer, 404, "route_not_found")
        assert.notInclude(answer.text, at.source.token)
      }
    })

    it("forgets a source that is deleted, and all of a workspace that is", async () => {
      const [first, second] = [await world.run(source()), await world.run(source())]
      await world.run(Sources.remove(first.owner, "tool", "tool"))
      assertRefused(await post(first, alert), 404, "source_not_found")
      await world.run(Workspaces.remove(bySystem, { slug: second.slug, confirm: second.slug }))
      assertRefused(await post(second, alert), 404, "source_not_found")
    })

    it("takes 524,288 bytes, and not one more", async () => {
      const at = await world.run(source())
      assert.strictEqual((await post(at, padded(limit))).status, 202)
      assertRefused(await post(at, padded(limit + 1)), 413, "payload_too_large")
    })

    it("counts what arrives, whatever its length was said to be, and is heard by who writes all before they read", async () => {
      const at = await world.run(source())
      const big = "m".repeat(3 * limit)
      const head = `POST ${at.path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n`
      const chunked = await writeThenRead(
        world.url,
        `${head}transfer-encoding: chunked\r\n\r\n${big.length.toString(16)}\r\n${big}\r\n0\r\n\r\n`
      )
      assert.match(chunked, /^HTTP\/1\.1 413 [^]*"payload_too_large"/)
      const told = await writeThenRead(world.url, `${head}content-length: ${big.length}\r\n\r\n${big}`)
      assert.match(told, /^HTTP\/1\.1 413 [^]*"payload_too_large"/)
    })

    it("takes both secrets after a rotation", async () => {
      const at = await world.run(source())
      const { secret } = await world.run(Sources.rotate(at.owner, "tool"))
      assert.strictEqual((await post(at, alert)).status, 202)
      assert.strictEqual((await post({ ...at, secret: Redacted.value(secret) }, alert)).status, 202)
      await world.run(Sources.rotate(at.owner, "tool"))
      assertRefused(await post(at, alert), 401, "invalid_proof")
    })

    it("records what a paused source sends, and opens nothing", async () => {
      const at = await world.run(source())
      await world.run(Sources.pause(at.owner, "tool"))
      assert.strictEqual((await post(at, alert)).status, 202)
      assert.deepStrictEqual(
        (await alertsOf(at)).map(({ incident, reason }) => [reason, incident]),
        [["source_paused", null]]
      )
    })

    it("keeps a ledger that shows bodies without secrets", async () => {
      const at = await world.run(source())
      await post(at, JSON.stringify({ title: "Leak", labels: { api_key: "hunter2" }, password: "hunter2" }))
      await judged(at)
      const [delivery] = await ledgerOf(at)
      assert.isDefined(delivery)
      assert.include(delivery, '"Leak"')
      assert.notInclude(delivery, "hunter2")
      assert.include(delivery, "below_severity")
    })
  })
