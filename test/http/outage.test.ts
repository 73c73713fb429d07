import { SqlClient } from "@effect/sql"
import { PgClient } from "@effect/sql-pg"
import { Effect, Layer } from "effect"
import { existsSync } from "node:fs"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import * as Pool from "../../adapters/postgres/connection/Pool.ts"
import * as Postgres from "../../adapters/postgres/Postgres.ts"
import * as Idle from "../support/Idle.ts"
import { ownPostgres } from "../support/OwnPostgres.ts"
import * as Seed from "../support/Seed.ts"
import { signed, source } from "../support/Source.ts"
import { ask, start, type World } from "../support/World.ts"
import { long } from "../support/Long.ts"

describe("a database that goes away and comes back", () => {
  let postgres: Awaited<ReturnType<typeof ownPostgres>>
  let world: World
  let token: string
  let at: Effect.Effect.Success<ReturnType<typeof source>>

  const deliver = () => {
    const body = JSON.stringify({ title: "Down" })
    return ask(world.url, at.path, { method: "POST", body, headers: signed(at.secret, body) })
  }
  const assertIntakeIsDown = async () => {
    const before = performance.now()
    const answers = await Promise.all(Array.from({ length: 10 }, deliver))
    Idle.isBelow(performance.now() - before, 2000)
    for (const answer of answers) {
      assert.deepStrictEqual([answer.status, answer.body.error.code], [503, "unavailable"])
      assert.strictEqual(answer.headers["retry-after"], "1")
    }
  }

  beforeAll(async () => {
    postgres = await ownPostgres()
    const client = Pool.layer({ ...postgres.client, max: 10, connectionTimeoutMillis: 1500 })
    world = await start(Postgres.layer.pipe(Layer.provideMerge(client)))
    const { slug } = await world.run(Seed.workspace)
    token = (await world.run(Seed.token(slug))).value
    at = await world.run(source())
  })
  afterAll(async () => {
    await world.close()
    await postgres.close()
  })

  it("is a 503 with Retry-After meanwhile, and no restart is needed after", async () => {
    assert.strictEqual((await ask(world.url, "/v1/teams", { token })).status, 200)
    await postgres.end()

    const before = performance.now()
    const refused = await Promise.all(Array.from({ length: 30 }, () => ask(world.url, "/v1/teams", { token })))
    Idle.isBelow(performance.now() - before, 2000)
    for (const answer of [...refused, await ask(world.url, "/readyz")]) {
      assert.deepStrictEqual([answer.status, answer.body.error.code], [503, "unavailable"])
      assert.strictEqual(answer.headers["retry-after"], "1")
      assert.strictEqual(answer.headers["x-ratelimit-limit"], "120")
    }
    assert.strictEqual((await ask(world.url, "/healthz")).status, 200)
    await assertIntakeIsDown()

    await postgres.begin()
    const answers = await Promise.all(Array.from({ length: 30 }, () => ask(world.url, "/v1/teams", { token })))
    assert.deepStrictEqual(new Set(answers.map((answer) => answer.status)), new Set([200]))
    assert.strictEqual((await deliver()).status, 202)
  })

  long(() => {
    it("is a 503 to deliveries too when it is silent, and takes them again when it speaks", async () => {
      assert.strictEqual((await deliver()).status, 202)
      const { database, host, port, user: username } = postgres.client
      const pids = await Effect.runPromise(
        Effect.flatMap(SqlClient.SqlClient, (sql) => sql<{ pid: number }>`SELECT pid FROM pg_stat_activity`).pipe(
          Effect.map((rows) => rows.map(({ pid }) => pid)),
          Effect.provide(PgClient.layer({ host, port, username, database }))
        )
      )
      const all = [postgres.pid(), ...pids]
      // The session that ran the query has ended since.
      const send = (signal: NodeJS.Signals) => {
        for (const pid of all) if (existsSync(`/proc/${pid}`)) process.kill(pid, signal)
      }
      send("SIGSTOP")
      try {
        await assertIntakeIsDown()
      } finally {
        send("SIGCONT")
      }
      assert.strictEqual((await deliver()).status, 202)
    })
  })
})
