import { assert, describe, inject, it } from "@effect/vitest"
import { Either, FastCheck } from "effect"
import { byService } from "../../../domain/workspace/Actor.ts"
import type { Policy, Settings } from "../../../domain/workspace/Policy.ts"
import type { Run } from "../../../domain/work/Run.ts"
import type { RunKey } from "../../../domain/value/RunKey.ts"
import { schedule, takes, type Workload } from "../../../domain/work/Schedule.ts"
import { columnOf, Story, type StoryKey } from "../../../domain/work/Story.ts"
import type { Team } from "../../../domain/workspace/Team.ts"
import * as Sample from "../Sample.ts"

const stories = (count: number) =>
  Array.from({ length: count }, (_, index) => Sample.story("ready", { key: `PAY-${index + 1}` as StoryKey }))
const keys = (count: number, from = 0) =>
  Array.from({ length: count }, (_, index) => `run-${String(from + index).padStart(4, "0")}` as RunKey)

const budgets = { runCents: 500, dayCents: 1000, monthCents: 5000 }
const policy = (settings: Partial<Settings> = {}) => Sample.policy({ maxConcurrency: 3, budgets, ...settings })
const workload = (more: Partial<Workload> = {}, of: Policy | null = policy(), team: Partial<Team> = {}): Workload => ({
  now: Sample.now,
  team: Sample.team(of, team),
  unfinished: 0,
  spentToday: 0,
  spentThisMonth: 0,
  ready: stories(9),
  freshRuns: keys(9),
  ...more
})
const taken = (at: Workload) => takes(at).map(({ key }) => key)

describe("a team takes up", () => {
  it("the first of what is ready, in the order it is given", () => {
    const [first, second, third, ...rest] = stories(9)
    assert.deepStrictEqual(taken(workload()), [first?.key, second?.key, third?.key])
    const expedite = Sample.story("ready", { key: "PAY-99" as StoryKey, classOfService: "expedite" })
    assert.deepStrictEqual(taken(workload({ ready: [expedite, ...rest] }))[0], expedite.key)
  })

  it.each([
    [0, 3],
    [2, 1],
    [3, 0],
    [4, 0]
  ])("while %i runs are unfinished, %i more", (unfinished, more) =>
    assert.strictEqual(taken(workload({ unfinished })).length, more)
  )

  it("nothing when it may do nothing at once", () =>
    assert.deepStrictEqual(taken(workload({}, policy({ maxConcurrency: 0 }))), []))

  it("nothing while it is paused", () =>
    assert.deepStrictEqual(taken(workload({}, policy(), { pausedAt: Sample.before })), []))

  it("no more than there is", () => assert.deepStrictEqual(taken(workload({ ready: stories(1) })), ["PAY-1"]))

  it("one story at a time without a policy, within the budgets of a guarded team", () => {
    assert.strictEqual(taken(workload({}, null)).length, 1)
    assert.strictEqual(taken(workload({ unfinished: 1 }, null)).length, 0)
    assert.strictEqual(taken(workload({ spentToday: 4999, spentThisMonth: 49_999 }, null)).length, 1)
    assert.strictEqual(taken(workload({ spentToday: 5000 }, null)).length, 0)
    assert.strictEqual(taken(workload({ spentThisMonth: 50_000 }, null)).length, 0)
  })

  const unbound = { runCents: null, dayCents: null, monthCents: null }
  it.each([
    ["a cent is left for the day", { spentToday: 999 }, budgets, 3],
    ["the day's budget is used up", { spentToday: 1000 }, budgets, 0],
    ["more than the day's budget is spent", { spentToday: 1001 }, budgets, 0],
    ["a cent is left for the month", { spentThisMonth: 4999 }, budgets, 3],
    ["the month's budget is used up", { spentThisMonth: 5000 }, budgets, 0],
    ["the day has no budget of its own", { spentToday: 9999, spentThisMonth: 4999 }, { ...budgets, dayCents: null }, 3],
    [
      "the month has no budget of its own",
      { spentThisMonth: 1e9, spentToday: 999 },
      { ...budgets, monthCents: null },
      3
    ],
    ["there is no budget at all", { spentToday: 1e9, spentThisMonth: 1e9 }, unbound, 3],
    ["the budget is nothing", {}, { ...unbound, dayCents: 0 }, 0]
  ])("when %s", (_, spent, caps, count) =>
    assert.strictEqual(taken(workload(spent, policy({ budgets: caps }))).length, count)
  )
})

