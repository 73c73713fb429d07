import { PgClient } from "@effect/sql-pg"
import { assert, it } from "@effect/vitest"
import { Effect, Layer, Stream } from "effect"
import { inject } from "vitest"
import { AuditLog } from "../../application/ports/AuditLog.ts"
import * as Engine from "../jobs/Engine.ts"
import { addressOf, scopedWorkshop } from "../support/Process.ts"
import { random } from "../support/Random.ts"
import * as Seed from "../support/Seed.ts"
import * as TestPostgres from "../support/TestPostgres.ts"
import type { Answer } from "../support/World.ts"
import * as Scene from "./Scene.ts"

const [count, kills] = inject("full") ? [500, 25] : [16, 1]
const atOnce = 12

/** Answers with different changes, and the expected result of each: all of it or none. */
const sorts = [
  {
    question: { kind: "plan_approval", actions: ["approve_plan", "reject"] },
    whole: { run: "running", attempts: 1, column: "in_progress", jobs: 0 },
    events: ["decision_resolved", "run_state_changed", "story_moved"]
  },
  {
    question: { kind: "diff_guard", actions: ["revert_spec_and_retry", "abandon"] },
    whole: { run: "queued", attempts: 2, column: "ready", jobs: 1 },
    events: ["decision_resolved", "run_state_changed"]
  },
  {
    question: { kind: "policy_exception", actions: ["reject", "allow_once"] },
    whole: { run: "stopped", attempts: 1, column: "backlog", jobs: 0 },
    events: ["decision_resolved", "run_state_changed", "story_moved"]
  },
  {
    question: { kind: "clarification", actions: ["answer", "abandon"] },
    whole: { run: "running", attempts: 1, column: "ready", jobs: 1 },
    events: ["decision_resolved", "run_state_changed"]
  }
] as const

const untouched = { status: "pending", via: null, run: "waiting", attempts: 1, column: "ready", jobs: 0, events: [] }

/** True when an answer has taken effect; anything between all and nothing fails. */
const isWhole = (outcome: Scene.Outcome, index: number): boolean => {
  const { key, ...rest } = outcome
  const { events, whole } = Scene.pick(sorts, index)
  assert.deepStrictEqual(
    rest,
    rest.status === "pending" ? untouched : { status: "resolved", via: "api", ...whole, events },
    key
  )
  return rest.status === "resolved"
}

/** Notifies of every change right at its commit, so that a kill can come before its response is sent. */
const announce = `
  CREATE FUNCTION announce() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN NOTIFY committed, 'one'; RETURN NULL; END $$;
  CREATE TRIGGER announced AFTER INSERT ON audit_entries FOR EACH STATEMENT EXECUTE FUNCTION announce()`

const everyone = Array.from({ length: count }, (_, index) => index)

it.scopedLive(
  `kill -9 at random points of ${count} answers leaves each with all of its effects or none, and loses none that was confirmed`,
  ({ task }) =>
    Effect.gen(function* () {
      const shop = yield* scopedWorkshop
      const database = yield* TestPostgres.addressed
      const context = yield* Layer.build(database.layer)
      yield* Effect.gen(function* () {
        const sql = yield* PgClient.PgClient
        const log = yield* AuditLog
        const { id, slug } = yield* Seed.workspace
        yield* Seed.load(slug, Scene.waiting(everyone.map((index) => Scene.pick(sorts, index).question)))
        const tokens = yield* Effect.replicateEffect(Seed.token(slug, ["write"]), Math.ceil(count / 40))
        yield* sql.unsafe(announce)
        let onCommitted = () => {}
        yield* Effect.forkScoped(Stream.runForEach(sql.listen("committed"), () => Effect.sync(() => onCommitted())))

        const start = Effect.promise(async () => {
          const secret = Buffer.alloc(32, 7).toString("base64")
          const service = shop.node({ DATABASE_URL: database.url, SECRET_KEY: secret, PORT: "0" })
          return { service, url: await addressOf(service) }
        })
        /** The response, or null when the service ended before it came. */
        const post = (url: string, index: number): Promise<Answer | null> =>
          Scene.resolve(url, Scene.pick(tokens, index).value, Scene.decisionKey(index), {
            optionId: Scene.pick(sorts, index).question.actions[0],
            note: `Because ${index}`,
            idempotencyKey: `answer-${index}`
          }).catch(() => null)

        const confirmed = new Map<number, string>()
        let taken: ReadonlyArray<boolean> = everyone.map(() => false)
        let [cut, cutButTaken] = [0, 0]

        /** Posts unconfirmed answers until the service is gone or none is left. */
        const work = async (url: string) => {
          const left = everyone.filter((index) => !confirmed.has(index)).values()
          const worker = async () => {
            for (const index of left) {
              const answer = await post(url, index)
              if (answer === null) return void cut++
              assert.strictEqual(answer.status, 200, answer.text)
              assert.strictEqual(answer.headers["idempotent-replayed"] === "true", taken[index], `answer ${index}`)
              confirmed.set(index, answer.text)
            }
          }
          await Promise.all(Array.from({ length: atOnce }, worker))
        }

        /** The state after the last connection of a killed service is closed. */
        const examine = Effect.gen(function* () {
          yield* Engine.eventually(
            sql`SELECT FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'gatehouse'`,
            (sessions) => sessions.length === 0
          )
          const seen = (yield* Scene.outcomes(id)).map(isWhole)
          for (const index of confirmed.keys()) assert.isTrue(seen[index], `answer ${index} was confirmed`)
          assert.isNull((yield* log.verify(id)).firstBad)
          return seen
        })

        for (let kill = 0; kill < kills; kill++) {
          const { service, url } = yield* start
          let commits = 1 + Math.floor((random() * count) / (kills + 1))
          onCommitted = () => {
            if (--commits !== 0) return
            // At once, before the response is sent, or anywhere between two commits.
            if (kill % 2 === 0) service.signal("SIGKILL")
            else setTimeout(() => service.signal("SIGKILL"), random() * 30)
          }
          yield* Effect.promise(() => work(url))
          yield* Effect.promise(() => shop.gone(service))
          taken = yield* examine
          cutButTaken += taken.filter((is, index) => is && !confirmed.has(index)).length
        }
        if (inject("full")) assert.isAtLeast(cut, kills)

        onCommitted = () => {}
        const { service, url } = yield* start
        yield* Effect.promise(() => work(url))
        assert.strictEqual(confirmed.size, count)
        for (const index of everyone.filter((index) => index % 5 === 0)) {
          const again = yield* Effect.promise(() => post(url, index))
          assert.deepStrictEqual(
            [again?.status, again?.headers["idempotent-replayed"], again?.text],
            [200, "true", confirmed.get(index)]
          )
        }
        service.signal("SIGKILL")
        assert.isTrue((yield* examine).every(Boolean))
        task.meta.figures = `${count} answers, ${kills} kills; of ${cut} answers cut off ${cutButTaken} had taken effect and were replayed`
      }).pipe(Effect.provide(context))
    }),
  inject("full") ? 1_200_000 : 240_000
)
