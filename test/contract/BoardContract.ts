import { assert, it } from "@effect/vitest"
import { Effect, type Layer, Schema } from "effect"
import { DecisionStore } from "../../application/ports/DecisionStore.ts"
import * as Json from "../../application/ports/Json.ts"
import { RunnerStore } from "../../application/ports/runner/RunnerStore.ts"
import { RunStore } from "../../application/ports/RunStore.ts"
import { Board, BoardStory, StoryStore } from "../../application/ports/StoryStore.ts"
import * as Runs from "../../application/work/Runs.ts"
import { type LeaseId } from "../../domain/work/Lease.ts"
import { RunHistory } from "../../domain/work/Run.ts"
import type { TeamSlug } from "../../domain/workspace/Team.ts"
import { payments, run, story } from "../application/house.ts"
import * as People from "../support/People.ts"
import * as Seed from "../support/Seed.ts"
import type { Stores } from "../support/World.ts"

const pay = (number: number, role: string, more: object = {}) => ({
  key: `PAY-${number}`,
  team: "payments",
  title: `Story ${number}`,
  column: { role },
  ...more
})

const asked = { kind: "plan_approval", title: "Plan?", recommendation: "yes", options: Seed.options }

const document = {
  teams: Seed.small.teams,
  stories: [
    pay(1, "in_progress"),
    pay(2, "done"),
    pay(3, "done"),
    pay(4, "done"),
    pay(5, "refining", { draft: true }),
    { key: "WEB-1", team: "web", title: "Elsewhere" }
  ],
  runs: [
    { key: "run-aaaa", story: "PAY-1", status: "failed" },
    { key: "run-bbbb", story: "PAY-1", status: "waiting", stage: "verifying" }
  ],
  decisions: [
    { key: "dec-aaaa", run: "run-bbbb", authority: "admin", ...asked },
    { key: "dec-bbbb", run: "run-aaaa", status: "expired", ...asked },
    { key: "dec-cccc", team: "web", ...asked }
  ]
}

const place = Effect.gen(function* () {
  const { id, slug } = yield* Seed.workspace
  yield* Seed.load(slug, document)
  return { id, slug, owner: yield* People.person(slug) }
})

const same = <A, I>(schema: Schema.Schema<A, I>, json: Json.Json<A>) => {
  const decoded = Json.decoder(schema)(json)
  assert.strictEqual<string>(Json.encoder(schema)(decoded), JSON.stringify(JSON.parse(json)))
  return decoded
}

export const boardContract = <E>(adapter: string, layer: Layer.Layer<Stores, E>) =>
  it.layer(layer)(`boards and histories (${adapter})`, (it) => {
    it.effect("a board has the newest stories of each column, and counts all", () =>
      Effect.gen(function* () {
        const { id } = yield* place
        const store = yield* StoryStore
        const board = same(Board, yield* store.board(id, payments, 2))
        assert.deepStrictEqual(
          board.columns.map(({ count, role, stories }) => [role, count, ...stories.map(({ key }) => key)]),
          [
            ["backlog", 0],
            ["refining", 1, "PAY-5"],
            ["ready", 0],
            ["in_progress", 1, "PAY-1"],
            ["review", 0],
            ["done", 3, "PAY-4", "PAY-3"]
          ]
        )
        assert.deepStrictEqual([board.unfinishedRuns, board.spentTodayCents], [1, 0])
        const [busy] = board.columns[3]?.stories ?? []
        assert.deepStrictEqual(
          [busy?.run, busy?.pending],
          [
            { key: run("run-bbbb"), status: "waiting", stage: "verifying", pullRequest: null },
            { key: "dec-aaaa" as never, authority: "admin" }
          ]
        )
        const refused = yield* Effect.flip(store.board(id, "nobody" as TeamSlug, 2))
        assert.strictEqual(refused._tag, "TeamNotFound")
      })
    )

    it.effect("a column is read page by page", () =>
      Effect.gen(function* () {
        const { id } = yield* place
        const store = yield* StoryStore
        const of = { team: payments, column: "done" } as const
        const decode = Schema.Array(BoardStory)
        const first = yield* store.column(id, of, { limit: 2, before: null })
        assert.deepStrictEqual(
          same(decode, first.items).map(({ key }) => key),
          [story("PAY-4"), story("PAY-3")]
        )
        const rest = yield* store.column(id, of, { limit: 2, before: first.next })
        assert.deepStrictEqual(
          same(decode, rest.items).map(({ key }) => key),
          [story("PAY-2")]
        )
        assert.isNull(rest.next)
      })
    )

    it.effect("the history of a run has its states in order, and the cost of today is on the board", () =>
      Effect.gen(function* () {
        const { id, owner } = yield* place
        const { run: made } = yield* Runs.start(owner, story("PAY-2"))
        yield* Runs.lease(owner, { team: null, run: made.key })
        yield* Runs.report(owner, made.key, [
          { type: "cost", costCents: 40 },
          { type: "stage", stage: "implementing" }
        ])
        yield* Runs.report(owner, made.key, [{ type: "cost", costCents: 50 }])
        yield* Runs.stop(owner, made.key)
        const store = yield* RunStore
        const history = same(RunHistory, yield* store.history(id, made.key))
        assert.deepStrictEqual(
          history.map(({ attempt, stage, status }) => [attempt, status, stage]),
          [
            [1, "queued", "planning"],
            [null, "running", null],
            [null, null, "implementing"],
            [null, "stopped", null]
          ]
        )
        assert.strictEqual(yield* store.history(id, run("run-0000")), "[]")
        const board = same(Board, yield* (yield* StoryStore).board(id, payments, 2))
        assert.strictEqual(board.spentTodayCents, 50)
      })
    )

    it.effect("decisions are found by their story", () =>
      Effect.gen(function* () {
        const { id } = yield* place
        const filter = { status: null, team: null, run: null, story: story("PAY-1") }
        const { items } = yield* (yield* DecisionStore).page(id, filter, { limit: 10, before: null })
        assert.deepStrictEqual(
          (JSON.parse(items) as ReadonlyArray<{ readonly key: string }>).map(({ key }) => key),
          ["dec-bbbb", "dec-aaaa"]
        )
      })
    )

    it.effect("a log is read to its end, from a position or in its newest bytes", () =>
      Effect.gen(function* () {
        const { id } = yield* place
        const store = yield* RunnerStore
        const lease = "7f000000-0000-4000-8000-000000000001" as LeaseId
        for (const [seq, text] of ["one\n", "two\n", "three\n"].entries())
          yield* store.appendLog(id, { run: run("run-aaaa"), attempt: 1, lease, seq, text })
        const of = { run: run("run-aaaa"), attempt: 1 }
        assert.deepStrictEqual(yield* store.log(id, { ...of, after: 0 }), { text: "one\ntwo\nthree\n", next: 14 })
        assert.deepStrictEqual(yield* store.log(id, { ...of, after: 4 }), { text: "two\nthree\n", next: 14 })
        assert.deepStrictEqual(yield* store.log(id, { ...of, after: 0, most: 6 }), { text: "three\n", next: 14 })
        assert.deepStrictEqual(yield* store.log(id, { ...of, after: 14, most: 6 }), { text: "", next: 14 })
      })
    )
  })
