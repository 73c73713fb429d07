import { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import * as Seed from "../support/Seed.ts"
import * as TestPostgres from "../support/TestPostgres.ts"
import { ask, start, type World } from "../support/World.ts"

/** Around the leap day of a century year, in a time without other entries. */
const moments = [
  "2400-02-28T23:59:59.999Z",
  "2400-02-29T00:00:00.000Z",
  "2400-02-29T12:00:00.000Z",
  "2400-02-29T23:59:59.999Z",
  "2400-03-01T00:00:00.000Z"
]

describe("bounds of time in the audit log", () => {
  let world: World
  let token: string
  beforeAll(async () => {
    const { layer } = await Effect.runPromise(TestPostgres.addressed)
    world = await start(layer)
    const { id, slug } = await world.run(Seed.workspace)
    token = (await world.run(Seed.token(slug))).value
    await Effect.runPromise(
      Effect.flatMap(
        SqlClient.SqlClient,
        (sql) => sql`
          INSERT INTO audit_entries (workspace_id, seq, id, "timestamp", actor_type, actor_name, event, result,
            entity_type, entity_id, entity_name, details, hash)
          SELECT ${id}, 1000 + n, gen_random_uuid(), at::timestamptz, 'system', 'system', 'run_state_changed', 'success',
            'run', 'run', 'run', '{}', repeat('0', 64)
          FROM unnest(${moments}::text[]) WITH ORDINALITY AS t(at, n)`
      ).pipe(Effect.provide(layer))
    )
  })
  afterAll(() => world.close())

  it.each([
    ["from=2400-02-29&to=2400-02-29", [1, 2, 3]],
    ["from=2400-02-28&to=2400-02-28", [0]],
    ["from=2400-02-29", [1, 2, 3, 4]],
    ["from=2400-03-01", [4]],
    ["to=2400-02-28", [0]],
    ["to=2400-02-29", [0, 1, 2, 3]],
    ["from=2400-02-29T00:00:00.000Z&to=2400-02-29T00:00:00.000Z", [1]],
    ["from=2400-02-29T00:00:00.001Z&to=2400-02-29T23:59:59.998Z", [2]],
    ["from=2400-02-29T12:00:00Z&to=2400-02-29", [2, 3]],
    ["to=2400-02-29T00:00", [0, 1]],
    ["to=2400-02-29T24:00:00Z", [0, 1, 2, 3, 4]],
    ["from=2400-02-29T01:00:00%2B01:00&to=2400-02-29T01:00:00%2B01:00", [1]],
    ["to=2400-02-28T19:00:00-05:00", [0, 1]],
    ["from=2400-03-01T14:00:00%2B14:00", [4]],
    ["from=2400-02-29T11:59:59.999-12:00", [3, 4]]
  ])("%s finds entries %j, and so does an export", async (query, expected) => {
    const times = (entries: ReadonlyArray<{ readonly timestamp: string }>) =>
      entries.map((entry) => moments.indexOf(entry.timestamp)).filter((place) => place >= 0)
    const newest = expected.toReversed()
    assert.deepStrictEqual(times((await ask(world.url, `/v1/audit?${query}`, { token })).body.data), newest)
    assert.deepStrictEqual(times((await ask(world.url, `/v1/audit/export?${query}`, { token })).body), newest)
  })

  it.each([
    "from=2399-02-29",
    "to=2300-02-29",
    "to=2400-02-30",
    "from=2400-02-29T00:00:00+01:00",
    "from=2400-03-01&to=2400-02-29",
    "from=2400-02-29T00:00:00.001Z&to=2400-02-29T00:00:00.000Z",
    "to=2400-02-29T24:00:01Z"
  ])("%s is refused", async (query) => {
    for (const path of ["/v1/audit", "/v1/audit/export"]) {
      const { body, status } = await ask(world.url, `${path}?${query}`, { token })
      assert.deepStrictEqual([status, body.error.code], [400, "invalid_parameter"])
    }
  })
})
