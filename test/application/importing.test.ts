import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Memory from "../../adapters/memory/Memory.ts"
import * as Json from "../../application/ports/Json.ts"
import { DecisionStore } from "../../application/ports/DecisionStore.ts"
import { RunStore } from "../../application/ports/RunStore.ts"
import { StoryStore } from "../../application/ports/StoryStore.ts"
import { TeamStore } from "../../application/ports/TeamStore.ts"
import * as Decision from "../../domain/work/Decision.ts"
import * as Run from "../../domain/work/Run.ts"
import * as Story from "../../domain/work/Story.ts"
import { type TeamSlug, TeamView } from "../../domain/workspace/Team.ts"
import * as Seed from "../support/Seed.ts"
import { base, decision, story, team } from "./importDocument.ts"

const everything = { limit: 100, before: null }

it.layer(Memory.layer)("import", (it) => {
  it.effect("fills in what the API calls null or default", () =>
    Effect.gen(function* () {
      const { id, slug } = yield* Seed.workspace
      yield* Seed.load(slug, { teams: [team], stories: [story], runs: [{ story: "PAY-1" }], decisions: [decision] })
      const [listed] = Json.each(yield* (yield* TeamStore).list(id)).map(Json.decoder(TeamView))
      assert.deepStrictEqual(
        [listed?.policy, listed?.paused, listed?.description, listed?.updatedAt],
        [null, false, null, null]
      )
      const stories = yield* (yield* StoryStore).page(id, { team: "payments" as TeamSlug, drafts: true }, everything)
      const [one] = Json.each(stories.items).map(Json.decoder(Story.StorySummary))
      assert.deepStrictEqual(
        [
          one?.key,
          one?.column,
          one?.draft,
          one?.readinessScore,
          one?.size,
          one?.complexity,
          one?.classOfService,
          one?.tracker
        ],
        ["PAY-1", { id: "backlog", name: "Backlog", role: "backlog" }, false, 0, null, null, "standard", null] as never
      )
      const runs = yield* (yield* RunStore).page(id, { team: null, story: null }, everything)
      const [run] = Json.each(runs.items).map(Json.decoder(Run.RunSummary))
      assert.deepStrictEqual(
        [run?.status, run?.stage, run?.executor, run?.attempts, run?.costCents, run?.budgetCents, run?.failureClass],
        ["queued", "planning", "claude-code", 1, 0, 500, null]
      )
      const decisions = yield* (yield* DecisionStore).page(id, { status: null, team: null, run: null }, everything)
      const [asked] = Json.each(decisions.items).map(Json.decoder(Decision.DecisionView))
      assert.deepStrictEqual(
        [asked?.status, asked?.authority, asked?.team, asked?.story, asked?.runKey, asked?.resolution],
        ["pending", "member", "payments", null, null, null] as never
      )
      assert.deepStrictEqual(
        asked?.options.map((option) => option.recommended),
        [true, false]
      )
      const hours = (Number(asked?.expiresAt?.epochMillis) - Number(asked?.createdAt.epochMillis)) / 3_600_000
      assert.strictEqual(hours, 72)
    })
  )

  it.effect("keeps what a document states, a score and a policy included", () =>
    Effect.gen(function* () {
      const { id, slug } = yield* Seed.workspace
      const policy = {
        preset: "guarded",
        custom: true,
        version: 7,
        executor: "my-agent",
        maxConcurrency: 2,
        budgets: { runCents: 100, dayCents: null, monthCents: 5 },
        planApproval: "never",
        mergePolicy: "verified",
        pausedAt: "2026-01-02T03:04:05.006Z",
        updatedAt: "2026-01-01T00:00:00.000Z"
      }
      yield* Seed.load(slug, {
        teams: [{ ...team, paused: true, policy }],
        stories: [{ ...story, readinessScore: 87.5, column: { role: "ready", name: "Next up" } }],
        runs: [{ story: "PAY-1" }]
      })
      const [listed] = Json.each(yield* (yield* TeamStore).list(id))
      assert.deepStrictEqual(JSON.parse(listed ?? "").policy, policy)
      const stories = yield* (yield* StoryStore).page(id, { team: "payments" as TeamSlug, drafts: true }, everything)
      const one = JSON.parse(stories.items)[0]
      assert.deepStrictEqual([one.readinessScore, one.column], [87.5, { id: "ready", name: "Next up", role: "ready" }])
      const runs = yield* (yield* RunStore).page(id, { team: null, story: null }, everything)
      const run = JSON.parse(runs.items)[0]
      assert.deepStrictEqual([run.budgetCents, run.executor], [100, "my-agent"])
    })
  )

  it.effect("keeps its words short", () =>
    Effect.gen(function* () {
      const { slug } = yield* Seed.workspace
      const error = yield* Effect.flip(Seed.load(slug, { runs: null }))
      assert.isBelow(error.message.length, 150, error.message)
    })
  )

  it.effect("says which words are allowed", () =>
    Effect.gen(function* () {
      const { slug } = yield* Seed.workspace
      const error = yield* Effect.flip(Seed.load(slug, { teams: [{ ...team, policy: { preset: "wild" } }] }))
      assert.strictEqual(
        error.message,
        'teams[0].policy.preset: must be one of "trial", "guarded", "standard", "autonomous", null; got "wild". Nothing was stored.'
      )
    })
  )

  for (const [document, message] of [
    [
      { stories: [{ ...story, column: "review" }] },
      'stories[0].column: must be an object such as {"role":"review"} or null; got "review"'
    ],
    [{ stories: [{ ...story, tracker: 7 }] }, 'stories[0].tracker: must be an object such as {"platform":"github",'],
    [
      { teams: [{ ...team, policy: 7 }] },
      'teams[0].policy: must be an object such as {"preset":"standard"} or null; got 7'
    ],
    [
      { services: [{ team: "web", name: "x", settings: 7 }] },
      'services[0].settings: must be an object such as {"minimumSeverity":"high"}'
    ],
    [
      { services: [{ team: "web", name: "x", settings: { hours: 7 } }] },
      'settings.hours: must be "always" or an object such as {"days":["mon","tue"],'
    ],
    [{ runs: [{ story: 7 }] }, 'runs[0].story: must be string or an object such as {"key":"PAY-12"}; got 7'],
    [{ runs: [{ story: "PAY-1", evidence: 7 }] }, 'runs[0].evidence: must be an object such as {"gates":[{'],
    [
      { decisions: [{ ...decision, resolution: 7 }] },
      'decisions[0].resolution: must be an object such as {"optionId":"yes"}'
    ],
    [
      { decisions: [{ ...decision, options: [7, 7] }] },
      'decisions[0].options[0]: must be an object such as {"id":"yes",'
    ],
    [{ teams: [7] }, 'teams[0]: must be an object such as {"slug":"payments",'],
    [{ stories: {} }, "stories: must be a list; got {}"]
  ] as const)
    it.effect(`names the shape: ${message}`, () =>
      Effect.gen(function* () {
        const { slug } = yield* Seed.workspace
        const error = yield* Effect.flip(Seed.load(slug, document))
        assert.include(error.message, message)
      })
    )

  it.effect("takes a note of 4,000 characters, counted as people count", () =>
    Effect.gen(function* () {
      const { slug } = yield* Seed.workspace
      const resolution = { optionId: "yes", note: "😀".repeat(4000) }
      yield* Seed.load(slug, { ...base, decisions: [{ ...decision, team: "web", status: "resolved", resolution }] })
    })
  )

  it.effect("a decision may name run, story and team together when they agree", () =>
    Effect.gen(function* () {
      const { slug } = yield* Seed.workspace
      const counts = yield* Seed.load(slug, {
        ...base,
        runs: [{ story: "PAY-1", key: "run-aaaa", team: "payments", attempts: 1 }],
        decisions: [{ ...decision, run: "run-aaaa", runKey: "RUN-AAAA", story: "pay-1", team: "Payments" }]
      })
      assert.deepStrictEqual(counts, { teams: 2, services: 0, stories: 2, runs: 1, decisions: 1 })
    })
  )
})
