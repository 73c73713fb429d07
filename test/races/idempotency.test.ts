import { SqlClient } from "@effect/sql"
import { assert, it } from "@effect/vitest"
import { Context, Deferred, Effect, Either, Fiber, Schedule } from "effect"
import { inject } from "vitest"
import { AuditLog } from "../../application/ports/AuditLog.ts"
import { DecisionStore } from "../../application/ports/DecisionStore.ts"
import { TokenId } from "../../domain/workspace/ApiToken.ts"
import * as Seed from "../support/Seed.ts"
import type { Answer } from "../support/World.ts"
import * as Scene from "./Scene.ts"
import { long } from "../support/Long.ts"

const rounds = inject("full") ? 50 : 1

const approve = { optionId: "approve_plan", idempotencyKey: "same" }

const questions = Array.from({ length: 2 }, () => ({
  kind: "plan_approval" as const,
  actions: ["approve_plan", "request_changes"] as const
}))

const approved = {
  status: "resolved",
  via: "api",
  run: "running",
  attempts: 1,
  column: "in_progress",
  jobs: 0,
  events: ["decision_resolved", "run_state_changed", "story_moved"]
}
const untouched = { status: "pending", via: null, run: "waiting", attempts: 1, column: "ready", jobs: 0, events: [] }

const told = ({ body, headers, status }: Answer) =>
  status === 200 ? (headers["idempotent-replayed"] === "true" ? "replayed" : "answered") : body.error.code

type Services = Effect.Effect.Success<ReturnType<typeof Scene.services>>

const eachRound = <E>(
  services: Services,
  round: (place: {
    readonly resolve: (turn: number, decision: number, body: Parameters<typeof Scene.resolve>[3]) => Promise<Answer>
    readonly outcomes: ReturnType<typeof Scene.outcomes>
  }) => Effect.Effect<void, E, Effect.Effect.Context<ReturnType<typeof Scene.outcomes>>>
) =>
  Effect.gen(function* () {
    const { id, slug } = yield* Seed.workspace
    yield* Seed.load(slug, Scene.waiting(questions))
    const { value } = yield* Seed.token(slug, ["write"])
    yield* round({
      resolve: (turn, decision, body) =>
        Scene.resolve(Scene.pick(services, turn).url, value, Scene.decisionKey(decision), body),
      outcomes: Scene.outcomes(id)
    })
    assert.isNull((yield* (yield* AuditLog).verify(id)).firstBad)
  }).pipe(Effect.provide(Scene.pick(services, 0).context), Effect.repeatN(rounds - 1))

it.scopedLive("twins under one idempotency key, on two instances at once, get one answer and have one effect", () =>
  Effect.gen(function* () {
    const services = yield* Scene.services(2)
    yield* eachRound(services, ({ outcomes, resolve }) =>
      Effect.gen(function* () {
        const answers = yield* Effect.promise(() =>
          Promise.all(Array.from({ length: 30 }, (_, turn) => resolve(turn, 0, { ...approve, note: "go" })))
        )
        assert.deepStrictEqual(answers.map(told).toSorted(), ["answered", ...Array(29).fill("replayed")])
        assert.strictEqual(new Set(answers.map(({ text }) => text)).size, 1)
        const [first, second] = yield* outcomes
        assert.deepStrictEqual(first, { key: Scene.decisionKey(0), ...approved })
        assert.deepStrictEqual(second, { key: Scene.decisionKey(1), ...untouched })
      })
    )
  })
)

it.scopedLive("an answer waits for an earlier one under its key, although that waits for a run itself", () =>
  Effect.gen(function* () {
    const [one, other] = yield* Scene.instances(2)
    if (one === undefined || other === undefined) return assert.fail("two instances are wanted")
    const { id } = yield* Effect.provide(
      Effect.tap(Seed.workspace, ({ slug }) => Seed.load(slug, Scene.waiting(questions))),
      one
    )
    const idempotency = { token: TokenId.make(crypto.randomUUID()), key: "same" }
    const seen: Array<number> = []
    const answer = (of: typeof one, index: number) =>
      Context.get(of, DecisionStore).change(id, Scene.decisionKey(index), idempotency, () => {
        seen.push(index)
        return Either.left("seen")
      })
    const sql = Context.get(one, SqlClient.SqlClient)
    /** Waits until so many connections wait for a lock, or an answer waits for none. */
    const until = (count: number) =>
      Effect.repeat(Scene.blocked(sql), {
        until: (blocked) => blocked >= count || seen.length > 0,
        schedule: Schedule.spaced("10 millis")
      })
    // Started outside of the transaction, which their fibers would join otherwise.
    const begins = [yield* Deferred.make<void>(), yield* Deferred.make<void>()] as const
    const answers = yield* Effect.forEach([one, other], (of, index) =>
      Effect.fork(Effect.zipRight(Deferred.await(Scene.pick(begins, index)), Effect.flip(answer(of, index))))
    )
    yield* sql.withTransaction(
      Effect.gen(function* () {
        yield* sql`UPDATE runs SET budget_cents = 4321 WHERE workspace_id = ${id} AND key = ${Scene.runKey(0)}`
        for (const [index, begin] of begins.entries()) {
          yield* Deferred.succeed(begin, undefined)
          yield* until(index + 1)
        }
        assert.deepStrictEqual(seen, [])
      })
    )
    yield* Fiber.joinAll(answers)
    assert.deepStrictEqual(seen, [0, 1])
  })
)

long(() => {
  it.scopedLive("one key for two bodies at once: one is answered, everything else is refused as reused", () =>
    Effect.gen(function* () {
      const services = yield* Scene.services(2)
      yield* eachRound(services, ({ outcomes, resolve }) =>
        Effect.gen(function* () {
          const notes = ["one", "other"]
          const answers = yield* Effect.promise(() =>
            Promise.all(
              Array.from({ length: 20 }, (_, turn) =>
                resolve(turn, 0, { ...approve, note: Scene.pick(notes, turn >> 1) })
              )
            )
          )
          assert.deepStrictEqual(answers.map(told).toSorted(), [
            "answered",
            ...Array(10).fill("idempotency_key_reused"),
            ...Array(9).fill("replayed")
          ])
          const won = new Set(
            answers.flatMap(({ body, status }, turn) => (status === 200 ? [`${turn & 2} ${body.resolution.note}`] : []))
          )
          assert.strictEqual(won.size, 1)
          assert.deepStrictEqual((yield* outcomes)[0], { key: Scene.decisionKey(0), ...approved })
        })
      )
    })
  )
})

long(() => {
  it.scopedLive("one key for two decisions at once: one is answered, the other stays as it was", () =>
    Effect.gen(function* () {
      const services = yield* Scene.services(2)
      yield* eachRound(services, ({ outcomes, resolve }) =>
        Effect.gen(function* () {
          const answers = yield* Effect.promise(() => Promise.all([resolve(0, 0, approve), resolve(1, 1, approve)]))
          assert.deepStrictEqual(answers.map(told).toSorted(), ["answered", "idempotency_key_reused"])
          const winner = answers.findIndex(({ status }) => status === 200)
          assert.deepStrictEqual(
            yield* outcomes,
            [0, 1].map((index) => ({ key: Scene.decisionKey(index), ...(index === winner ? approved : untouched) }))
          )
        })
      )
    })
  )
})
