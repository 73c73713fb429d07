import * as Pool from "../../adapters/postgres/connection/Pool.ts"
import * as SqlClient from "@effect/sql/SqlClient"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Layer, Logger, LogLevel, Schedule, Scope } from "effect"
import * as Postgres from "../../adapters/postgres/Postgres.ts"
import { type Handler, JobFailed } from "../../application/ports/JobHandlers.ts"
import { ownPostgres } from "../support/OwnPostgres.ts"
import * as TestPostgres from "../support/TestPostgres.ts"
import * as Engine from "./Engine.ts"
import * as Queue from "./Queue.ts"
import { long } from "../support/Long.ts"

const scopedPostgres = Effect.acquireRelease(
  Effect.promise(() => ownPostgres()),
  (postgres) => Effect.promise(() => postgres.close())
)

/** Fails the first try of each job, and lets the second one do what it is told to. */
const failingFirst = (second: Effect.Effect<unknown>) => {
  const tries = new Map<string, number>()
  const handler: Handler = ({ job }) =>
    Effect.suspend(() => {
      tries.set(job.id, (tries.get(job.id) ?? 0) + 1)
      return tries.get(job.id) === 1 ? new JobFailed({ reason: "busy", isFinal: false }) : Effect.asVoid(second)
    })
  return { handler, tries }
}

const many = Array.from({ length: 25 }, () => "tell_agent" as const)

describe.concurrent("jobs", () => {
  long(() => {
    it.scopedLive(
      "outlive a database that goes away and comes back; it is told once, and holds up no shutdown",
      () =>
        Effect.gen(function* () {
          const postgres = yield* scopedPostgres
          const client = Pool.layer({ ...postgres.client, connectionTimeoutMillis: 3000 })
          const stores = yield* Layer.build(Postgres.layer.pipe(Layer.provideMerge(client)))

          const lines: Array<string> = []
          const log = Logger.replace(
            Logger.defaultLogger,
            Logger.make(({ logLevel, message }) => {
              if (LogLevel.greaterThanEqual(logLevel, LogLevel.Info)) lines.push(String(message))
            })
          )
          const told = (text: string) => Effect.sync(() => lines.filter((line) => line.startsWith(text)).length)

          const isAway = yield* Deferred.make<void>()
          const inMiddle = yield* Deferred.make<void>()
          const { handler, tries } = failingFirst(
            Effect.zipRight(Deferred.succeed(inMiddle, undefined), Deferred.await(isAway))
          )
          yield* Effect.gen(function* () {
            const { id, slug } = yield* Queue.workspace
            const engine = yield* Scope.make()
            yield* Scope.extend(Engine.start({ tell_agent: handler }), engine)
            yield* Queue.put({ slug }, many)
            yield* Deferred.await(inMiddle)
            yield* Effect.promise(postgres.end)
            yield* Deferred.succeed(isAway, undefined)
            yield* Engine.eventually(told("jobs wait"), (times) => times === 1)
            yield* Effect.promise(postgres.begin)
            yield* Engine.eventually(Queue.all(id, "done"), (jobs) => jobs.length === many.length)
            assert.deepStrictEqual([yield* told("jobs wait"), yield* told("jobs are taken again")], [1, 1])
            yield* Effect.promise(postgres.end)
            yield* Effect.timeout(Scope.close(engine, Exit.void), "60 seconds")
          }).pipe(Effect.provide(stores), Effect.provide(log))
          assert.strictEqual(tries.size, many.length)
        }),
      120_000
    )
  })

  it.scopedLive(
    "outlive connections that are cut again and again",
    () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const { id, slug } = yield* Queue.workspace
        const { handler, tries } = failingFirst(Effect.sleep("20 millis"))
        yield* Engine.start({ tell_agent: handler })
        const stubborn = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
          Effect.retry(Effect.sandbox(effect), Schedule.spaced("100 millis"))
        const cut = sql`
          SELECT pg_terminate_backend(pid) FROM pg_stat_activity
          WHERE datname = current_database() AND pid <> pg_backend_pid()`
        for (let round = 0; round < 4; round++) {
          const begun = tries.size
          yield* stubborn(Queue.put({ slug }, many))
          yield* Engine.eventually(
            Effect.sync(() => tries.size),
            (now) => now > begun
          )
          yield* stubborn(cut)
        }
        yield* Engine.eventually(stubborn(Queue.all(id)), (jobs) => jobs.every(({ status }) => status === "done"))
        assert.isAtLeast(tries.size, 4 * many.length)
      }).pipe(Effect.provide(Layer.merge(TestPostgres.layer, Logger.remove(Logger.defaultLogger)))),
    120_000
  )
})
