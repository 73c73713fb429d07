import { assert, it } from "@effect/vitest"
import { Effect, type Layer, type Schema } from "effect"
import * as Json from "../../application/ports/Json.ts"
import { AuditLog } from "../../application/ports/AuditLog.ts"
import { DecisionStore } from "../../application/ports/DecisionStore.ts"
import { RunStore } from "../../application/ports/RunStore.ts"
import { StoryStore } from "../../application/ports/StoryStore.ts"
import { TeamStore } from "../../application/ports/TeamStore.ts"
import { RecordedEntry } from "../../domain/workspace/Audit.ts"
import * as Decision from "../../domain/work/Decision.ts"
import * as Run from "../../domain/work/Run.ts"
import type { RunKey } from "../../domain/value/RunKey.ts"
import * as Story from "../../domain/work/Story.ts"
import * as Team from "../../domain/workspace/Team.ts"
import demo from "../../adapters/cli/demo.json" with { type: "json" }
import * as Seed from "../support/Seed.ts"
import type { Stores } from "../support/World.ts"

const everything = { limit: 1000, before: null }
const slug = (text: string) => text as Team.TeamSlug
const storyKey = (text: string) => text as Story.StoryKey
const runKey = (text: string) => text as RunKey
const decisionKey = (text: string) => text as Decision.DecisionKey

/** Stored text decodes by the schema and has keys in the schema's order. */
const faithful = <A, I>(schema: Schema.Schema<A, I>) => {
  const decode = Json.decoder(schema)
  const encode = Json.encoder(schema)
  return (text: Json.Json<A>) => {
    assert.strictEqual(JSON.stringify(JSON.parse(text)), encode(decode(text)))
    return decode(text)
  }
}

/** The refusal's tag, or "found", since the test runner chokes on long texts as errors. */
const refusal = <A, E extends { readonly _tag: string }>(read: Effect.Effect<A, E>) =>
  Effect.match(read, { onFailure: (error) => error._tag, onSuccess: () => "found" })

