import { Effect } from "effect"
import createClient from "openapi-fetch"
import { afterAll, assert, beforeAll, describe, expectTypeOf, it } from "vitest"
import * as Memory from "../../adapters/memory/Memory.ts"
import demo from "../../adapters/cli/demo.json" with { type: "json" }
import * as Seed from "../support/Seed.ts"
import { start, type World } from "../support/World.ts"
import type { paths } from "./schema.d.ts"

describe("a client generated from the document", () => {
  let world: World
  let client: ReturnType<typeof createClient<paths>>

  beforeAll(async () => {
    world = await start(Memory.layer)
    const { value } = await world.run(
      Effect.gen(function* () {
        const { slug } = yield* Seed.workspace
        yield* Seed.load(slug, demo)
        return yield* Seed.token(slug, ["read", "write"])
      })
    )
    client = createClient<paths>({ baseUrl: world.url, headers: { authorization: `Bearer ${value}` } })
  })
  afterAll(() => world.close())

  it("reads teams and their stories", async () => {
    const teams = await client.GET("/v1/teams")
    assert.deepStrictEqual(
      teams.data?.data.map((team) => team.name),
      ["Payments", "Platform", "Storefront"]
    )
    assert.isNull(teams.data?.nextCursor)

    const team = await client.GET("/v1/teams/{team}", { params: { path: { team: "payments" } } })
    assert.strictEqual(team.data?.policy?.budgets.runCents, 500)

    const path = { team: "payments" }
    const stories = await client.GET("/v1/teams/{team}/stories", {
      params: { path, query: { drafts: true, limit: 3 } }
    })
    assert.strictEqual(stories.data?.data.length, 3)

    const story = await client.GET("/v1/stories/{story}", { params: { path: { story: "PAY-1" } } })
    assert.strictEqual(story.data?.acceptanceCriteria[0]?.status, "passed")
  })

  it("reads runs and decisions", async () => {
    const runs = await client.GET("/v1/runs", { params: { query: { team: "payments", story: "PAY-1" } } })
    const [run] = runs.data?.data ?? []
    assert.strictEqual(run?.story.key, "PAY-1")

    const one = await client.GET("/v1/runs/{run}", { params: { path: { run: run?.key ?? "" } } })
    assert.strictEqual(one.data?.attemptList.length, run?.attempts)
    assert.strictEqual(one.data?.evidence?.gates[0]?.status, "passed")

    const decisions = await client.GET("/v1/decisions", { params: { query: { status: "pending" } } })
    const [decision] = decisions.data?.data ?? []
    assert.strictEqual(decision?.status, "pending")

    const path = { decision: decision?.key ?? "" }
    const asked = await client.GET("/v1/decisions/{decision}", { params: { path } })
    assert.deepStrictEqual(asked.data, decision)
  })

  it("answers a decision, and gets the same answer when it asks again", async () => {
    const path = { decision: "dec-b8d6" }
    const { data: asked } = await client.GET("/v1/decisions/{decision}", { params: { path } })
    const body = { optionId: asked?.recommendation ?? "", note: "Go" }
    const header = { "Idempotency-Key": "client-1" }
    const first = await client.POST("/v1/decisions/{decision}/resolve", { params: { path, header }, body })
    assert.deepStrictEqual([first.data?.status, first.data?.resolution], ["resolved", body])
    const effects = first.data?.effects.map(({ status, type }) => `${type} ${status}`)
    assert.deepStrictEqual(effects, ["plan_approved done", "implementation_started done"])
    const run = await client.GET("/v1/runs/{run}", { params: { path: { run: asked?.runKey ?? "" } } })
    assert.strictEqual(run.data?.status, "running")

    const again = await client.POST("/v1/decisions/{decision}/resolve", { params: { path, header }, body })
    assert.deepStrictEqual(again.data, first.data)
    assert.strictEqual(again.response.headers.get("idempotent-replayed"), "true")

    const late = await client.POST("/v1/decisions/{decision}/resolve", { params: { path }, body })
    assert.strictEqual(late.response.status, 409)
    const code = late.error?.error.code
    assert.strictEqual(code, "decision_already_resolved")
    expectTypeOf<
      "decision_expired" | "idempotency_key_reused" | "unknown_option" | "insufficient_authority"
    >().toExtend<typeof code>()
  })

  it("reads the legacy boards, health and the document", async () => {
    const { data } = await client.GET("/boards")
    const board = data?.boards[0]?.id ?? ""
    assert.deepStrictEqual((await client.GET("/v1/boards")).data, data)
    const legacy = await client.GET("/boards/{board}", { params: { path: { board } } })
    assert.strictEqual(legacy.data?.board.layout_preference, "kanban")
    const versioned = await client.GET("/v1/boards/{board}", { params: { path: { board } } })
    assert.deepStrictEqual(versioned.data, legacy.data)
    assert.strictEqual((await client.GET("/healthz")).data?.status, "ok")
    assert.strictEqual((await client.GET("/readyz")).data?.status, "ok")
    assert.strictEqual((await client.GET("/v1/openapi.json")).data?.["openapi"], "3.1.0")
  })

  it("pages through a list until the cursor is null, and meets everything once", async () => {
    const after = (cursor: string | null) =>
      client.GET("/v1/runs", { params: { query: cursor === null ? { limit: 7 } : { limit: 7, cursor } } })
    const paged: Array<string> = []
    let { data } = await after(null)
    while (data !== undefined) {
      paged.push(...data.data.map((run) => run.key))
      data = data.nextCursor === null ? undefined : (await after(data.nextCursor)).data
    }

    const whole = await client.GET("/v1/runs", { params: { query: { limit: 100 } } })
    assert.isAbove(paged.length, 14)
    assert.deepStrictEqual(
      paged,
      whole.data?.data.map((run) => run.key)
    )
  })

  it("gets errors with their codes as types", async () => {
    const { data, error, response } = await client.GET("/v1/stories/{story}", {
      params: { path: { story: "PAY-999" } }
    })
    expectTypeOf(error?.error.code).toEqualTypeOf<
      | "story_not_found"
      | "missing_token"
      | "invalid_token"
      | "token_expired"
      | "token_revoked"
      | "insufficient_permission"
      | "payload_too_large"
      | "rate_limited"
      | "internal_error"
      | "unavailable"
      | undefined
    >()
    assert.isUndefined(data)
    assert.strictEqual(response.status, 404)
    assert.strictEqual(error?.error.code, "story_not_found")
    assert.include(error?.error.message, "PAY-999")

    const bad = await client.GET("/v1/runs", { params: { query: { cursor: "x" } } })
    assert.strictEqual(bad.error?.error.code, "invalid_cursor")

    const stranger = createClient<paths>({ baseUrl: world.url })
    assert.strictEqual((await stranger.GET("/v1/teams")).error?.error.code, "missing_token")
  })

  it("gets 304 for what it has already", async () => {
    const path = { team: "payments" }
    const first = await client.GET("/v1/teams/{team}", { params: { path } })
    const header = { "If-None-Match": first.response.headers.get("etag") ?? "" }
    const second = await client.GET("/v1/teams/{team}", { params: { path, header } })
    assert.strictEqual(second.response.status, 304)
  })

  it("does not compile when it is used wrongly", () => {
    const path = { decision: "dec-4m2q" }
    const wrong = () => [
      // @ts-expect-error there is no such path
      client.GET("/v1/projects"),
      // @ts-expect-error nothing is posted to a list
      client.POST("/v1/teams"),
      // @ts-expect-error the path needs its key
      client.GET("/v1/runs/{run}"),
      // @ts-expect-error no decision is ever open
      client.GET("/v1/decisions", { params: { query: { status: "open" } } }),
      // @ts-expect-error an answer names its option
      client.POST("/v1/decisions/{decision}/resolve", { params: { path }, body: { note: "" } })
    ]
    assert.isFunction(wrong)
  })
})
