import { Statement } from "@effect/sql"
import { Effect } from "effect"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import * as Seed from "../support/Seed.ts"
import * as TestPostgres from "../support/TestPostgres.ts"
import { ask, start, type World } from "../support/World.ts"

const statements: Array<string> = []

const counting = Statement.setTransformer((statement) => {
  statements.push(statement.compile()[0])
  return Effect.succeed(statement)
})

describe("statements per request", () => {
  let world: World
  let token: string
  beforeAll(async () => {
    world = await start(TestPostgres.layer, {}, counting)
    const { slug } = await world.run(Seed.workspace)
    await world.run(Seed.load(slug, Seed.small))
    token = (await world.run(Seed.token(slug))).value
  })
  afterAll(() => world.close())

  const used = async (path: string, options = {}) => {
    statements.length = 0
    const { status } = await ask(world.url, path, options)
    return { status, statements: [...statements] }
  }

  it.each([
    "/v1/teams",
    "/v1/teams/payments",
    "/v1/teams/payments/stories?drafts=true&limit=1",
    "/v1/stories/PAY-1",
    "/v1/runs?team=payments&story=PAY-1",
    "/v1/runs/run-aaaa",
    "/v1/decisions?team=payments&status=pending&run=run-aaaa",
    "/v1/decisions/dec-aaaa",
    "/v1/audit?team=payments&event=story_moved&from=2026-01-01",
    "/boards"
  ])("GET %s takes two: authenticate and count, read", async (path) => {
    const { statements, status } = await used(path, { token })
    assert.strictEqual(status, 200)
    assert.strictEqual(statements.length, 2, statements.join("\n\n"))
    assert.include(statements[0], "token_windows")
  })

  it("a request that is refused early takes fewer", async () => {
    assert.deepStrictEqual(await used("/v1/teams"), { status: 401, statements: [] })
    assert.deepStrictEqual(await used("/v1/teams", { token: "garbage" }), { status: 401, statements: [] })
    assert.deepStrictEqual(await used("/nowhere", { token }), { status: 404, statements: [] })
    assert.deepStrictEqual(await used("/healthz"), { status: 200, statements: [] })
    assert.strictEqual((await used("/v1/runs?limit=0", { token })).statements.length, 1)
    assert.strictEqual((await used("/v1/runs/nonsense", { token })).statements.length, 1)
  })
})