export const readContract = <E>(adapter: string, layer: Layer.Layer<Stores, E>) =>
  it.layer(layer, { timeout: "60 seconds" })(`reads (${adapter})`, (it) => {
    it.effect("every view of the demo is JSON of its schema, in its order", () =>
      Effect.gen(function* () {
        const { id, slug: name } = yield* Seed.workspace
        const counts = yield* Seed.load(name, demo)
        const teams = Json.each(yield* (yield* TeamStore).list(id)).map(faithful(Team.TeamView))
        assert.strictEqual(teams.length, counts.teams)
        for (const team of teams) {
          faithful(Team.TeamView)(yield* (yield* TeamStore).get(id, team.slug))
          const stories = yield* (yield* StoryStore).page(id, { team: team.slug, drafts: true }, everything)
          for (const { key } of Json.each(stories.items).map(faithful(Story.StorySummary)))
            faithful(Story.StoryView)(yield* (yield* StoryStore).get(id, key))
        }
        const runs = yield* (yield* RunStore).page(id, { team: null, story: null }, everything)
        assert.strictEqual(runs.count, counts.runs)
        for (const { key } of Json.each(runs.items).map(faithful(Run.RunSummary)))
          faithful(Run.RunView)(yield* (yield* RunStore).get(id, key))
        const decisions = yield* (yield* DecisionStore).page(id, { status: null, team: null, run: null }, everything)
        assert.strictEqual(decisions.count, counts.decisions)
        for (const { key } of Json.each(decisions.items).map(faithful(Decision.DecisionView)))
          faithful(Decision.DecisionView)(yield* (yield* DecisionStore).get(id, key))
        const entries = yield* (yield* AuditLog).page(id, Seed.anyEntry, everything)
        Json.each(entries.items).forEach(faithful(RecordedEntry))
      })
    )

    it.effect("teams are sorted by name without regard to ASCII case, then by slug", () =>
      Effect.gen(function* () {
        const { id, slug } = yield* Seed.workspace
        const names = ["beta", "Alpha", "alpha", "Ärger", "Zeta", "_under", "1st", "émile", "😀 smile"]
        const teams = names.map((name, index) => ({ slug: `t${9 - index}`, name, keyPrefix: `T${index}` }))
        yield* Seed.load(slug, { teams })
        const listed = Json.each(yield* (yield* TeamStore).list(id))
          .map(Json.decoder(Team.TeamView))
          .map((team) => team.name)
        assert.deepStrictEqual(listed, [
          "1st",
          "_under",
          "alpha",
          "Alpha",
          "beta",
          "Zeta",
          "Ärger",
          "émile",
          "😀 smile"
        ])
      })
    )

    it.effect("a single object is found by its key, and only in its workspace", () =>
      Effect.gen(function* () {
        const mine = yield* Seed.workspace
        const other = yield* Seed.workspace
        yield* Seed.load(mine.slug, Seed.small)
        const teams = yield* TeamStore
        const stories = yield* StoryStore
        const runs = yield* RunStore
        const decisions = yield* DecisionStore
        yield* teams.get(mine.id, slug("payments"))
        yield* stories.get(mine.id, storyKey("PAY-1"))
        yield* runs.get(mine.id, runKey("run-aaaa"))
        yield* decisions.get(mine.id, decisionKey("dec-aaaa"))
        assert.strictEqual(yield* refusal(teams.get(other.id, slug("payments"))), "TeamNotFound")
        assert.strictEqual(yield* refusal(stories.get(other.id, storyKey("PAY-1"))), "StoryNotFound")
        assert.strictEqual(yield* refusal(runs.get(other.id, runKey("run-aaaa"))), "RunNotFound")
        assert.strictEqual(yield* refusal(decisions.get(other.id, decisionKey("dec-aaaa"))), "DecisionNotFound")
        assert.strictEqual(yield* teams.list(other.id), "[]")
        assert.deepStrictEqual(yield* runs.page(other.id, { team: null, story: null }, everything), {
          items: Json.trust<ReadonlyArray<Run.RunSummary>>("[]"),
          count: 0,
          next: null
        })
      })
    )

    it.effect("lists are newest first and take every filter alone and together", () =>
      Effect.gen(function* () {
        const { id, slug: name } = yield* Seed.workspace
        yield* Seed.load(name, Seed.small)
        const stories = yield* StoryStore
        const runs = yield* RunStore
        const decisions = yield* DecisionStore
        const keys = (page: { readonly items: string }) =>
          (JSON.parse(page.items) as ReadonlyArray<{ readonly key: string }>).map(({ key }) => key)
        const team = slug("payments")
        assert.deepStrictEqual(keys(yield* stories.page(id, { team, drafts: false }, everything)), ["PAY-1"])
        assert.deepStrictEqual(keys(yield* stories.page(id, { team, drafts: true }, everything)), ["PAY-2", "PAY-1"])
        const runsOf = (filter: { team: string | null; story: string | null }) =>
          Effect.map(runs.page(id, filter as never, everything), keys)
        assert.deepStrictEqual(yield* runsOf({ team: null, story: null }), ["run-bbbb", "run-aaaa"])
        assert.deepStrictEqual(yield* runsOf({ team: "payments", story: null }), ["run-aaaa"])
        assert.deepStrictEqual(yield* runsOf({ team: null, story: "WEB-1" }), ["run-bbbb"])
        assert.deepStrictEqual(yield* runsOf({ team: "payments", story: "WEB-1" }), [])
        assert.deepStrictEqual(yield* runsOf({ team: null, story: "PAY-999" }), [])
        const decisionsOf = (filter: { status: string | null; team: string | null; run: string | null }) =>
          Effect.map(decisions.page(id, filter as never, everything), keys)
        const none = { status: null, team: null, run: null }
        assert.deepStrictEqual(yield* decisionsOf(none), ["dec-bbbb", "dec-aaaa"])
        assert.deepStrictEqual(yield* decisionsOf({ ...none, status: "pending" }), ["dec-aaaa"])
        assert.deepStrictEqual(yield* decisionsOf({ ...none, team: "web" }), ["dec-bbbb"])
        assert.deepStrictEqual(yield* decisionsOf({ ...none, run: "run-aaaa" }), ["dec-aaaa"])
        assert.deepStrictEqual(yield* decisionsOf({ status: "expired", team: "web", run: null }), ["dec-bbbb"])
        assert.deepStrictEqual(yield* decisionsOf({ status: "pending", team: "web", run: "run-aaaa" }), [])
        const missing = slug("nobody")
        for (const read of [
          stories.page(id, { team: missing, drafts: true }, everything),
          runs.page(id, { team: missing, story: null }, everything),
          decisions.page(id, { ...none, team: missing } as never, everything)
        ])
          assert.strictEqual(yield* refusal(read as Effect.Effect<unknown, Team.TeamNotFound>), "TeamNotFound")
      })
    )

    it.effect("a run shows its story, attempts and decisions; a story its runs", () =>
      Effect.gen(function* () {
        const { id, slug: name } = yield* Seed.workspace
        const attempt = { executor: "codex", costCents: 10 }
        yield* Seed.load(name, {
          ...Seed.small,
          runs: [
            {
              key: "run-cccc",
              story: "pay-1",
              attemptList: [
                { ...attempt, status: "failed", failureClass: "gate", startedAt: "2026-01-01T00:00:00+02:00" },
                { ...attempt, status: "waiting", stage: "verifying", startedAt: "2026-01-02" }
              ]
            },
            { key: "run-dddd", story: { key: "PAY-1" } }
          ],
          decisions: ["dec-0001", "dec-0002"].map((key) => ({
            key,
            kind: "clarification",
            title: "Which?",
            recommendation: "a",
            options: [
              { id: "a", label: "A", action: "answer" },
              { id: "b", label: "B", action: "abandon" }
            ],
            runKey: "RUN-CCCC"
          }))
        })
        const run = Json.decoder(Run.RunView)(yield* (yield* RunStore).get(id, runKey("run-cccc")))
        assert.deepStrictEqual(run.story, { key: storyKey("PAY-1"), title: "Refund in part" })
        assert.deepStrictEqual(
          [run.status, run.stage, run.attempts, run.costCents, run.failureClass, run.budgetCents],
          ["waiting", "verifying", 2, 20, null, 500]
        )
        assert.strictEqual(JSON.stringify(run.startedAt), '"2025-12-31T22:00:00.000Z"')
        assert.deepStrictEqual(
          run.attemptList.map((one) => one.attempt),
          [1, 2]
        )
        assert.deepStrictEqual(
          run.decisions.map((one) => String(one.key)),
          ["dec-0002", "dec-0001"]
        )
        const story = Json.decoder(Story.StoryView)(yield* (yield* StoryStore).get(id, storyKey("PAY-1")))
        assert.deepStrictEqual(story.runKeys, ["run-dddd", "run-cccc"])
      })
    )
  })
