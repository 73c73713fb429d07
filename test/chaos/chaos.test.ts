import { SqlClient } from "@effect/sql"
import { Deferred, Effect } from "effect"
import { afterAll, assert, beforeAll, inject, it } from "vitest"
import * as Idle from "../support/Idle.ts"
import { random } from "../support/Random.ts"
import { ask } from "../support/World.ts"
import { amidGuessing, amidNoise } from "./Noise.ts"
import { disturb, type Pair, pair, patience } from "./Disturbance.ts"
import { isLong, long } from "../support/Long.ts"

const [kills, restarts, rolls, seconds] = inject("full") ? [40, 10, 20, 60] : [1, 1, 1, 1]
/** Requests between two kills. */
const most = isLong ? 40 : 6
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

let here: Pair
beforeAll(async () => {
  here = await pair()
})
afterAll(() => here.close())

it(
  `kill -9 of either of two instances at random, ${kills} times, loses and doubles nothing`,
  ({ task }) =>
    disturb(here, task, async (people) => {
      for (let kill = 0; kill < kills; kill++) {
        await people.until(5 + Math.floor(random() * most))
        await here.services.again(kill % 2, "SIGKILL")
      }
      await people.until(most / 2)
      return `${kills} kills`
    }),
  patience
)

long(() => {
  it(
    `a database that is cut off and restarted under load (${restarts}) loses and doubles nothing`,
    ({ task }) =>
      disturb(here, task, async (people) => {
        let slowest = 0
        for (let restart = 0; restart < restarts; restart++) {
          await people.until(30)
          await here.at.restartDatabase()
          const back = performance.now()
          await people.until(10)
          slowest = Math.max(slowest, performance.now() - back)
        }
        Idle.isBelow(slowest, 10_000)
        return `${restarts} immediate restarts, served again ${(slowest / 1000).toFixed(1)} s after at the latest`
      }),
    patience
  )
})

long(() => {
  it(
    `${rolls} rolling restarts by SIGTERM fail no request of clients that try once more at the other instance`,
    ({ task }) =>
      disturb(here, task, async (people) => {
        for (let roll = 0; roll < rolls; roll++) {
          await people.until(20)
          assert.strictEqual((await here.services.again(roll % 2, "SIGTERM")).code, 0)
        }
        await people.until(20)
        // An instance answered every request it took; only a stopped instance refuses, or one whose database took too long.
        const isSlow = (one: { status: number | null; took: number }) => one.status === 503 && one.took >= 1400
        const answered = people.refused.filter((one) => one.status !== null && one.status !== 429 && !isSlow(one))
        assert.deepStrictEqual(answered, [])
        const { failedOnce, failedTwice, requests } = people.clients()
        assert.strictEqual(failedTwice, 0, "a retry at the other instance failed")
        return `${rolls} restarts; of ${requests} requests ${failedOnce} failed without a retry, ${failedTwice} with one retry at the other instance`
      }),
    patience
  )
})

long(() => {
  it(
    `a database that is gone for ${seconds} s is a 503 within 2 s meanwhile, and is used again within 10 s`,
    ({ task }) =>
      disturb(here, task, async (people) => {
        await people.until(50)
        await here.at.endDatabase()
        const gone = performance.now()
        await pause(seconds * 1000)
        await here.at.beginDatabase()
        const back = performance.now()
        await people.until(10)
        const recovery = performance.now() - back
        Idle.isBelow(recovery, 10_000)
        // Requests in progress when it stopped may have been cut off.
        const meanwhile = people.refused.filter((one) => one.at > gone && one.at + one.took < back)
        const slowest = Math.max(...meanwhile.map(({ took }) => took))
        assert.deepStrictEqual(new Set(meanwhile.map(({ status }) => status)), new Set([503]))
        Idle.isBelow(slowest, 2000)
        return `${meanwhile.length} answers of 503, the slowest after ${slowest.toFixed(0)} ms; served again ${recovery.toFixed(0)} ms after it was back`
      }),
    patience
  )
})

long(() => {
  it(
    "while every change of a workspace waits for a lock, reads go on, and nothing is lost",
    ({ task }) =>
      disturb(here, task, async (people) => {
        await people.until(50)
        const [locked, release] = await Effect.runPromise(Effect.all([Deferred.make<void>(), Deferred.make<void>()]))
        const hold = Effect.gen(function* () {
          const sql = yield* SqlClient.SqlClient
          yield* sql`SELECT FROM audit_heads WHERE workspace_id = ${people.workspace} FOR UPDATE`
          yield* Deferred.succeed(locked, undefined)
          yield* Deferred.await(release)
        })
        const held = here.at.run(Effect.flatMap(SqlClient.SqlClient, (sql) => sql.withTransaction(hold)))
        await Effect.runPromise(Deferred.await(locked))
        const times: Array<number> = []
        const end = performance.now() + (inject("full") ? 20_000 : 1500)
        while (performance.now() < end) {
          const before = performance.now()
          const [url = ""] = here.services.urls()
          const answer = await ask(url, "/v1/teams", { token: people.token() })
          assert.include([200, 429], answer.status, answer.text)
          times.push(performance.now() - before)
          await pause(20)
        }
        await Effect.runPromise(Deferred.succeed(release, undefined))
        await held
        await people.until(20)
        const slowest = Math.max(...times)
        Idle.isBelow(slowest, 1000)
        return `${times.length} reads meanwhile, the slowest ${slowest.toFixed(0)} ms`
      }),
    patience
  )
})

long(() => {
  it(
    "a token that asks far too much, and a source that floods, do not slow down the others",
    async ({ task }) => {
      const { delivering, noisy, reading } = await amidNoise(here)
      Idle.isBelow(reading, 1000)
      Idle.isBelow(delivering, 1000)
      task.meta.figures = `${noisy} clients at once with one token: 95 of 100 reads with another within ${reading.toFixed(0)} ms; ${noisy} posts at once to one source: 95 of 100 to another within ${delivering.toFixed(0)} ms`
    },
    patience
  )
})

long(() => {
  it(
    "guessed tokens and guessed addresses of sources do not slow down the others",
    async ({ task }) => {
      const { delivering, noisy, reading } = await amidGuessing(here)
      const told = (name: string, times: typeof reading) =>
        `${times.sent.toLocaleString("en")} guesses, 95 of 100 ${name} within ${times.amid.toFixed(1)} ms, alone ${times.quiet.toFixed(1)} ms`
      task.meta.figures = `${noisy} clients at once that guess tokens: ${told("reads", reading)}; that guess sources: ${told("posts", delivering)}`
      // Speed is asserted only in the long form, on an otherwise idle machine.
      if (inject("full"))
        for (const { amid, quiet } of [reading, delivering]) assert.isAtMost(amid, 3 * quiet, task.meta.figures)
    },
    patience
  )
})
