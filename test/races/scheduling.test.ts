import { SqlClient } from "@effect/sql"
import { assert, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { inject } from "vitest"
import { AuditLog } from "../../application/ports/AuditLog.ts"
import * as Runs from "../../application/work/Runs.ts"
import * as Scheduler from "../../application/work/Scheduler.ts"
import type { RunKey } from "../../domain/value/RunKey.ts"
import type { StoryKey } from "../../domain/work/Story.ts"
import type { WorkspaceId } from "../../domain/workspace/Workspace.ts"
import * as People from "../support/People.ts"
import * as Seed from "../support/Seed.ts"
import type { Stores } from "../support/World.ts"
import * as Scene from "./Scene.ts"
import { long } from "../support/Long.ts"

const [teams, storiesEach] = inject("full") ? [20, 30] : [4, 6]
const most = 3
const anyRun = { team: null, run: null }

const names = Array.from({ length: teams }, (_, index) => `team-${index}`)
const ready = {
  teams: names.map((slug, index) => ({
    slug,
    name: slug,
    keyPrefix: `T${index}`,
    policy: { preset: "autonomous", maxConcurrency: most }
  })),
  stories: names.flatMap((team, index) =>
    Array.from({ length: storiesEach }, (_, number) => ({
      key: `T${index}-${number + 1}`,
      team,
      title: "Story",
      column: { role: "ready" }
    }))
  )
}

interface Step {
  readonly team: string
  readonly run: RunKey
  readonly before: string | null
  readonly after: string
}

/** Changes of runs, in the order of their commits. */
const steps = (workspace: WorkspaceId) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql<Step>`
      SELECT team, run_key AS run, details->'before'->>'status' AS before, details->'after'->>'status' AS after
      FROM audit_entries WHERE workspace_id = ${workspace} AND event = 'run_state_changed'
        AND details->>'imported' IS NULL ORDER BY seq`
  )

long(() => {
  it.scopedLive(
    "many ticks at once fill every team up to its limit and no further",
    () =>
      Effect.gen(function* () {
        const contexts = yield* Scene.instances(4)
        for (let round = 0; round < (inject("full") ? 10 : 1); round++) {
          const { id, slug } = yield* Effect.provide(Seed.workspace, Scene.pick(contexts, 0))
          yield* Effect.provide(Seed.load(slug, ready), Scene.pick(contexts, 0))
          yield* Effect.forEach(
            Array.from({ length: 12 }, (_, turn) => Scene.pick(contexts, turn)),
            (context) => Effect.provide(Scheduler.tick(), context),
            { concurrency: "unbounded" }
          )
          const taken = yield* Effect.flatMap(
            SqlClient.SqlClient,
            (sql) => sql`
            SELECT team, count(*)::int AS runs, count(DISTINCT story)::int AS stories
            FROM runs WHERE workspace_id = ${id} GROUP BY team ORDER BY team COLLATE "C"`
          ).pipe(Effect.provide(Scene.pick(contexts, 1)))
          assert.deepStrictEqual(
            taken,
            names.toSorted().map((team) => ({ team, runs: most, stories: most }))
          )
        }
      }),
    inject("full") ? 300_000 : 60_000
  )
})

long(() => {
  it.scopedLive(
    "four instances that schedule and work at once take each story once and never too many of a team's",
    ({ task }) =>
      Effect.gen(function* () {
        const contexts = yield* Scene.instances(4)
        const { id, slug } = yield* Effect.provide(Seed.workspace, Scene.pick(contexts, 0))
        yield* Effect.provide(Seed.load(slug, ready), Scene.pick(contexts, 0))
        const total = ready.stories.length
        const leased: Array<RunKey> = []
        const worker = Effect.gen(function* () {
          while (leased.length < total) {
            const progress = yield* Runs.lease({ workspace: id }, anyRun)
            if (progress === null) continue
            leased.push(progress.run.key)
            yield* Runs.finish({ workspace: id }, progress.run.key, "succeeded")
          }
        })
        const ticking = yield* Effect.forEach(contexts, (context) =>
          Effect.fork(Effect.provide(Effect.forever(Scheduler.tick()), context))
        )
        yield* Effect.forEach(
          contexts,
          (context) => Effect.provide(Effect.replicateEffect(worker, 3, { concurrency: "unbounded" }), context),
          { concurrency: "unbounded" }
        )
        yield* Effect.forEach(ticking, (tick) => Fiber.interrupt(tick))

        yield* Effect.gen(function* () {
          assert.strictEqual(new Set(leased).size, total)
          const sql = yield* SqlClient.SqlClient
          const [counts] = yield* sql`
            SELECT (SELECT count(*)::int FROM runs WHERE workspace_id = ${id} AND status = 'succeeded') AS succeeded,
              (SELECT count(DISTINCT story)::int FROM runs WHERE workspace_id = ${id}) AS stories,
              (SELECT count(*)::int FROM runs WHERE workspace_id = ${id}) AS runs`
          assert.deepStrictEqual(counts, { succeeded: total, stories: total, runs: total })
          const busy = new Map(names.map((name) => [name, 0]))
          let highest = 0
          for (const { after, before, team } of yield* steps(id)) {
            const now = (busy.get(team) ?? 0) + (before === null ? 1 : after === "succeeded" ? -1 : 0)
            assert.isAtMost(now, most, team)
            busy.set(team, now)
            highest = Math.max(highest, now)
          }
          assert.strictEqual(highest, most)
          assert.isNull((yield* (yield* AuditLog).verify(id)).firstBad)
        }).pipe(Effect.provide(Scene.pick(contexts, 1)))
        task.meta.figures = `${total} stories of ${teams} teams, at most ${most} at once each`
      }),
    inject("full") ? 600_000 : 120_000
  )
})

