import { HttpApiBuilder } from "@effect/platform"
import { Effect, Layer } from "effect"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import * as Memory from "../../adapters/memory/Memory.ts"
import { Health, Unavailable } from "../../application/ports/Health.ts"
import type { WorkspaceSlug } from "../../domain/workspace/Workspace.ts"
import demo from "../../adapters/cli/demo.json" with { type: "json" }
import * as Broken from "../support/Broken.ts"
import { isLong } from "../support/Long.ts"
import * as Seed from "../support/Seed.ts"
import { turns } from "../support/Share.ts"
import { signed, source } from "../support/Source.ts"
import * as TestPostgres from "../support/TestPostgres.ts"
import { visit } from "../http/asked.ts"
import { routes } from "../http/routes.ts"
import { type Answer, ask, start, withinOneMinute, type World } from "../support/World.ts"
import { document, type Operation, operations, responsesOf, violations } from "./Published.ts"

/** A page for people. */
const leftOut = ["GET /docs"]

const reads = [...operations].filter(([route]) => route.startsWith("GET "))
const pathOf = (route: string) => route.slice(route.indexOf(" ") + 1)
const rows = new Map(routes.map((route) => [route.name, route]))

const operationOf = (route: string) => {
  const operation = operations.get(route)
  if (operation === undefined) throw new TypeError(`the document has no ${route}`)
  return operation
}

/** Asserts that the response has a documented status, its schema and its headers. */
const assertDocumented = (operation: Operation, status: number, answer: Answer) => {
  assert.strictEqual(answer.status, status, answer.text)
  const documented = responsesOf(operation).get(String(status))
  assert.isDefined(documented, `${operation.operationId} does not document ${status}`)
  const onlyWhenTrue = new Set(["X-Service-Export-Truncated", "Idempotent-Replayed"])
  for (const header of Object.keys(documented?.headers ?? {}).filter((name) => !onlyWhenTrue.has(name)))
    assert.isDefined(answer.headers[header.toLowerCase()], `${header} is missing`)
  const schema = documented?.content?.["application/json"]?.schema
  if (schema === undefined) assert.strictEqual(answer.text, "")
  else assert.deepStrictEqual(violations(schema, answer.body), [])
}

const adapters = { memory: Memory.layer, postgres: TestPostgres.layer }

