import { SqlClient } from "@effect/sql"
import { assert, it } from "@effect/vitest"
import { Effect, Either, Random } from "effect"
import { inject } from "vitest"
import type { Person } from "../../application/workspace/Authorization.ts"
import * as Decisions from "../../application/work/Decisions.ts"
import * as Json from "../../application/ports/Json.ts"
import { AuditLog } from "../../application/ports/AuditLog.ts"
import { DecisionStore } from "../../application/ports/DecisionStore.ts"
import * as Runs from "../../application/work/Runs.ts"
import * as Teams from "../../application/work/Teams.ts"
import { DecisionView } from "../../domain/work/Decision.ts"
import { usual } from "../../domain/work/DecisionTriggers.ts"
import type { TeamSlug } from "../../domain/workspace/Team.ts"
import type { WorkspaceId } from "../../domain/workspace/Workspace.ts"
import * as People from "../support/People.ts"
import * as Seed from "../support/Seed.ts"
import type { Stores } from "../support/World.ts"
import * as Scene from "./Scene.ts"

const rounds = inject("full") ? 100 : 2

const decode = Json.decoder(DecisionView)
const run = Scene.runKey(0)
const team = "payments" as TeamSlug
const ask = { title: "Again?", body: "", subject: null, authority: "member", ...usual("scope_change") } as const

/** Every operation on a run, from all sides. */
const happenings = (owner: Person): Readonly<Record<string, Effect.Effect<unknown, { _tag: string }, Stores>>> => {
  const answer = (decision: number, optionId: string) =>
    Decisions.answer(owner, { decision: Scene.decisionKey(decision), optionId, note: "so be it", idempotency: null })
  return {
    stop: Runs.stop(owner, run),
    retry: Runs.retry(owner, run, "once more"),
    lease: Runs.lease(owner, { team: null, run: null }),
    finish: Runs.finish(owner, run, "failed"),
    report: Runs.report(owner, run, [{ type: "question", question: "Which one?" }]),
    cost: Runs.report(owner, run, [{ type: "cost", costCents: 1 }]),
    raise: Decisions.raise(owner, { run }, { kind: "scope_change", ...ask }),
    approve: answer(0, "approve_plan"),
    reject: answer(0, "reject"),
    answer: answer(1, "answer"),
    answerNewest: Effect.gen(function* () {
      const filter = { status: "pending", team: null, run } as const
      const page = yield* (yield* DecisionStore).page(owner.workspace, filter, { limit: 1, before: null })
      const [newest] = Json.each(page.items).map(decode)
      if (newest === undefined) return
      const { key, recommendation } = newest
      yield* Decisions.answer(owner, { decision: key, optionId: recommendation, note: null, idempotency: null })
    }),
    expire: Decisions.expireDue(),
    pause: Teams.pause(owner, team),
    resume: Teams.resume(owner, team)
  }
}

const document = () => {
  const scene = Scene.waiting([{ kind: "plan_approval", actions: ["approve_plan", "reject"] }])
  const other = { ...Scene.decision({ kind: "clarification", actions: ["answer", "abandon"] }, 1), run }
  return { ...scene, decisions: [...scene.decisions, other] }
}

interface Seen {
  readonly status: string
  readonly attempts: number
  readonly attemptList: ReadonlyArray<string>
  readonly pending: number
  readonly steps: ReadonlyArray<{ readonly before: string | null; readonly after: string | null }>
  /** The status of each decision, and the recorded events of its end. */
  readonly ends: ReadonlyArray<readonly [status: string, told: ReadonlyArray<string>]>
}

const seenOf = (workspace: WorkspaceId) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql<Seen>`
      SELECT r.status, r.attempts,
        ARRAY(SELECT a.status FROM attempts a WHERE a.workspace_id = r.workspace_id AND a.run_key = r.key
          ORDER BY a.attempt) AS "attemptList",
        (SELECT count(*)::int FROM decisions d WHERE d.workspace_id = r.workspace_id AND d.status = 'pending') AS pending,
        (SELECT coalesce(json_agg(json_build_object('before', e.details->'before'->>'status',
            'after', e.details->'after'->>'status') ORDER BY e.seq), '[]')
          FROM audit_entries e WHERE e.workspace_id = r.workspace_id AND e.event = 'run_state_changed'
            AND e.details->>'imported' IS NULL) AS steps,
        (SELECT json_agg(json_build_array(d.status, ARRAY(
            SELECT e.event FROM audit_entries e WHERE e.workspace_id = r.workspace_id AND e.entity_id = d.key
              AND e.event <> 'decision_raised')))
          FROM decisions d WHERE d.workspace_id = r.workspace_id) AS ends
      FROM runs r WHERE r.workspace_id = ${workspace}`
  )

const over = new Set(["succeeded", "failed", "timed_out", "stopped"])

/** One history: each entry starts at the end of the previous one, and the rows match the last one. */
const checkStory = ({ attemptList, attempts, ends, pending, status, steps }: Seen) => {
  let current = "waiting"
  for (const { after, before } of steps) {
    if (before !== null) assert.strictEqual(before, current)
    current = after ?? current
  }
  assert.strictEqual(status, current)
  assert.strictEqual(attemptList.at(-1), status)
  assert.strictEqual(attemptList.length, attempts)
  for (const earlier of attemptList.slice(0, -1)) assert.isTrue(over.has(earlier), earlier)
  assert.strictEqual(pending > 0, status === "waiting", `${pending} pending, run ${status}`)
  for (const [end, told] of ends) assert.deepStrictEqual(told, end === "pending" ? [] : [`decision_${end}`])
}

it.scopedLive(
  "whatever happens to a run at once, it has one history, and nobody is told of a deadlock",
  ({ task }) =>
    Effect.gen(function* () {
      const contexts = yield* Scene.instances(4)
      let [done, refused] = [0, 0]
      for (let round = 0; round < rounds; round++) {
        const { id, owner } = yield* Effect.gen(function* () {
          const { id, slug } = yield* Seed.workspace
          yield* Seed.load(slug, document())
          if (round % 2 === 1) {
            const sql = yield* SqlClient.SqlClient
            yield* sql`UPDATE decisions SET expires_at = now() WHERE workspace_id = ${id} AND key = ${Scene.decisionKey(1)}`
          }
          return { id, owner: yield* People.person(slug) }
        }).pipe(Effect.provide(Scene.pick(contexts, round)))
        const all = Object.values(happenings(owner))
        const order = yield* Random.shuffle([...all, ...all, ...all])
        const ends = yield* Effect.forEach(
          order,
          (happening, turn) => Effect.provide(Effect.either(happening), Scene.pick(contexts, turn)),
          { concurrency: "unbounded" }
        )
        done += [...ends].filter(Either.isRight).length
        refused += [...ends].filter(Either.isLeft).length
        yield* Effect.gen(function* () {
          const [seen] = yield* seenOf(id)
          assert.isDefined(seen)
          checkStory(seen)
          assert.isNull((yield* (yield* AuditLog).verify(id)).firstBad)
        }).pipe(Effect.provide(Scene.pick(contexts, round + 1)))
      }
      task.meta.figures = `${rounds} runs; ${done} changes done, ${refused} refused`
    }),
  inject("full") ? 600_000 : 120_000
)