describe("what is taken up", () => {
  it("is queued, each story in progress under a key of its own", () => {
    const { answer, change } = Either.getOrThrow(schedule(byService)(workload()))
    const started = Either.getOrThrow(answer)
    assert.deepStrictEqual(started, keys(3))
    assert.deepStrictEqual(
      change.added?.runs?.map(({ budgetCents, key, latest, story }) => [key, story, latest.status, budgetCents]),
      started.map((key, index) => [key, `PAY-${index + 1}`, "queued", 500])
    )
    assert.deepStrictEqual(
      change.changed?.stories?.map(({ column, key }) => [key, column.role]),
      started.map((_, index) => [`PAY-${index + 1}`, "in_progress"])
    )
    assert.deepStrictEqual(
      change.audit.map(({ actor, event }) => [actor.type, event]),
      started.flatMap(() => [
        ["service", "run_state_changed"],
        ["service", "story_moved"]
      ])
    )
  })

  it("is nothing to write when it is nothing", () => {
    for (const nothing of [{ ready: [] }, { unfinished: 3 }, { freshRuns: [] }])
      assert.deepStrictEqual(schedule(byService)(workload(nothing)), Either.left("nothing to take"))
  })

  it("waits for the next time where keys are short", () =>
    assert.deepStrictEqual(
      Either.flatMap(schedule(byService)(workload({ freshRuns: keys(2) })), ({ answer }) => answer),
      Either.right(keys(2))
    ))
})

describe("however often it looks", () => {
  const op = FastCheck.record({
    kind: FastCheck.constantFrom("look", "look", "finish", "return", "pause"),
    pick: FastCheck.nat(20),
    maxConcurrency: FastCheck.nat(5),
    spentToday: FastCheck.nat(1200)
  })

  const idle = workload()
  const teams = (pausedAt: Team["pausedAt"]) =>
    [0, 1, 2, 3, 4, 5].map((maxConcurrency) => Sample.team(policy({ maxConcurrency }), { pausedAt }))
  const working = teams(null)
  const paused = teams(Sample.before)

  it(
    "never works on more stories than it may at once, nor on a story twice",
    () =>
      FastCheck.assert(
        FastCheck.property(FastCheck.nat(8), FastCheck.array(op, { maxLength: 40, size: "max" }), (count, ops) => {
          const board = new Map(stories(count).map((story) => [story.key, story]))
          let unfinished: ReadonlyArray<Run> = []
          let made = 0
          let isPaused = false
          for (const { kind, maxConcurrency, pick, spentToday } of ops) {
            if (kind === "pause") isPaused = !isPaused
            if (kind === "finish") unfinished = unfinished.filter((_, index) => index !== pick % unfinished.length)
            if (kind === "return") {
              const story = [...board.values()][pick % Math.max(1, board.size)]
              if (story) board.set(story.key, new Story({ ...story, column: columnOf("ready") }))
            }
            if (kind !== "look") continue
            const busy = new Set(unfinished.map(({ story }) => story))
            const ready = [...board.values()].filter(({ column, key }) => column.role === "ready" && !busy.has(key))
            const team = (isPaused ? paused : working)[maxConcurrency] ?? idle.team
            const freshRuns = keys(9, made)
            const at = { ...idle, team, unfinished: unfinished.length, ready, spentToday, freshRuns }
            const decided = schedule(byService)(at)
            if (Either.isLeft(decided)) continue
            const { added, changed } = decided.right.change
            for (const story of changed?.stories ?? []) board.set(story.key, story)
            unfinished = [...unfinished, ...(added?.runs ?? [])]
            made += added?.runs?.length ?? 0
            assert.isFalse(isPaused)
            assert.isBelow(spentToday, 1000)
            assert.isAtMost(unfinished.length, maxConcurrency)
            assert.strictEqual(new Set(unfinished.map(({ story }) => story)).size, unfinished.length)
            assert.strictEqual(new Set(unfinished.map(({ key }) => key)).size, unfinished.length)
          }
        }),
        { numRuns: inject("full") ? 1000 : 50 }
      ),
    120_000
  )
})
