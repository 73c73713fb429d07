import { afterAll, assert, beforeAll, beforeEach, describe, it } from "vitest"
import { Effect, Layer } from "effect"
import { request } from "node:http"
import * as Memory from "../../../adapters/memory/Memory.ts"
import { DecisionStore } from "../../../application/ports/DecisionStore.ts"
import { TokenStore } from "../../../application/ports/TokenStore.ts"
import * as Members from "../../../application/workspace/Members.ts"
import * as Tokens from "../../../application/workspace/Tokens.ts"
import { bySystem } from "../../../domain/workspace/Actor.ts"
import * as People from "../../support/People.ts"
import { eventually } from "../../support/Process.ts"
import * as Seed from "../../support/Seed.ts"
import { start } from "../../support/World.ts"
import { call, type House, json, open, rpc } from "./House.ts"
import { type Listening, listen } from "./Listening.ts"
import { long } from "../../support/Long.ts"

describe("open streams and waits", () => {
  let house: House
  let url = ""
  beforeAll(async () => {
    house = await open()
    url = house.world.url
  })
  beforeEach(() => house.restore())
  afterAll(() => house?.world.close())

  it("an open stream names a change of the role, and ends with its token", async () => {
    const { admin } = house.place.bearers
    const stream = await listen(url, admin)
    assert.strictEqual(stream.status, 200, stream.first)
    assert.include(stream.first, "acknowledged")
    const { people, slug } = house.place
    await house.world.run(
      Members.set(people.owner, { workspace: slug, email: People.emailOf("admin"), role: "member" })
    )
    assert.include(await stream.next, "notifications/tools/list_changed")
    assert.lengthOf((await rpc(url, admin, "tools/list")).message.result.tools, 22)
    assert.isFalse((await call(url, admin, "revoke_token", { prefix: admin.slice(0, 11) })).isError)
    await stream.ended
  })

  it("the 101st stream of a token is refused until another one is closed", async () => {
    const { admin, owner } = house.place.bearers
    const streams = await Promise.all(Array.from({ length: 100 }, () => listen(url, admin)))
    assert.deepStrictEqual(
      streams.filter(({ status }) => status !== 200).map(({ first }) => first),
      []
    )
    const { first, headers, status } = await listen(url, admin)
    assert.deepStrictEqual([status, headers["retry-after"]], [429, "60"])
    const { error } = JSON.parse(first) as { readonly error: { readonly code: string; readonly message: string } }
    assert.strictEqual(error.code, "rate_limited")
    assert.strictEqual(
      error.message,
      "This token has 100 open streams, which is the limit for each token. Close one, or use another token."
    )
    const another = await listen(url, owner)
    assert.strictEqual(another.status, 200)
    streams[0]?.leave()
    const patiently = async (): Promise<Listening> => {
      const stream = await listen(url, admin)
      return stream.status === 200 ? stream : patiently()
    }
    const room = await patiently()
    for (const { leave } of [...streams, another, room]) leave()
  })

  it("a call that waits ends with its token", async () => {
    const { admin, owner } = house.place.bearers
    const given = { name: "get_decision", arguments: { decision: "dec-aaaa", waitSeconds: 45 } }
    const waiting = rpc(url, admin, "tools/call", given)
    for (let turn = 0; turn < 3; turn++) await call(url, owner, "list_teams", {})
    await call(url, admin, "revoke_token", { prefix: admin.slice(0, 11) })
    // Before the wait or during it: the request ends long before its time is over.
    assert.include((await waiting).text, "token_revoked")
    assert.strictEqual((await call(url, owner, "get_decision", { decision: "dec-aaaa" })).value.status, "pending")
  })
})

long(() => {
  it("a wait ends when its client leaves", async () => {
    let reads = 0
    const counted = Layer.effect(
      DecisionStore,
      Effect.map(DecisionStore, (store) =>
        DecisionStore.of({
          ...store,
          get: (workspace, key) => Effect.suspend(() => (reads++, store.get(workspace, key)))
        })
      )
    )
    const world = await start(Layer.merge(Memory.layer, counted.pipe(Layer.provide(Memory.layer))))
    const { slug } = await world.run(Seed.workspace)
    await world.run(Seed.load(slug, Seed.small))
    const { value: token } = await world.run(Seed.token(slug))
    const given = (waitSeconds: number) => ({ decision: "dec-aaaa", waitSeconds })
    const leaving = request(`${world.url}/mcp`, {
      method: "POST",
      headers: { ...json, authorization: `Bearer ${token}` }
    })
    const left = new Promise<void>((done) => leaving.on("close", () => done()).on("error", () => {}))
    const params = { name: "get_decision", arguments: given(5) }
    leaving.end(JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params }))
    await eventually(
      () => "the first read",
      () => reads || undefined
    )
    leaving.destroy()
    await left
    assert.strictEqual((await call(world.url, token, "get_decision", given(6))).value.status, "pending")
    // A wait reads the decision at its beginning and at its end; the first one had none.
    assert.strictEqual(reads, 3)
    await world.close()
  })
})

it("a stream outlasts a moment without its database", async () => {
  let looks = 0
  const broken = Layer.effect(
    TokenStore,
    Effect.map(TokenStore, (store) =>
      TokenStore.of({
        ...store,
        // The first look lets the request in, the second is the check of its stream.
        identify: (hash) => (++looks === 2 ? Effect.dieMessage("the database is away") : store.identify(hash))
      })
    )
  )
  const world = await start(Layer.merge(Memory.layer, broken.pipe(Layer.provide(Memory.layer))))
  const { slug } = await world.run(Seed.workspace)
  await world.run(Seed.load(slug, Seed.small))
  const { prefix, value: token } = await world.run(Seed.token(slug))
  const stream = await listen(world.url, token)
  const ended = stream.ended.then(() => "ended" as const)
  const checked = eventually(
    () => "the next check",
    () => (looks > 2 ? ("checked" as const) : undefined)
  )
  assert.strictEqual(await Promise.race([ended, checked]), "checked")
  await world.run(Tokens.revoke(bySystem, { workspace: slug, prefix }))
  await ended
  await world.close()
})
