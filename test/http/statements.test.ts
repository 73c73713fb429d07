import { Statement } from "@effect/sql"
import { Effect, Option, Redacted } from "effect"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { AuthenticatedReads } from "../../application/ports/AuthenticatedReads.ts"
import { Notifiers } from "../../application/ports/Notifier.ts"
import * as Sessions from "../../application/workspace/Sessions.ts"
import * as SignIn from "../../application/workspace/SignIn.ts"
import { hashOf } from "../../domain/workspace/ApiToken.ts"
import { places } from "../support/Equipment.ts"
import * as Seed from "../support/Seed.ts"
import * as TestPostgres from "../support/TestPostgres.ts"
import { ask, start, type World } from "../support/World.ts"
import { document, reads } from "./routes.ts"

const statements: Array<string> = []

/** The last use of tokens is written every second, for no request. */
const counting = Statement.setTransformer((statement) => {
  const [text] = statement.compile()
  if (!text.includes("last_used_at =")) statements.push(text)
  return Effect.succeed(statement)
})

describe("statements per request", () => {
  let world: World
  let token: string
  beforeAll(async () => {
    world = await start(TestPostgres.layer, {}, counting)
    const { slug } = await world.run(Seed.workspace)
    const [pending] = document.decisions
    const decisions = [...document.decisions, { ...pending, key: "dec-cccc", team: "web", run: null }]
    await world.run(Seed.load(slug, { ...document, decisions }))
    token = (await world.run(Seed.token(slug, ["read", "write"]))).value
  })
  afterAll(() => world.close())

  const used = async (path: string, options = {}) => {
    statements.length = 0
    const { status } = await ask(world.url, path, options)
    return { status, statements: [...statements] }
  }

  it.each(
    reads.map(({ path, queries, statements = 2 }) => ({ path: `${path}?${queries.join("&")}`, most: statements }))
  )(
    "GET $path takes $most: the first authenticates, counts and, for routes that clients poll, reads",
    async ({ most, path }) => {
      const { statements, status } = await used(path, { token })
      assert.deepStrictEqual([status, statements.length], [200, most], statements.join("\n\n"))
      assert.include(statements[0], "token_windows")
    }
  )

  it("a session is found by one, with the workspaces it opens", async () => {
    const { slug } = await world.run(Seed.workspace)
    const { url } = await world.run(SignIn.makeLink({ workspace: slug, email: Seed.ownerEmail }))
    const link = Redacted.make(Redacted.value(url).split("/").at(-1) ?? "")
    const browser = { userAgent: null, address: "::1", requestId: null, session: Option.none() }
    const { token: session } = await world.run(SignIn.useLink(link, browser))
    statements.length = 0
    const { memberships } = await world.run(Sessions.find(Option.some(session)))
    assert.deepStrictEqual([memberships.length, statements.length], [1, 1])
  })

  it("a link is asked for with the same ones, whether the address is known or not", async () => {
    const mail = { send: () => Effect.void }
    const asked = async (email: string) => {
      statements.length = 0
      const request = SignIn.requestLink({ email, client: { address: "::1" } })
      await world.run(Effect.provideService(request, Notifiers, { mail, places: places(() => mail) }))
      return [...statements]
    }
    const known = await asked(Seed.ownerEmail)
    assert.deepStrictEqual([known.length, await asked("nobody@example.test")], [2, known])
  })

  it("what comes at once shares its statement, and each request has its own number", async () => {
    const hash = await world.run(hashOf(Redacted.make(token)))
    statements.length = 0
    const all = Effect.flatMap(AuthenticatedReads, (polling) =>
      Effect.forEach(Array.from({ length: 20 }), () => polling.teams(hash), { concurrency: "unbounded" })
    )
    const left = (await world.run(all)).map(({ bearer }) => bearer.window.remaining)
    assert.strictEqual(statements.length, 1)
    assert.deepStrictEqual(
      left,
      left.map((_, index) => (left[0] ?? 0) - index)
    )
  })

  /** Subject of each statement; BEGIN and COMMIT go to the connection itself and are not included. */
  const told = (statements: ReadonlyArray<string>) =>
    statements.map((statement) => {
      const written = [...statement.matchAll(/INSERT INTO (\w+)/g)].map(([, table]) => table)
      if (written.length > 0) return `write ${written.join(", ")}`
      if (statement.includes("FOR NO KEY UPDATE")) return "lock decisions, run and story"
      return statement.includes("pg_advisory") ? "wait" : "read"
    })

  const answer = async (decision: string, body: object, headers: Readonly<Record<string, string>> = {}) => {
    const path = `/v1/decisions/${decision}/resolve`
    const { statements, status } = await used(path, { method: "POST", token, headers, body: JSON.stringify(body) })
    return { status, statements: told(statements) }
  }

  it("an answer takes one each to lock, look and write, however much follows from it", async () => {
    const authenticated = "write token_windows"
    const looked = ["lock decisions, run and story", "read"]
    assert.deepStrictEqual(await answer("dec-aaaa", { optionId: "yes", note: "Go" }), {
      status: 200,
      statements: [authenticated, ...looked, "write stories, runs, attempts, decisions, audit_entries"]
    })
    assert.deepStrictEqual(await answer("dec-aaaa", { optionId: "yes" }), {
      status: 409,
      statements: [authenticated, ...looked]
    })
    assert.deepStrictEqual(await answer("dec-cccc", { optionId: "maybe" }), {
      status: 400,
      statements: [authenticated, ...looked]
    })
    const once = { "idempotency-key": "once" }
    assert.deepStrictEqual(await answer("dec-cccc", { optionId: "yes" }, once), {
      status: 200,
      statements: [authenticated, "wait", ...looked, "write decisions, kept_answers, audit_entries"]
    })
    assert.deepStrictEqual(await answer("dec-cccc", { optionId: "yes" }, once), {
      status: 200,
      statements: [authenticated, "wait", ...looked]
    })
    assert.deepStrictEqual(await answer("dec-cccc", {}), { status: 400, statements: [authenticated] })
    assert.deepStrictEqual(await answer("nonsense", { optionId: "yes" }), { status: 404, statements: [authenticated] })
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
