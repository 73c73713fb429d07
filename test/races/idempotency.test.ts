import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { inject } from "vitest"
import { AuditLog } from "../../application/ports/AuditLog.ts"
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
