import { assert, it } from "@effect/vitest"
import { Effect, Either, type Layer } from "effect"
import * as Json from "../../application/ports/Json.ts"
import { DecisionStore } from "../../application/ports/DecisionStore.ts"
import { RunStore } from "../../application/ports/RunStore.ts"
import { StoryStore } from "../../application/ports/StoryStore.ts"
import { TeamStore } from "../../application/ports/TeamStore.ts"
import * as Services from "../../application/oncall/Services.ts"
import * as Runs from "../../application/work/Runs.ts"
import * as Scheduler from "../../application/work/Scheduler.ts"
import * as Stories from "../../application/work/Stories.ts"
import * as Teams from "../../application/work/Teams.ts"
import { bySystem } from "../../domain/workspace/Actor.ts"
import * as Audit from "../../domain/workspace/Audit.ts"
import { answered } from "../../domain/Change.ts"
import type { DecisionKey } from "../../domain/work/Decision.ts"
import { RunSummary, RunView } from "../../domain/work/Run.ts"
import { versionOf } from "../../domain/value/ChangedMeanwhile.ts"
import type { RunKey } from "../../domain/value/RunKey.ts"
import { StorySummary, StoryView, type StoryKey } from "../../domain/work/Story.ts"
import { type TeamSlug, TeamView } from "../../domain/workspace/Team.ts"
import type { WorkspaceId } from "../../domain/workspace/Workspace.ts"
import * as People from "../support/People.ts"
import * as Seed from "../support/Seed.ts"
import type { Stores } from "../support/World.ts"
import { pass } from "./scenes/LeaseScene.ts"

const everything = { limit: 1000, before: null }
const payments = "payments" as TeamSlug
const nothing = "team_not_found" as const

const ready = (key: string, fields: object = {}) => ({
  key,
  team: "payments",
  title: key,
  column: { role: "ready" },
  ...fields
})

const seeded = (document: object) =>
  Effect.gen(function* () {
    const { id, slug } = yield* Seed.workspace
    yield* Seed.load(slug, document)
    return { id, slug, owner: yield* People.person(slug) }
  })

const teamWith = (maxConcurrency: number, stories: ReadonlyArray<object>) => ({
  teams: [{ slug: "payments", name: "Payments", keyPrefix: "PAY", policy: { preset: "standard", maxConcurrency } }],
  stories
})

/** A change with an audit entry alone. */
const noted = {
  audit: [Audit.fact(bySystem, "team_paused", { type: "team", id: "payments", name: "Payments" })]
} as const

const tagOf = <A, E extends { readonly _tag: string }, R>(use: Effect.Effect<A, E, R>) =>
  Effect.match(use, { onFailure: ({ _tag }) => _tag, onSuccess: () => "written" })

const runsOf = (workspace: WorkspaceId) =>
  Effect.gen(function* () {
    const { items } = yield* (yield* RunStore).page(workspace, { team: null, story: null }, everything)
    return Json.each(items).map(Json.decoder(RunSummary)).toReversed()
  })

