import { Effect } from "effect"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { bySystem } from "../../domain/workspace/Actor.ts"
import * as Tokens from "../../application/workspace/Tokens.ts"
import { isLong } from "../support/Long.ts"
import * as Seed from "../support/Seed.ts"
import * as TestPostgres from "../support/TestPostgres.ts"
import { ask, start, withinOneMinute, type World } from "../support/World.ts"

const many = isLong ? 1000 : 300

describe("two instances on one database", () => {
  let worlds: ReadonlyArray<World>
  beforeAll(async () => {
    const layers = await Effect.runPromise(TestPostgres.instances(2))
    worlds = await Promise.all(layers.map((layer) => start(layer)))
  })
  afterAll(() => Promise.all(worlds.map((world) => world.close())))

  const arrange = async () => {
    const [first, second] = worlds as [World, World]
    const { slug } = await first.run(Seed.workspace)
    const token = await first.run(Seed.token(slug))
    return { first, second, slug, token }
  }

  it("apply the migrations once although they start together", async () => {
    const { first, second } = await arrange()
    assert.strictEqual((await ask(first.url, "/readyz")).status, 200)
    assert.strictEqual((await ask(second.url, "/readyz")).status, 200)
  })

  it(`let exactly 120 of ${many} parallel requests of one token pass`, async () => {
    const answers = await withinOneMinute(async () => {
      const { first, second, token } = await arrange()
      const turns = Array.from({ length: many }, (_, turn) => (turn % 2 === 0 ? first.url : second.url))
      return Promise.all(turns.map((url) => ask(url, "/v1/teams", { token: token.value })))
    })
    assert.strictEqual(answers.filter((answer) => answer.status === 200).length, 120)
    assert.strictEqual(answers.filter((answer) => answer.status === 429).length, many - 120)
  })

  it("refuse a token from the next request on after the other revoked it", async () => {
    const { first, second, slug, token } = await arrange()
    for (let round = 0; round < 5; round++)
      assert.strictEqual((await ask(second.url, "/v1/teams", { token: token.value })).status, 200)
    await first.run(Tokens.revoke(bySystem, { workspace: slug, prefix: token.prefix }))
    const answer = await ask(second.url, "/v1/teams", { token: token.value })
    assert.deepStrictEqual([answer.status, answer.body.error.code], [401, "token_revoked"])
  })

  it("take each other's cursors", async () => {
    const { first, second, slug, token } = await arrange()
    await first.run(Seed.load(slug, Seed.small))
    const { body } = await ask(first.url, "/v1/runs?limit=1", { token: token.value })
    const next = await ask(second.url, `/v1/runs?limit=1&cursor=${body.nextCursor}`, { token: token.value })
    assert.deepStrictEqual([next.status, next.body.data[0].key, next.body.nextCursor], [200, "run-aaaa", null])
  })
})
