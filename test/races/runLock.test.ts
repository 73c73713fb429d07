import { SqlClient } from "@effect/sql"
import { assert, it } from "@effect/vitest"
import { Context, Deferred, Effect, Either, Fiber, Schedule } from "effect"
import { DecisionStore } from "../../application/ports/DecisionStore.ts"
import type { DecisionKey } from "../../domain/work/Decision.ts"
import * as Seed from "../support/Seed.ts"
import * as Scene from "./Scene.ts"

it.scopedLive(
  "whoever answers a decision waits for whoever changes its run, and sees the run as it is then",
  () =>
    Effect.gen(function* () {
      const [one, other] = yield* Scene.instances(2)
      if (one === undefined || other === undefined) return assert.fail("two instances are wanted")
      const { id } = yield* Effect.provide(
        Effect.tap(Seed.workspace, ({ slug }) => Seed.load(slug, Seed.small)),
        one
      )
      const seen: Array<number | undefined> = []
      const answer = Context.get(other, DecisionStore).change(id, "dec-aaaa" as DecisionKey, null, ({ run }) => {
        seen.push(run?.budgetCents)
        return Either.left("seen")
      })
      const sql = Context.get(one, SqlClient.SqlClient)
      // Started outside of the transaction, which its fiber would join otherwise.
      const isChanged = yield* Deferred.make<void>()
      const answering = yield* Effect.fork(Effect.zipRight(Deferred.await(isChanged), Effect.flip(answer)))
      yield* sql.withTransaction(
        Effect.gen(function* () {
          yield* sql`UPDATE runs SET budget_cents = 4321 WHERE workspace_id = ${id} AND key = 'run-aaaa'`
          yield* Deferred.succeed(isChanged, undefined)
          yield* Effect.repeat(Scene.blocked(sql), {
            until: (count) => count > 0 || seen.length > 0,
            schedule: Schedule.spaced("10 millis")
          })
          assert.deepStrictEqual(seen, [])
        })
      )
      yield* Fiber.join(answering)
      assert.deepStrictEqual(seen, [4321])
    }),
  60_000
)
