import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as HttpApiClient from "@effect/platform/HttpApiClient"
import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import { DateTime, Effect, Layer } from "effect"
import { request } from "node:http"
import { afterAll, assert, beforeAll, describe, inject, it } from "vitest"
import { RunnerApi } from "../../../adapters/api/RunnerApi.ts"
import * as RunnerLimit from "../../../adapters/http/runner/RunnerLimit.ts"
import * as Memory from "../../../adapters/memory/Memory.ts"
import { Unavailable } from "../../../application/ports/Health.ts"
import { RunStore } from "../../../application/ports/RunStore.ts"
import { LeaseId, type RunnerId } from "../../../domain/work/Lease.ts"
import { isLong, long } from "../../support/Long.ts"
import * as TestPostgres from "../../support/TestPostgres.ts"
import { ask, start, type World } from "../../support/World.ts"
import { arrange, assertRefused, granted, introduction, nobody, type Place, type Wire, wire } from "./Wire.ts"
import { guardSuite } from "./guardSuite.ts"
import { wireSuite } from "./wireSuite.ts"

wireSuite("memory", () => start(Memory.layer))
if (inject("full")) wireSuite("postgres", () => start(TestPostgres.layer))
guardSuite("memory", () => start(Memory.layer))
long(() => guardSuite("postgres", () => start(TestPostgres.layer)))

it("a token has 600 requests in a minute, whatever else happens", () => {
  const count = RunnerLimit.make()
  const at = (seconds: number) => DateTime.unsafeMake(seconds * 1000)
  for (let n = 1; n <= 600; n++) assert.deepInclude(count("one", at(0)), { remaining: 600 - n, refusal: null })
  assert.deepInclude(count("one", at(10)).refusal, { limit: 600, retryAfterSeconds: 50 })
  assert.isNull(count("two", at(10)).refusal)
  assert.deepInclude(count("one", at(60)), { remaining: 599, refusal: null })
})

/** Memory whose store of runs answers as if the database were away, once it is cut. */
const breakable = () => {
  let isCut = false
  const away = Effect.suspend(() => (isCut ? Effect.die(new Unavailable()) : Effect.void))
  const cut = Layer.effect(
    RunStore,
    Effect.map(RunStore, (store) => ({
      ...store,
      ofLease: (...given: Parameters<typeof store.ofLease>) => Effect.zipRight(away, store.ofLease(...given)),
      renew: (...given: Parameters<typeof store.renew>) => Effect.zipRight(away, store.renew(...given)),
      next: (...given: Parameters<typeof store.next>) => Effect.zipRight(away, store.next(...given)),
      ofCredential: (hash: string) => Effect.zipRight(away, store.ofCredential(hash))
    }))
  )
  return { layer: Layer.provideMerge(cut, Memory.layer), cut: (away: boolean) => void (isCut = away) }
}

