import { SqlClient } from "@effect/sql"
import { assert, it } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import * as Decisions from "../../application/work/Decisions.ts"
import * as Engine from "../jobs/Engine.ts"
import * as People from "../support/People.ts"
import * as Seed from "../support/Seed.ts"
import * as Scene from "./Scene.ts"

it.scopedLive("an answer that Postgres gives up for a deadlock is tried again, and takes effect once", () =>
  Effect.gen(function* () {
    const contexts = yield* Scene.instances(3)
    const { id, owner } = yield* Effect.gen(function* () {
      const { id, slug } = yield* Seed.workspace
      yield* Seed.load(slug, Scene.waiting([{ kind: "plan_approval", actions: ["approve_plan", "reject"] }]))
      return { id, owner: yield* People.person(slug) }
    }).pipe(Effect.provide(Scene.pick(contexts, 0)))
    const decision = Scene.decisionKey(0)
    const [isLocked, isWaiting] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
    const cross = (sql: SqlClient.SqlClient) =>
      Effect.gen(function* () {
        // The answer detects the deadlock first, so it is the one that is aborted.
        yield* sql`SET LOCAL deadlock_timeout = '1min'`
        yield* sql`SELECT FROM runs WHERE workspace_id = ${id} FOR UPDATE`
        yield* Deferred.succeed(isLocked, undefined)
        yield* Deferred.await(isWaiting)
        yield* sql`SELECT FROM decisions WHERE workspace_id = ${id} FOR UPDATE`
      }).pipe(sql.withTransaction)
    const crossing = yield* Effect.fork(
      Effect.provide(Effect.flatMap(SqlClient.SqlClient, cross), Scene.pick(contexts, 0))
    )
    yield* Deferred.await(isLocked)
    const answering = yield* Effect.fork(
      Decisions.answer(owner, { decision, optionId: "approve_plan", note: null, idempotency: null }).pipe(
        Effect.provide(Scene.pick(contexts, 1))
      )
    )
    yield* Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* Engine.eventually(Scene.blocked(sql), (count) => count > 0)
      yield* Deferred.succeed(isWaiting, undefined)
      yield* Fiber.join(crossing)
      yield* Fiber.join(answering)
      const [seen] = yield* Scene.outcomes(id)
      assert.deepStrictEqual(
        [seen?.status, seen?.events],
        ["resolved", ["decision_resolved", "run_state_changed", "story_moved"]]
      )
    }).pipe(Effect.provide(Scene.pick(contexts, 2)))
  })
)
