import { SqlClient } from "@effect/sql"
import { assert, it } from "@effect/vitest"
import { Effect, Either, Fiber, Random } from "effect"
import { inject } from "vitest"
import * as Decisions from "../../application/work/Decisions.ts"
import { AuditLog } from "../../application/ports/AuditLog.ts"
import type { WorkspaceId } from "../../domain/workspace/Workspace.ts"
import * as People from "../support/People.ts"
import * as Seed from "../support/Seed.ts"
import * as Scene from "./Scene.ts"
import { long } from "../support/Long.ts"

const [count, rounds] = inject("full") ? [200, 10] : [20, 1]

const question = { kind: "diff_guard", actions: ["revert_spec_and_retry", "abandon"] } as const
const answered = { status: "resolved", run: "queued", attempts: 2, events: ["decision_resolved", "run_state_changed"] }
const expired = { status: "expired", run: "timed_out", attempts: 1, events: ["decision_expired", "run_state_changed"] }

const indices = Array.from({ length: count }, (_, index) => index)
/** Deadlines in ms from now: the first past, the last far ahead, the others spread over the arrival of answers. */
const deadlines = indices.map((index) => {
  if (index < 10) return -1000
  return index < count - 10 ? index * 20 : 3_600_000
})

/** Set by the database's clock, like all deadlines. */
const setDeadlines = (workspace: WorkspaceId, millis: ReadonlyArray<number>) => {
  const rows = JSON.stringify(millis.map((millis, index) => ({ key: Scene.decisionKey(index), millis })))
  return Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql`
      UPDATE decisions d SET expires_at = clock_timestamp() + r.millis * interval '1 millisecond'
      FROM json_to_recordset(${rows}::json) AS r(key text, millis integer)
      WHERE d.workspace_id = ${workspace} AND d.key = r.key`
  )
}

it.scopedLive(
  "decisions whose deadline passes while four instances sweep and people answer end once: answered in time or expired",
  ({ task }) =>
    Effect.gen(function* () {
      const contexts = yield* Scene.instances(4)
      let inTime = 0
      for (let round = 0; round < rounds; round++) {
        const { id, slug } = yield* Effect.provide(Seed.workspace, Scene.pick(contexts, 0))
        const owner = yield* Effect.provide(People.person(slug), Scene.pick(contexts, 0))
        const questions = indices.map(() => question)
        yield* Effect.provide(Seed.load(slug, Scene.waiting(questions)), Scene.pick(contexts, 0))
        yield* Effect.provide(setDeadlines(id, deadlines), Scene.pick(contexts, 0))

        const sweeping = yield* Effect.forEach(contexts, (context) =>
          Effect.fork(Effect.forever(Effect.provide(Decisions.expireDue(), context)))
        )
        const ask = (index: number) =>
          Effect.map(
            Effect.either(
              Decisions.answer(owner, {
                decision: Scene.decisionKey(index),
                optionId: "revert_spec_and_retry",
                note: null,
                idempotency: null
              })
            ),
            (end) => ({ index, told: Either.isRight(end) ? "answered" : end.left._tag })
          )
        /** Every instance answers all of them, each in its own order. */
        const answers = yield* Effect.forEach(
          contexts,
          (context) =>
            Effect.flatMap(Random.shuffle(indices), (order) => Effect.forEach(order, ask, { concurrency: 5 })).pipe(
              Effect.provide(context)
            ),
          { concurrency: "unbounded" }
        )
        yield* Effect.forEach(sweeping, (sweep) => Fiber.interrupt(sweep))

        yield* Effect.gen(function* () {
          for (const [index, { attempts, events, jobs, run, status }] of (yield* Scene.outcomes(id)).entries()) {
            const told = answers.flat().flatMap((answer) => (answer.index === index ? [answer.told] : []))
            const isAnswered = status === "resolved"
            assert.deepStrictEqual({ status, run, attempts, events }, isAnswered ? answered : expired)
            assert.strictEqual(jobs, 1)
            assert.deepStrictEqual(
              told.toSorted(),
              isAnswered ? [...Array(3).fill("DecisionAlreadyResolved"), "answered"] : Array(4).fill("DecisionExpired")
            )
            if (index < 10 || index >= count - 10) assert.strictEqual(isAnswered, index >= 10)
            else if (isAnswered) inTime++
          }
          const sql = yield* SqlClient.SqlClient
          const late = yield* sql`
            SELECT key FROM decisions WHERE workspace_id = ${id} AND resolved_at >= expires_at`
          assert.deepStrictEqual(late, [])
          assert.isNull((yield* (yield* AuditLog).verify(id)).firstBad)
        }).pipe(Effect.provide(Scene.pick(contexts, 1)))
      }
      task.meta.figures = `of ${rounds * (count - 20)} with a deadline in the race ${inTime} were answered in time`
    }),
  inject("full") ? 600_000 : 120_000
)

long(() => {
  it.scopedLive("a run with one decision that is due and one that is answered at once ends as the deadline says", () =>
    Effect.gen(function* () {
      const contexts = yield* Scene.instances(4)
      const runs = 20
      const { id, owner } = yield* Effect.gen(function* () {
        const { id, slug } = yield* Seed.workspace
        const document = Scene.waiting(Array.from({ length: runs }, () => question))
        const others = document.runs.map(({ key }, index) => ({
          ...Scene.decision({ kind: "clarification", actions: ["answer", "abandon"] }, runs + index),
          run: key
        }))
        yield* Seed.load(slug, { ...document, decisions: [...document.decisions, ...others] })
        yield* setDeadlines(
          id,
          document.runs.map(() => -1000)
        )
        return { id, owner: yield* People.person(slug) }
      }).pipe(Effect.provide(Scene.pick(contexts, 0)))
      const sweeps = contexts.map((context) => Effect.as(Effect.provide(Decisions.expireDue(), context), null))
      const answers = Array.from({ length: runs }, (_, index) =>
        Decisions.answer(owner, {
          decision: Scene.decisionKey(runs + index),
          optionId: "answer",
          note: "42",
          idempotency: null
        }).pipe(
          Effect.as("answered"),
          Effect.catchAll((refusal) => Effect.succeed(refusal._tag)),
          Effect.provide(Scene.pick(contexts, index))
        )
      )
      const told = (yield* Effect.all([...sweeps, ...answers], { concurrency: "unbounded" })).slice(sweeps.length)
      const seen = yield* Effect.provide(Scene.outcomes(id), Scene.pick(contexts, 0))
      for (const [index, due] of seen.slice(0, runs).entries()) {
        const other = seen[runs + index]
        assert.deepStrictEqual([due.status, due.run, due.jobs], ["expired", "timed_out", 1])
        const isAnswered = told[index] === "answered"
        if (!isAnswered) assert.strictEqual(told[index], "DecisionCancelled")
        assert.deepStrictEqual([other?.status, other?.jobs], isAnswered ? ["resolved", 1] : ["cancelled", 0])
        const finals = due.events.filter((event) => event.startsWith("decision_")).toSorted()
        assert.deepStrictEqual(
          finals,
          ["decision_expired", isAnswered ? "decision_resolved" : "decision_cancelled"].toSorted()
        )
      }
    })
  )
})