describe("the wire of runners in one process", () => {
  let world: World
  let at: Place
  let api: Wire
  const { cut, layer } = breakable()

  beforeAll(async () => {
    world = await start(layer)
    at = await arrange(world)
    api = wire(world.url)
  })
  afterAll(() => world?.close())

  it("counts the requests of a token apart from those to the API", async () => {
    const place = await arrange(world)
    const renew = () => api.post(`/leases/${nobody}/renew`, place.token, { fence: 1, lastInput: 0 })
    assert.strictEqual((await renew()).headers["x-ratelimit-remaining"], "599")
    if (isLong) {
      for (let round = 0; round < 12; round++) await Promise.all(Array.from({ length: 50 }, renew))
      const refused = await renew()
      assertRefused(refused, 429, "rate_limited")
      assert.isAtLeast(Number(refused.headers["retry-after"]), 1)
      assert.strictEqual(refused.headers["x-ratelimit-remaining"], "0")
    }
    assert.strictEqual(
      (await ask(world.url, "/v1/teams", { token: place.token })).headers["x-ratelimit-remaining"],
      "119"
    )
    assert.isString(await api.hello(at.token))
  })

  it("answers 503 while the database is away, and continues", async () => {
    const { credential, fence, path, runner } = await granted(api, at)
    cut(true)
    const answers = [
      await api.lease(at.token, runner),
      await api.post(`${path}/renew`, at.token, { fence, lastInput: 0 }),
      await api.post(`${path}/finish`, at.token, { fence, outcome: null }),
      await api.get("/run", credential)
    ]
    cut(false)
    for (const answer of answers) {
      assertRefused(answer, 503, "unavailable")
      assert.strictEqual(answer.headers["retry-after"], "1")
    }
    assert.strictEqual((await api.post(`${path}/renew`, at.token, { fence, lastInput: 0 })).status, 200)
  })

  it("holds a lease request until a run is queued", async () => {
    const runner = await api.hello(at.token)
    const waiting = api.lease(at.token, runner, 25)
    const [first, key] = await Promise.all([waiting, at.queue()])
    assert.deepStrictEqual([first.status, first.body.run.key], [200, key])
  })

  long(() => {
    it("answers that there is none when the time is over", async () => {
      const { status, text } = await api.lease(at.token, await api.hello(at.token), 1)
      assert.deepStrictEqual([status, text], [204, ""])
    })
  })

  it("gives no run to a client that has left", async () => {
    const runner = await api.hello(at.token)
    const sent = request(`${world.url}/runner/v1/lease`, {
      method: "POST",
      headers: { authorization: `Bearer ${at.token}`, "content-type": "application/json" }
    })
    sent.on("error", () => {})
    sent.end(JSON.stringify({ runner, executors: ["custom"], waitSeconds: 25 }))
    await new Promise((resolve) => sent.on("finish", resolve))
    await api.hello(at.token)
    const closed = new Promise((resolve) => sent.on("close", resolve))
    sent.destroy()
    await closed
    for (let turn = 0; turn < 5; turn++) await api.hello(at.token)
    const key = await at.queue()
    const { body } = await api.lease(at.token, runner, 25)
    assert.strictEqual(body?.run?.key, key)
  })

  it("decodes refusals with the typed client, each as its own error", async () => {
    const client = (token: string) =>
      HttpApiClient.make(RunnerApi, {
        baseUrl: world.url,
        transformClient: HttpClient.mapRequest(HttpClientRequest.bearerToken(token))
      })
    const tagOf = <A, E extends { readonly _tag: string }, R>(effect: Effect.Effect<A, E, R>) =>
      Effect.map(Effect.flip(effect), ({ _tag }) => _tag)
    const lease = LeaseId.make(nobody)
    const none = { runner: nobody as RunnerId, executors: [], waitSeconds: 0 }
    const program = Effect.gen(function* () {
      const [known, unknown] = [yield* client(at.token), yield* client(`tk_${"x".repeat(32)}`)]
      const { runner } = yield* known.runner.hello({ payload: { ...introduction, teams: [] } })
      assert.isUndefined(yield* known.runner.lease({ payload: { ...none, runner } }))
      assert.strictEqual(yield* tagOf(known.runner.lease({ payload: none })), "RunnerNotFound")
      const renew = known.runner.renew({ path: { lease }, payload: { fence: 1, lastInput: 0 } })
      assert.strictEqual(yield* tagOf(renew), "LeaseLost")
      assert.strictEqual(
        yield* tagOf(unknown.runner.hello({ payload: { ...introduction, teams: [] } })),
        "InvalidToken"
      )
      assert.strictEqual(yield* tagOf(known.run.ownRun({})), "InvalidToken")
      yield* known.runner.goodbye({ payload: { runner } })
    })
    await Effect.runPromise(program.pipe(Effect.provide(FetchHttpClient.layer)))
  })
})

long(() => {
  it("a service that stops ends the requests that wait for a run", async () => {
    const world = await start(Memory.layer)
    const at = await arrange(world)
    const api = wire(world.url)
    const runner = await api.hello(at.token)
    const waiting = api.lease(at.token, runner, 25).then(
      ({ status }) => status,
      () => "cut"
    )
    await api.hello(at.token)
    await world.close()
    assert.include(["cut", 204, 503], await waiting)
  })
})
