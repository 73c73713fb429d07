import { FetchHttpClient, HttpApi, HttpApiClient, HttpClient, HttpClientResponse } from "@effect/platform"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Either } from "effect"
import { Api } from "../../adapters/api/Api.ts"
import { RunnerApi } from "../../adapters/api/RunnerApi.ts"
import { all } from "../../adapters/api/OperationErrors.ts"
import * as Memory from "../../adapters/memory/Memory.ts"
import { sampleKeys } from "../http/routes.ts"
import * as Seed from "../support/Seed.ts"
import { turns } from "../support/Share.ts"
import { start } from "../support/World.ts"

type Call = (request: object) => Effect.Effect<unknown, { readonly _tag: string; readonly message?: string }>

/** Each endpoint with each error that its definition declares. */
const declared: Array<readonly [group: string, endpoint: string, status: number, tag: string]> = []
const declare: Parameters<typeof HttpApi.reflect>[1] = {
  onGroup: () => {},
  onEndpoint: ({ endpoint, errors, group }) => {
    for (const [status, { ast }] of errors)
      for (const [tag, refusal] of all) {
        const text = ast._tag === "Some" ? JSON.stringify(ast.value) : ""
        if (refusal.status === status && text.includes(`"${refusal.code}"`))
          declared.push([group.identifier, endpoint.name, status, tag])
      }
  }
}
HttpApi.reflect(Api, declare)
HttpApi.reflect(RunnerApi, declare)

const id = "00000000-0000-4000-8000-000000000000"

/** Bodies of the wire of runners; any other takes the one below. */
const bodies: Readonly<Record<string, object>> = {
  hello: { protocol: 1, name: "r", version: "1", os: "linux", arch: "x64", slots: 1, executors: [], teams: [] },
  lease: { runner: id, executors: [], waitSeconds: 0 },
  renew: { fence: 1, lastInput: 0 },
  report: { fence: 1, seq: 1, facts: [], log: "", session: null },
  finish: { fence: 1, outcome: null },
  goodbye: { runner: id },
  ask: { question: "Which?" },
  progress: { text: "half done" }
}

/** Values for every path and query that an endpoint may ask for. */
const requestOf = (endpoint: string) => ({
  path: { ...sampleKeys, lease: id },
  urlParams: {},
  headers: {},
  payload: bodies[endpoint] ?? { optionId: "merge", title: "Down" }
})

/** The next response of the service; making a client for each would take longer than all tests. */
let next: () => Response = Response.error
const options = {
  baseUrl: "http://localhost",
  httpClient: HttpClient.make((sent) => Effect.sync(() => HttpClientResponse.fromWeb(sent, next())))
}
const groups = {
  ...Effect.runSync(HttpApiClient.makeWith(Api, options)),
  ...Effect.runSync(HttpApiClient.makeWith(RunnerApi, options))
} as unknown as Readonly<Record<string, Readonly<Record<string, Call>>>>

describe("a client made of the definitions", () => {
  it.effect.each([...turns(declared)])("gets the error of %s.%s: %d %s", ([group, endpoint, status, tag]) =>
    Effect.gen(function* () {
      next = () => Response.json({ error: { code: all.get(tag)?.code, message: "Because." } }, { status })
      const error = yield* Effect.flip(
        groups[group]?.[endpoint]?.(requestOf(endpoint)) ?? Effect.die("no such endpoint")
      )
      assert.deepStrictEqual({ ...error }, { _tag: tag, message: "Because." })
    })
  )

  it("covers every error a route can answer", () => {
    const unrouted = new Set(["RouteNotFound", "MethodNotAllowed", "EndpointGone"])
    assert.sameMembers(
      [...new Set(declared.map(([, , , tag]) => tag))],
      [...all.keys()].filter((tag) => !unrouted.has(tag))
    )
  })

  it("reads a running service, and catches its errors by their tags", async () => {
    const world = await start(Memory.layer)
    try {
      const { slug } = await world.run(Seed.workspace)
      await world.run(Seed.load(slug, Seed.small))
      const { value } = await world.run(Seed.token(slug))
      const client = (token: string) =>
        HttpApiClient.make(Api, {
          baseUrl: world.url,
          transformClient: HttpClient.mapRequest((sent) => ({
            ...sent,
            headers: { ...sent.headers, authorization: `Bearer ${token}` }
          }))
        })
      const program = Effect.gen(function* () {
        const [known, unknown] = [yield* client(value), yield* client(`tk_${"x".repeat(32)}`)]
        const team = yield* known.teams.getTeam({ path: { team: "payments" } })
        assert.strictEqual(team.slug, "payments")
        const missing = yield* Effect.either(known.teams.getTeam({ path: { team: "nobody" } }))
        assert.strictEqual(Either.isLeft(missing) && missing.left._tag, "TeamNotFound")
        const refused = yield* Effect.either(unknown.decisions.listDecisions({ urlParams: {} }))
        assert.strictEqual(Either.isLeft(refused) && refused.left._tag, "InvalidToken")
      })
      await Effect.runPromise(program.pipe(Effect.provide(FetchHttpClient.layer)))
    } finally {
      await world.close()
    }
  })
})