long(() => {
  it.scopedLive(
    "of many workers that ask for work at once each gets a run of its own",
    () =>
      Effect.gen(function* () {
        const contexts = yield* Scene.instances(4)
        const { id, slug } = yield* Effect.provide(Seed.workspace, Scene.pick(contexts, 0))
        const queued = Array.from({ length: 20 }, (_, index) => ({
          key: Scene.runKey(index),
          story: `T0-${index + 1}`
        }))
        const stories = queued.map(({ story }) => ({ key: story, team: "team-0", title: "Story" }))
        yield* Effect.provide(
          Seed.load(slug, { teams: ready.teams.slice(0, 1), stories, runs: queued }),
          Scene.pick(contexts, 0)
        )
        const leases = yield* Effect.forEach(
          Array.from({ length: 24 }, (_, turn) => Scene.pick(contexts, turn)),
          (context) => Effect.provide(Runs.lease({ workspace: id }, anyRun), context),
          { concurrency: "unbounded" }
        )
        const keys = leases.flatMap((progress) => (progress === null ? [] : [progress.run.key]))
        assert.deepStrictEqual(
          keys.toSorted(),
          queued.map(({ key }) => key)
        )
        const started = yield* Effect.provide(steps(id), Scene.pick(contexts, 1))
        assert.deepStrictEqual(
          started.map(({ after, before, run }) => [run, before, after]).toSorted(),
          keys.toSorted().map((run) => [run, "queued", "running"])
        )
      }),
    60_000
  )
})

it.scopedLive(
  "a story that people start while the scheduler takes it is worked on once",
  () =>
    Effect.gen(function* () {
      const contexts = yield* Scene.instances(4)
      const [team] = ready.teams
      const document = {
        teams: [{ ...team, policy: { preset: "autonomous", maxConcurrency: 50 } }],
        stories: Array.from({ length: 30 }, (_, index) => ({ ...ready.stories[0], key: `T0-${index + 1}` }))
      }
      for (let round = 0; round < (inject("full") ? 20 : 1); round++) {
        const { id, owner } = yield* Effect.gen(function* () {
          const { id, slug } = yield* Seed.workspace
          yield* Seed.load(slug, document)
          return { id, owner: yield* People.person(slug) }
        }).pipe(Effect.provide(Scene.pick(contexts, 0)))
        const starts: ReadonlyArray<Effect.Effect<void, never, Stores>> = document.stories.map(({ key }) =>
          Effect.ignore(Runs.start(owner, key as StoryKey))
        )
        yield* Effect.forEach(
          [Effect.asVoid(Scheduler.tick()), ...starts, Effect.asVoid(Scheduler.tick())],
          (work, turn) => Effect.provide(work, Scene.pick(contexts, turn)),
          { concurrency: "unbounded" }
        )
        const seen = yield* Effect.flatMap(
          SqlClient.SqlClient,
          (sql) => sql`SELECT story, count(*)::int AS runs FROM runs WHERE workspace_id = ${id} GROUP BY story`
        ).pipe(Effect.provide(Scene.pick(contexts, 1)))
        assert.deepStrictEqual(
          seen.filter(({ runs }) => runs !== 1),
          []
        )
        assert.strictEqual(seen.length, document.stories.length)
      }
    }),
  inject("full") ? 300_000 : 60_000
)
