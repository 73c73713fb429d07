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

const team = { slug: "payments", name: "Payments", keyPrefix: "PAY" }
const story = { team: "payments", title: "Story" }
const decision = { kind: "plan_approval", title: "?", recommendation: "yes", options: Seed.options }
const base = {
  teams: [team, { slug: "web", name: "Web", keyPrefix: "WEB" }],
  stories: [story, { team: "web", title: "Page" }]
}
const uuid = "11111111-2222-4333-8444-555555555555"
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

  const refused = (name: string, document: unknown, path: string) =>
    it.effect(`refuses ${name} at '${path}'`, () =>
      Effect.gen(function* () {
        const { id, slug } = yield* Seed.workspace
        const error = yield* Effect.flip(Seed.load(slug, document))
        assert.strictEqual(error._tag, "InvalidDocument")
        assert.strictEqual("path" in error ? error.path : "", path, error.message)
        assert.strictEqual(yield* (yield* TeamStore).list(id), "[]")
      })
    )
  refused("an array", [], "")
  refused("nothing", {}, "")
  refused("text", "teams", "")
  refused("an unknown list", { ...base, people: [] }, "people")
  refused("an unknown field", { teams: [{ ...team, colour: "red" }] }, "teams[0].colour")
  refused("a team without a name", { teams: [{ slug: "a", keyPrefix: "A" }] }, "teams[0].name")
  refused("a slug with a space", { teams: [{ ...team, slug: "pay ments" }] }, "teams[0].slug")
  refused("two teams of one slug", { teams: [team, { ...team, keyPrefix: "P2" }] }, "teams[1].slug")
  refused("two teams of one prefix", { teams: [team, { ...team, slug: "p2" }] }, "teams[1].keyPrefix")
  refused(
    "a policy without its guard",
    { teams: [{ ...team, policy: { preset: "standard", acceptanceSpecRequired: false } }] },
    "teams[0].policy"
  )
  refused(
    "a pause that contradicts itself",
    { teams: [{ ...team, paused: false, policy: { pausedAt: "2026-01-01" } }] },
    "teams[0].paused"
  )
  refused("a story of no team", { ...base, stories: [{ ...story, team: "nobody" }] }, "stories[0].team")
  refused("a story key of another team", { ...base, stories: [{ ...story, key: "WEB-1" }] }, "stories[0].key")
  refused("a score over 100", { ...base, stories: [{ ...story, readinessScore: 101 }] }, "stories[0].readinessScore")
  refused("an impossible date", { ...base, stories: [{ ...story, createdAt: "2026-02-30" }] }, "stories[0].createdAt")
  refused("NUL", { ...base, stories: [{ ...story, title: "a\u0000" }] }, "stories[0].title")
  refused("a run of no story", { ...base, runs: [{ story: "PAY-9" }] }, "runs[0].story")
  refused("a run of another team", { ...base, runs: [{ story: "PAY-1", team: "web" }] }, "runs[0].team")
  refused("an unknown status", { ...base, runs: [{ story: "PAY-1", status: "busy" }] }, "runs[0].status")
  refused("attempts without a list", { ...base, runs: [{ story: "PAY-1", attempts: 2 }] }, "runs[0].attempts")
  refused(
    "attempts out of order",
    { ...base, runs: [{ story: "PAY-1", attemptList: [{ attempt: 2 }] }] },
    "runs[0].attemptList[0].attempt"
  )
  refused(
    "a status its attempts deny",
    { ...base, runs: [{ story: "PAY-1", status: "failed", attemptList: [{ status: "running" }] }] },
    "runs[0].status"
  )
  refused(
    "one option",
    { ...base, decisions: [{ ...decision, team: "web", options: Seed.options.slice(0, 1) }] },
    "decisions[0].options"
  )
  refused(
    "an action of another kind",
    { ...base, decisions: [{ ...decision, team: "web", kind: "clarification" }] },
    "decisions[0].options[0].action"
  )
  refused(
    "a recommendation that is no option",
    { ...base, decisions: [{ ...decision, team: "web", recommendation: "z" }] },
    "decisions[0].recommendation"
  )
  refused("a decision without a place among several teams", { ...base, decisions: [decision] }, "decisions[0].team")
  refused(
    "a story that is not its run's",
    {
      ...base,
      runs: [{ story: "PAY-1", key: "run-aaaa" }],
      decisions: [{ ...decision, run: "run-aaaa", story: "WEB-1" }]
    },
    "decisions[0].story"
  )
  refused(
    "a team that is not its story's",
    { ...base, decisions: [{ ...decision, story: "PAY-1", team: "web" }] },
    "decisions[0].team"
  )
  refused("a run that is not there", { ...base, decisions: [{ ...decision, run: "run-zzzz" }] }, "decisions[0].run")
  refused(
    "a note of 4,001 characters",
    {
      ...base,
      decisions: [
        { ...decision, team: "web", status: "resolved", resolution: { optionId: "yes", note: "😀".repeat(4001) } }
      ]
    },
    "decisions[0].resolution.note"
  )
  refused(
    "a resolved decision without its resolution",
    { ...base, decisions: [{ ...decision, team: "web", status: "resolved" }] },
    "decisions[0].resolution"
  )
  refused(
    "a resolved decision whose resolution is null",
    { ...base, decisions: [{ ...decision, team: "web", status: "resolved", resolution: null }] },
    "decisions[0].resolution"
  )
  refused(
    "an answer to a pending decision",
    { ...base, decisions: [{ ...decision, team: "web", resolvedVia: "app" }] },
    "decisions[0].resolvedVia"
  )
  refused(
    "a tracker without a web address",
    { ...base, stories: [{ ...story, tracker: { platform: "jira", key: "P-1", url: "javascript:1" } }] },
    "stories[0].tracker.url"
  )
  refused(
    "two stories of one id",
    {
      ...base,
      stories: [
        { ...story, id: uuid },
        { ...story, id: uuid }
      ]
    },
    "stories[1].id"
  )
  refused(
    "two teams of one id",
    {
      teams: [
        { ...team, id: uuid },
        { slug: "web", name: "Web", keyPrefix: "WEB", id: uuid }
      ]
    },
    "teams[1].id"
  )
  refused("a service of no team", { ...base, services: [{ team: "nobody", name: "api" }] }, "services[0].team")
  refused(
    "an unknown time zone",
    {
      ...base,
      services: [
        {
          team: "web",
          name: "api",
          settings: { hours: { days: ["mon"], start: "22:00", end: "06:00", timeZone: "Mars/Olympus" } }
        }
      ]
    },
    "services[0].settings.hours.timeZone"
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
