import { Statement } from "@effect/sql"
import { Array as Arrays, Effect } from "effect"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import * as Tokens from "../../../application/workspace/Tokens.ts"
import { bySystem } from "../../../domain/workspace/Actor.ts"
import { raw } from "../../support/Raw.ts"
import * as Seed from "../../support/Seed.ts"
import { signed, source } from "../../support/Source.ts"
import * as TestPostgres from "../../support/TestPostgres.ts"
import { ask, start, type World } from "../../support/World.ts"
import { long } from "../../support/Long.ts"

const statements: Array<string> = []

const counting = Statement.setTransformer((statement) => {
  statements.push(statement.compile()[0])
  return Effect.succeed(statement)
})

/** Statements that look up a token or a source. */
const lookups = () => statements.filter((text) => /token_windows|FROM signal_sources s JOIN/.test(text)).length

describe("a flood of unknown secrets", () => {
  let world: World
  beforeAll(async () => {
    world = await start(TestPostgres.layer, { TRUST_PROXY: "on" }, counting)
  })
  afterAll(() => world.close())

  const from = (address: string) => ({ "x-forwarded-for": address })

  /** Sends over many connections without waiting for answers; returns the statuses. */
  const flood = async (count: number, request: (index: number) => string) => {
    const all = Arrays.makeBy(count, (index) => `${request(index)}\r\n`)
    const answers = await Promise.all(
      Arrays.chunksOf(all, 25).map((some) =>
        raw(world.url, `${some.join("")}GET /healthz HTTP/1.1\r\nConnection: close\r\n\r\n`)
      )
    )
    return answers.flatMap((text) =>
      [...text.matchAll(/HTTP\/1\.1 (\d{3}) [A-Z]/g)].map(([, status]) => Number(status)).slice(0, -1)
    )
  }

  it("of tokens is refused without a lookup, and a token that was valid before the flood is served", async () => {
    const { slug } = await world.run(Seed.workspace)
    const [token, other] = [await world.run(Seed.token(slug)), await world.run(Seed.token(slug))]
    const get = (value: string, address: string) =>
      ask(world.url, "/v1/teams", { token: value, headers: from(address) })
    assert.strictEqual((await get(token.value, "203.0.113.7")).status, 200)
    const bearer = (index: number) => `Authorization: Bearer tk_${String(index).padStart(32, "x")}\r\n`
    /** Every second one without a token. */
    const random = (index: number) =>
      `GET /v1/teams HTTP/1.1\r\nX-Forwarded-For: 10.9.9.9, 203.0.113.7\r\n${index % 2 === 0 ? "" : bearer(index)}`
    const statuses = await flood(1250, random)
    assert.deepStrictEqual(
      [401, 429].map((status) => statuses.filter((one) => one === status).length),
      [1200, 50]
    )
    statements.length = 0
    const refused = await get(`tk_${"y".repeat(32)}`, "203.0.113.7")
    assert.deepStrictEqual([refused.status, refused.body.error.code], [429, "rate_limited"])
    assert.isAtLeast(Number(refused.headers["retry-after"]), 1)
    assert.isAtMost(Number(refused.headers["retry-after"]), 60)
    assert.strictEqual(refused.headers["x-ratelimit-remaining"], "120")
    assert.strictEqual((await get(other.value, "203.0.113.7")).status, 429)
    assert.strictEqual(lookups(), 0)
    assert.strictEqual((await get(token.value, "203.0.113.7")).status, 200)
    assert.strictEqual((await get(other.value, "203.0.113.8")).status, 200)
    assert.strictEqual((await ask(world.url, "/v1/teams", { headers: from("203.0.113.7") })).status, 429)
    assert.strictEqual((await ask(world.url, "/v1/teams", { headers: from("203.0.113.8") })).status, 401)
    await world.run(Tokens.revoke(bySystem, { workspace: slug, prefix: token.prefix }))
    assert.strictEqual((await get(token.value, "203.0.113.9")).status, 401)
  })

  long(() => {
    it("of source addresses is refused without a lookup, and a source that posted before the flood is heard", async () => {
      const { path, secret } = await world.run(source())
      const alert = '{"title":"Down"}'
      const post = (at: string, address: string) =>
        ask(world.url, at, { method: "POST", body: alert, headers: { ...signed(secret, alert), ...from(address) } })
      assert.strictEqual((await post(path, "203.0.113.17")).status, 202)
      const random = (index: number) =>
        `POST /signals/${String(index).padStart(32, "x")} HTTP/1.1\r\nX-Forwarded-For: 203.0.113.17\r\nContent-Length: 0\r\n`
      const statuses = await flood(1250, random)
      assert.deepStrictEqual(
        [404, 503].map((status) => statuses.filter((one) => one === status).length),
        [1200, 50]
      )
      statements.length = 0
      // Senders drop an alert that gets a 429.
      const refused = await post(`/signals/${"y".repeat(32)}`, "203.0.113.17")
      assert.deepStrictEqual([refused.status, refused.body.error.code], [503, "unavailable"])
      assert.strictEqual(refused.headers["retry-after"], "1")
      assert.strictEqual(lookups(), 0)
      assert.strictEqual((await post(path, "203.0.113.17")).status, 202)
      assert.strictEqual((await post(`/signals/${"y".repeat(32)}`, "203.0.113.18")).status, 404)
    })
  })
})
