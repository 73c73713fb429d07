import { SqlClient } from "@effect/sql"
import { assert, it } from "@effect/vitest"
import { Deferred, Effect, Either, Fiber } from "effect"
import { inject } from "vitest"
import * as Decisions from "../../application/work/Decisions.ts"
import { AuditLog } from "../../application/ports/AuditLog.ts"
import * as Teams from "../../application/work/Teams.ts"
import * as Workspaces from "../../application/workspace/Workspaces.ts"
import { bySystem } from "../../domain/workspace/Actor.ts"
import type { TeamSlug } from "../../domain/workspace/Team.ts"
import * as Engine from "../jobs/Engine.ts"
import * as People from "../support/People.ts"
import * as Seed from "../support/Seed.ts"
import type { Stores } from "../support/World.ts"
import * as Scene from "./Scene.ts"
import { isLong, long } from "../support/Long.ts"

const rounds = inject("full") ? 20 : 1
const count = 40

const team = "payments" as TeamSlug

type Place = Effect.Effect.Success<typeof Seed.workspace> & {
  readonly owner: Effect.Effect.Success<ReturnType<typeof People.person>>
}

const deletions: Readonly<Record<string, (place: Place) => Effect.Effect<unknown, never, Stores>>> = {
  "a team": ({ owner }) => Effect.orDie(Teams.remove(owner, team, team)),
  "a workspace": ({ slug }) => Effect.orDie(Workspaces.remove(bySystem, { slug, confirm: slug }))
}

for (const [what, remove] of Object.entries(deletions).slice(isLong ? 0 : -1))
  it.scopedLive(
    `${what} that is deleted while its decisions are answered: each is answered or cancelled, never both, and no run goes on`,
    () =>
      Effect.gen(function* () {
        const contexts = yield* Scene.instances(2)
        const questions = Array.from({ length: count }, () => ({
          kind: "diff_guard" as const,
          actions: ["revert_spec_and_retry", "abandon"] as const
        }))
        for (let round = 0; round < rounds; round++) {
          const place = yield* Effect.gen(function* () {
            const { id, slug } = yield* Seed.workspace
            yield* Seed.load(slug, Scene.waiting(questions))
            return { id, slug, owner: yield* People.person(slug) }
          }).pipe(Effect.provide(Scene.pick(contexts, round)))
          const optionId = "revert_spec_and_retry"
          const answers = questions.map((_, index) =>
            Decisions.answer(place.owner, {
              decision: Scene.decisionKey(index),
              optionId,
              note: null,
              idempotency: null
            }).pipe(Effect.either, Effect.provide(Scene.pick(contexts, index)))
          )
          const removal = Effect.as(Effect.provide(remove(place), Scene.pick(contexts, round)), null)
          const half = 10 + round
          const ends = yield* Effect.all([...answers.slice(0, half), removal, ...answers.slice(half)], {
            concurrency: "unbounded"
          })
          const told = ends.flatMap((end) => (end === null ? [] : [end]))
          yield* Effect.gen(function* () {
            for (const [index, { events, jobs, run, status }] of (yield* Scene.outcomes(place.id)).entries()) {
              const end = told[index] as (typeof told)[number]
              const finals = events.filter((event) => event.startsWith("decision_"))
              assert.deepStrictEqual(
                { status, finals, jobs, run },
                Either.isRight(end)
                  ? { status: "resolved", finals: ["decision_resolved"], jobs: 1, run: "stopped" }
                  : { status: "cancelled", finals: ["decision_cancelled"], jobs: 0, run: "stopped" },
                `question ${index}, round ${round}`
              )
              if (Either.isLeft(end)) assert.include(["DecisionNotFound", "DecisionCancelled"], end.left._tag)
            }
            assert.isNull((yield* (yield* AuditLog).verify(place.id)).firstBad)
          }).pipe(Effect.provide(Scene.pick(contexts, round + 1)))
        }
      }),
    inject("full") ? 600_000 : 60_000
  )

long(() => {
  it.scopedLive(
    "a deletion that waits for whoever writes an audit entry does not keep the entry from being written",
    () =>
      Effect.gen(function* () {
        const contexts = yield* Scene.instances(3)
        const { id, slug } = yield* Effect.provide(Seed.workspace, Scene.pick(contexts, 0))
        const [isLocked, isWaiting] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
        const write = (sql: SqlClient.SqlClient) =>
          Effect.gen(function* () {
            yield* sql`SELECT FROM audit_heads WHERE workspace_id = ${id} FOR UPDATE`
            yield* Deferred.succeed(isLocked, undefined)
            yield* Deferred.await(isWaiting)
            // The lock that an entry's reference to its workspace takes.
            yield* sql`SELECT FROM workspaces WHERE id = ${id} FOR KEY SHARE NOWAIT`
          }).pipe(sql.withTransaction)
        const writing = yield* Effect.fork(
          Effect.provide(Effect.flatMap(SqlClient.SqlClient, write), Scene.pick(contexts, 0))
        )
        yield* Deferred.await(isLocked)
        const removing = yield* Effect.fork(
          Effect.provide(Workspaces.remove(bySystem, { slug, confirm: slug }), Scene.pick(contexts, 1))
        )
        const waiting = Effect.flatMap(SqlClient.SqlClient, Scene.blocked)
        yield* Effect.provide(
          Engine.eventually(waiting, (count) => count > 0),
          Scene.pick(contexts, 2)
        )
        yield* Deferred.succeed(isWaiting, undefined)
        yield* Fiber.join(writing)
        yield* Fiber.join(removing)
      })
  )
})