describe.each(isLong ? Object.entries(adapters) : [["postgres", adapters.postgres] as const])(
  "the service on %s does what its document says",
  (_, stores) => {
    let world: World
    let slug: WorkspaceSlug
    let keys: Record<string, ReadonlyArray<string>>
    const router: { routes: () => Promise<ReadonlyArray<string>> } = { routes: () => Promise.resolve([]) }

    const spy = HttpApiBuilder.Router.use((service) =>
      Effect.sync(() => {
        router.routes = () =>
          Effect.runPromise(
            Effect.map(service.router, ({ routes }) =>
              [...routes].map(({ method, path }) => `${method} ${path.replace(/:(\w+)/g, "{$1}")}`)
            )
          )
      })
    )

    const token = async (...permissions: Parameters<typeof Seed.token>[1] & Array<unknown>) =>
      (await world.run(Seed.token(slug, permissions))).value

    /** Every address of a route: one per object for single resources. */
    const addressesOf = (route: string) => {
      const path = pathOf(route)
      const name = /\{(\w+)\}/.exec(path)?.[1]
      return name === undefined ? [path] : (keys[name] ?? []).map((key) => path.replace(`{${name}}`, key))
    }

    beforeAll(async () => {
      world = await start<unknown>(stores, {}, spy)
      slug = (await world.run(Seed.workspace)).slug
      await world.run(Seed.load(slug, demo))
      const read = await token("read")
      const keysIn = async (path: string): Promise<ReadonlyArray<string>> => {
        const { body } = await ask(world.url, path, { token: read })
        const [items] = Object.values<ReadonlyArray<Readonly<Record<string, string>>>>(body)
        return (items ?? []).map(({ id = "", key, slug }) => key ?? slug ?? id)
      }
      keys = { source: ["x".repeat(32)] }
      for (const route of operations.keys()) {
        const [, list, name] = /^GET (.+)\/\{(\w+)\}$/.exec(route) ?? []
        if (list !== undefined && name !== undefined && operations.has(`GET ${list}`))
          keys[name] = await keysIn(`${list}?limit=100`)
      }
      const ofTeams = (keys["team"] ?? []).map((team) => keysIn(`/v1/teams/${team}/stories?limit=100&drafts=true`))
      keys["story"] = (await Promise.all(ofTeams)).flat()
    })
    afterAll(() => world.close())

    it("has a route for every operation, and an operation for every route but the pages", async () => {
      const routes = await router.routes()
      assert.sameMembers([...routes], [...operations.keys(), ...leftOut])
    })

    it("serves the document it is tested by", async () => {
      assert.deepStrictEqual((await ask(world.url, "/v1/openapi.json")).body, document)
    })

    it.each([...operations.keys()])("takes %s", async (route) => {
      const [method = ""] = route.split(" ")
      const [address = ""] = addressesOf(route)
      const { body } = await ask(world.url, address, { method })
      assert.notInclude(["route_not_found", "method_not_allowed", "endpoint_gone"], body?.error?.code)
    })

    it.each(reads)("%s answers with documented bodies and headers", async (route, operation) => {
      const read = await token("read")
      const addresses = addressesOf(route)
      assert.isNotEmpty(addresses)
      for (const address of new Set([...addresses.slice(0, 1), ...turns(addresses)]))
        assertDocumented(operation, 200, await ask(world.url, address, { token: read }))
    })

    it.each(reads.filter(([, operation]) => "304" in operation.responses))(
      "%s answers 304 to the ETag it gave",
      async (route, operation) => {
        const read = await token("read")
        const [address = ""] = addressesOf(route)
        const { headers } = await ask(world.url, address, { token: read })
        const again = await ask(world.url, address, {
          token: read,
          headers: { "if-none-match": headers["etag"] ?? "" }
        })
        assertDocumented(operation, 304, again)
      }
    )

    it.each(reads.filter(([, operation]) => operation.security.length > 0))(
      "%s refuses in documented ways",
      async (route, operation) => {
        const [read, write] = [await token("read"), await token("write")]
        const [address = ""] = addressesOf(route)
        assertDocumented(operation, 401, await ask(world.url, address))
        assertDocumented(operation, 401, await ask(world.url, address, { token: `tk_${"x".repeat(32)}` }))
        assertDocumented(operation, 403, await ask(world.url, address, { token: write }))
        const body = "x".repeat(65_537)
        const large = { token: read, body, headers: { "content-length": String(body.length) } }
        assertDocumented(operation, 413, await ask(world.url, address, large))
        const { badQueries = {}, missing = null } = rows.get(route) ?? {}
        if ("404" in operation.responses) {
          const unknown = missing?.unknown ?? `${address}?team=nobody`
          assertDocumented(operation, 404, await ask(world.url, unknown, { token: read }))
        }
        for (const { query } of Object.values(badQueries).flat())
          assertDocumented(operation, 400, await ask(world.url, `${address}?${query}`, { token: read }))
      }
    )

    it("decisions are answered and answers refused in documented ways", async () => {
      const operation = operationOf("POST /v1/decisions/{decision}/resolve")
      const body = operation.requestBody?.content["application/json"]?.schema ?? {}
      const { resolve, tokenOf, workspace } = visit(() => world)
      const asked = await workspace()
      const [member, reader] = [await tokenOf(asked), await tokenOf(asked, "member", ["read"])]
      const yes = { optionId: "yes", note: "Go" }
      const once = { token: member, headers: { "idempotency-key": "once" } }
      for (const answer of [yes, { optionId: "yes" }, { optionId: "no", note: null, more: 1 }])
        assert.deepStrictEqual(violations(body, answer), [])
      const answers: ReadonlyArray<
        readonly [status: number, key: string, answer: unknown, sent: typeof once | object]
      > = [
        [200, "dec-aaaa", yes, once],
        [200, "dec-aaaa", yes, once],
        [200, "dec-fre1", { optionId: "no", note: null, more: 1 }, { token: member }],
        [400, "dec-fre2", "{", { token: member }],
        [400, "dec-fre2", {}, { token: member }],
        [400, "dec-fre2", { ...yes, note: "n".repeat(4001) }, { token: member }],
        [400, "dec-fre2", { optionId: "maybe" }, { token: member }],
        [400, "dec-fre2", yes, { token: member, headers: { "idempotency-key": " " } }],
        [401, "dec-fre2", yes, {}],
        [403, "dec-fre2", yes, { token: reader }],
        [403, "dec-wner", yes, { token: member }],
        [404, "dec-0000", yes, { token: member }],
        [409, "dec-aaaa", yes, { token: member }],
        [409, "dec-0ver", yes, { token: member }],
        [409, "dec-cncd", yes, { token: member }],
        [409, "dec-sprs", yes, { token: member }],
        [409, "dec-fre2", yes, once],
        [413, "dec-fre2", "x".repeat(65_537), { token: member }],
        [415, "dec-fre2", yes, { token: member, headers: { "content-type": "text/plain" } }]
      ]
      for (const [status, key, answer, sent] of answers)
        assertDocumented(operation, status, await resolve(key, answer, sent))
    })

    it.each(["POST", "PUT"])("%s takes and refuses alerts in documented ways", async (method) => {
      const operation = operationOf(`${method} /signals/{source}`)
      const { path, secret } = await world.run(source())
      const schema = operation.requestBody?.content["application/json"]?.schema ?? {}
      const alert = JSON.stringify({ title: "Down", labels: { a: "b" } })
      assert.deepStrictEqual(violations(schema, JSON.parse(alert)), [])
      const send = (body: string, headers: Record<string, string>) => ask(world.url, path, { method, body, headers })
      assertDocumented(operation, 202, await send(alert, signed(secret, alert)))
      assertDocumented(operation, 400, await send("{}", signed(secret, "{}")))
      assertDocumented(operation, 401, await send(alert, {}))
      assertDocumented(operation, 401, await send(alert, signed(secret, alert, 1)))
      assertDocumented(operation, 404, await ask(world.url, `/signals/${"x".repeat(32)}`, { method, body: alert }))
      assertDocumented(operation, 413, await send("m".repeat(524_289), {}))
    })

    it("limits in a documented way", async () => {
      const answers = await withinOneMinute(async () => {
        const spent = await token("read")
        return Promise.all(Array.from({ length: 121 }, () => ask(world.url, "/v1/teams", { token: spent })))
      })
      const limited = answers.filter((answer) => answer.status === 429)
      assert.strictEqual(limited.length, 1)
      for (const answer of limited) assertDocumented(operationOf("GET /v1/teams"), 429, answer)
    })
  }
)

it("a broken service answers what its document says", async () => {
  const broken = Layer.mergeAll(
    Memory.layer,
    Broken.teamStore("broken", new Unavailable()),
    Broken.polling("broken"),
    Broken.decisionStore(new Unavailable()),
    Layer.succeed(Health, { ready: new Unavailable() })
  )
  const other = await start(broken)
  const { value } = await other.run(
    Effect.flatMap(Seed.workspace, (workspace) => Seed.token(workspace.slug, ["read", "write"]))
  )
  assertDocumented(operationOf("GET /v1/teams"), 500, await ask(other.url, "/v1/teams", { token: value }))
  assertDocumented(operationOf("GET /v1/teams/{team}"), 503, await ask(other.url, "/v1/teams/x", { token: value }))
  const answer = { method: "POST", token: value, body: '{"optionId":"yes"}' }
  const resolve = operationOf("POST /v1/decisions/{decision}/resolve")
  assertDocumented(resolve, 503, await ask(other.url, "/v1/decisions/dec-aaaa/resolve", answer))
  assertDocumented(operationOf("GET /readyz"), 503, await ask(other.url, "/readyz"))
  await other.close()
})