export const workContract = <E>(adapter: string, layer: Layer.Layer<Stores, E>) =>
  it.layer(layer, { timeout: "60 seconds" })(`teams, stories and runs at work (${adapter})`, (it) => {
    it.effect("a run comes with its team, its story and what is pending about it", () =>
      Effect.gen(function* () {
        const { id } = yield* seeded(Seed.small)
        const seen = yield* (yield* RunStore).change(id, "run-aaaa" as RunKey, (at) => answered(noted, at))
        assert.deepStrictEqual(
          [seen.team.slug, seen.story.key, seen.run.latest.stage, seen.pending.map(({ key }) => key)],
          ["payments", "PAY-1", "implementing", ["dec-aaaa"]]
        )
        assert.isAbove(seen.freshDecisions.length, 7)
        assert.isNull(seen.team.deletedAt)
        const missing = yield* Effect.flip(
          (yield* RunStore).change(id, "run-zzzz" as RunKey, () => answered(noted, nothing))
        )
        assert.strictEqual(missing._tag, "RunNotFound")
      })
    )

    it.effect("of the queued runs expedite comes first, then the oldest, and none of a paused team", () =>
      Effect.gen(function* () {
        const stories = [ready("PAY-1"), ready("PAY-2", { classOfService: "expedite" }), ready("PAY-3")]
        const { id, owner } = yield* seeded(teamWith(9, stories))
        for (const { key } of stories) yield* Runs.start(owner, key as StoryKey)
        const worker = { workspace: id }
        yield* Teams.pause(owner, payments)
        assert.isNull(yield* Runs.lease(worker, { team: null, run: null }))
        yield* Teams.resume(owner, payments)
        const leased = yield* Effect.replicateEffect(Runs.lease(worker, { team: payments, run: null }), 4)
        assert.deepStrictEqual(
          leased.map((one) => one?.story.key ?? null),
          ["PAY-2", "PAY-1", "PAY-3", null]
        )
      })
    )

    it.effect("stories are taken once, in order, up to the team's limit", () =>
      Effect.gen(function* () {
        const stories = [
          ready("PAY-1"),
          ready("PAY-2", { draft: true }),
          ready("PAY-3", { classOfService: "expedite" }),
          ready("PAY-4", { column: { role: "backlog" } }),
          ready("PAY-5"),
          ready("PAY-6")
        ]
        const { id } = yield* seeded(teamWith(3, stories))
        yield* Effect.replicateEffect(Scheduler.tick(), 5, { concurrency: "unbounded" })
        assert.deepStrictEqual(
          (yield* runsOf(id)).map(({ status, story }) => [story.key, status]),
          [
            ["PAY-3", "queued"],
            ["PAY-1", "queued"],
            ["PAY-5", "queued"]
          ]
        )
        const story = Json.decoder(StoryView)(yield* (yield* StoryStore).get(id, "PAY-1" as StoryKey))
        assert.strictEqual(story.column.role, "in_progress")
        assert.isFalse((yield* (yield* TeamStore).withRoom).some(({ workspace }) => workspace === id))
      })
    )

    it.effect("what an attempt that began today costs counts against day and month", () =>
      Effect.gen(function* () {
        const { id, owner } = yield* seeded({
          ...teamWith(5, [ready("PAY-1"), ready("PAY-2", { column: { role: "done" } })]),
          runs: [{ story: "PAY-2", status: "succeeded", costCents: 9000, startedAt: "1969-12-31T23:59:59Z" }]
        })
        const { run } = yield* Runs.start(owner, "PAY-1" as StoryKey)
        yield* Runs.lease({ workspace: id }, { team: null, run: run.key })
        yield* Runs.report({ workspace: id }, run.key, [{ type: "cost", costCents: 70 }])
        const seen = yield* (yield* TeamStore).schedule(id, payments, (at) => answered(noted, at))
        assert.deepStrictEqual([seen.spentToday, seen.spentThisMonth, seen.unfinished], [70, 70, 1])
      })
    )

    it.effect("of two edits of one version at once, one is written and the other is refused", () =>
      Effect.gen(function* () {
        const { id, owner } = yield* seeded(teamWith(1, []))
        const { key, updatedAt } = yield* Stories.create(owner, {
          team: payments,
          title: "Draft",
          column: "backlog",
          draft: true
        })
        yield* pass(1)
        const edits = ["One", "Two"].map((title) => Effect.either(Stories.edit(owner, key, { title }, updatedAt)))
        const ends = yield* Effect.all(edits, { concurrency: "unbounded" })
        const [written, ...more] = ends.flatMap((end) => (Either.isRight(end) ? [end.right] : []))
        const [refused] = ends.flatMap((end) => (Either.isLeft(end) ? [end.left] : []))
        assert.strictEqual(more.length, 0)
        assert.strictEqual(refused?._tag, "StoryChangedMeanwhile")
        const read = Json.decoder(StoryView)(yield* (yield* StoryStore).get(id, key))
        assert.strictEqual(read.title, written?.title)
        yield* Stories.edit(owner, key, { title: "Three" }, read.updatedAt)
      })
    )

    it.effect("of five changes of one version of a policy at once, one is written and four are refused", () =>
      Effect.gen(function* () {
        const { id, owner } = yield* seeded(teamWith(1, []))
        const { policy } = yield* Teams.setPolicy(owner, payments, { settings: { decisionHours: 20 } })
        const changes = [1, 2, 3, 4, 5].map((decisionHours) =>
          tagOf(Teams.setPolicy(owner, payments, { settings: { decisionHours } }, policy.version))
        )
        const ends = yield* Effect.all(changes, { concurrency: "unbounded" })
        assert.deepStrictEqual(ends.toSorted(), [...Array<string>(4).fill("PolicyChangedMeanwhile"), "written"])
        const team = Json.decoder(TeamView)(yield* (yield* TeamStore).get(id, payments))
        assert.strictEqual(team.policy?.version, policy.version + 1)
      })
    )

    it.effect("of two changes of one version of a team or a service at once, one is written", () =>
      Effect.gen(function* () {
        const { id, owner } = yield* seeded(teamWith(1, []))
        const service = yield* Services.create(owner, { team: payments, name: "checkout" })
        const team = Json.decoder(TeamView)(yield* (yield* TeamStore).get(id, payments))
        yield* pass(1)
        const ends = yield* Effect.forEach(
          [1, 2],
          (turn) =>
            Effect.all([
              tagOf(Teams.set(owner, payments, { repositories: [`https://git.test/${turn}`] }, versionOf(team))),
              tagOf(Services.set(owner, "checkout", { observeOnly: turn === 1 }, versionOf(service)))
            ]),
          { concurrency: "unbounded" }
        )
        assert.deepStrictEqual(ends.flat().toSorted(), ["ChangedMeanwhile", "ChangedMeanwhile", "written", "written"])
      })
    )

    it.effect("a rejected draft is gone for readers, and its number is not used again", () =>
      Effect.gen(function* () {
        const { id, owner } = yield* seeded(teamWith(1, []))
        const input = { team: payments, title: "Draft", column: "backlog", draft: true } as const
        const { key } = yield* Stories.create(owner, input)
        yield* Stories.reject(owner, key)
        const store = yield* StoryStore
        assert.strictEqual((yield* Effect.flip(store.get(id, key)))._tag, "StoryNotFound")
        assert.strictEqual((yield* Effect.flip(Stories.edit(owner, key, { title: "Again" })))._tag, "StoryNotFound")
        assert.strictEqual((yield* Stories.create(owner, input)).key, "PAY-2")
        const { items } = yield* store.page(id, { team: payments, drafts: true }, everything)
        assert.deepStrictEqual(
          Json.each(items)
            .map(Json.decoder(StorySummary))
            .map((story) => story.key),
          ["PAY-2"]
        )
      })
    )

    it.effect("with a team go its stories, runs and decisions; what is unfinished ends", () =>
      Effect.gen(function* () {
        const { id, owner } = yield* seeded(Seed.small)
        const before = Json.decoder(RunView)(yield* (yield* RunStore).get(id, "run-aaaa" as RunKey))
        assert.strictEqual(before.status, "running")
        yield* Teams.remove(owner, payments, payments)
        const [decisions, runs, stories, teams] = yield* Effect.all([DecisionStore, RunStore, StoryStore, TeamStore])
        const tags = yield* Effect.all([
          Effect.flip(decisions.get(id, "dec-aaaa" as DecisionKey)),
          Effect.flip(runs.get(id, "run-aaaa" as RunKey)),
          Effect.flip(stories.get(id, "PAY-1" as StoryKey)),
          Effect.flip(teams.get(id, payments)),
          Effect.flip(runs.change(id, "run-aaaa" as RunKey, () => answered(noted, nothing))),
          Effect.flip(decisions.change(id, "dec-aaaa" as DecisionKey, null, () => answered(noted, nothing))),
          Effect.flip(Runs.start(owner, "PAY-1" as StoryKey)),
          Effect.flip(Teams.pause(owner, payments))
        ])
        assert.deepStrictEqual(
          tags.map(({ _tag }) => _tag),
          [
            "DecisionNotFound",
            "RunNotFound",
            "StoryNotFound",
            "TeamNotFound",
            "RunNotFound",
            "DecisionNotFound",
            "StoryNotFound",
            "TeamNotFound"
          ]
        )
        assert.deepStrictEqual(
          (yield* runsOf(id)).map(({ key }) => key),
          ["run-bbbb"]
        )
        const left = yield* decisions.page(id, { status: null, team: null, run: null }, everything)
        assert.strictEqual(left.count, 1)
      })
    )
  })
