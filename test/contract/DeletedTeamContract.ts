import { assert, it } from "@effect/vitest"
import { DateTime, Effect, Either, type Layer } from "effect"
import * as Decisions from "../../application/work/Decisions.ts"
import * as TriageWorker from "../../application/jobs/TriageWorker.ts"
import { AuditLog } from "../../application/ports/AuditLog.ts"
import { DecisionStore } from "../../application/ports/DecisionStore.ts"
import { RunStore } from "../../application/ports/RunStore.ts"
import { SignalStore } from "../../application/ports/SignalStore.ts"
import { StoryStore } from "../../application/ports/StoryStore.ts"
import { TeamStore } from "../../application/ports/TeamStore.ts"
import * as Teams from "../../application/work/Teams.ts"
import type { Decided } from "../../domain/Change.ts"
import type { DecisionKey } from "../../domain/work/Decision.ts"
import type { RunKey } from "../../domain/value/RunKey.ts"
import type { StoryKey } from "../../domain/work/Story.ts"
import type { TeamSlug } from "../../domain/workspace/Team.ts"
import { triage } from "../../domain/oncall/Triage.ts"
import { fires, recovers } from "../domain/oncall/TriageScene.ts"
import * as People from "../support/People.ts"
import * as Seed from "../support/Seed.ts"
import type { Stores } from "../support/World.ts"
import * as Json from "../../application/ports/Json.ts"
import * as At from "./scenes/OnCallScene.ts"
import { rounds } from "../support/Range.ts"

const everything = { limit: 1000, before: null }
const team = "payments" as TeamSlug
const story = "PAY-1" as StoryKey
const run = "run-aaaa" as RunKey
const decision = "dec-aaaa" as DecisionKey
const anyDecision = { status: null, team: null, run: null }

const keys = (page: { readonly items: string }) =>
  (JSON.parse(page.items) as ReadonlyArray<{ readonly key: string }>).map(({ key }) => key)

const refusal = <A, E, R>(use: Effect.Effect<A, E, R>) =>
  Effect.match(use, {
    onFailure: (error) => (error as { readonly _tag: string })._tag,
    onSuccess: () => "found"
  })

/** Payments has one object of each kind that is searched: a Ready story, a queued run and a due decision. */
const seeded = Effect.gen(function* () {
  const { id, slug } = yield* Seed.workspace
  const [pending, other] = Seed.small.decisions
  const past = DateTime.formatIso(DateTime.subtract(yield* DateTime.now, { days: 400 }))
  yield* Seed.load(slug, {
    ...Seed.small,
    stories: [...Seed.small.stories, { key: "PAY-3", team, title: "Ready", column: { role: "ready" } }],
    runs: [...Seed.small.runs, { key: "run-cccc", story: "PAY-2" }],
    decisions: [pending, other, { ...pending, key: "dec-cccc", run: null, team, createdAt: past, expiresAt: past }]
  })
  return { id, owner: yield* People.person(slug) }
})

export const deletedTeamContract = <E>(adapter: string, layer: Layer.Layer<Stores, E>) =>
  it.layer(layer, { timeout: "60 seconds" })(`a deleted team (${adapter})`, (it) => {
    it.effect("is gone with its stories, runs and decisions, and nobody else's are", () =>
      Effect.gen(function* () {
        const { id, owner } = yield* seeded
        const neighbour = yield* seeded
        yield* Teams.remove(owner, team, team)
        const [teams, stories, runs, decisions] = yield* Effect.all([TeamStore, StoryStore, RunStore, DecisionStore])
        const seen = (): Either.Either<Decided<never>, { readonly _tag: "Seen" }> => Either.left({ _tag: "Seen" })
        const uses = (workspace: typeof id) => ({
          team: refusal(teams.get(workspace, team)),
          stories: refusal(stories.page(workspace, { team, drafts: true }, everything)),
          story: refusal(stories.get(workspace, story)),
          runs: refusal(runs.page(workspace, { team, story: null }, everything)),
          run: refusal(runs.get(workspace, run)),
          decisions: refusal(decisions.page(workspace, { ...anyDecision, team }, everything)),
          decision: refusal(decisions.get(workspace, decision)),
          "change of the team": refusal(teams.change(workspace, team, seen)),
          "change of the workload": refusal(teams.schedule(workspace, team, seen)),
          "change of the story": refusal(stories.change(workspace, story, seen)),
          "change of the run": refusal(runs.change(workspace, run, seen)),
          "change of the decision": refusal(decisions.change(workspace, decision, null, seen))
        })
        assert.deepStrictEqual(yield* Effect.all(uses(id)), {
          team: "TeamNotFound",
          stories: "TeamNotFound",
          story: "StoryNotFound",
          runs: "TeamNotFound",
          run: "RunNotFound",
          decisions: "TeamNotFound",
          decision: "DecisionNotFound",
          "change of the team": "TeamNotFound",
          "change of the workload": "TeamNotFound",
          "change of the story": "StoryNotFound",
          "change of the run": "RunNotFound",
          "change of the decision": "DecisionNotFound"
        })
        for (const [name, outcome] of Object.entries(yield* Effect.all(uses(neighbour.id))))
          assert.strictEqual(outcome, name.startsWith("change") ? "Seen" : "found", name)
        assert.strictEqual(yield* refusal(Teams.remove(owner, team, team)), "TeamNotFound")
      })
    )

    it.effect("is left out of lists, and of what is looked for", () =>
      Effect.gen(function* () {
        const { id, owner } = yield* seeded
        const [teams, stories, runs, decisions] = yield* Effect.all([TeamStore, StoryStore, RunStore, DecisionStore])
        const lists = Effect.all({
          teams: Effect.map(teams.list(id), (all) => Json.each(all).map((one) => JSON.parse(one).slug)),
          runs: Effect.map(runs.page(id, { team: null, story: null }, everything), keys),
          "runs of a story": Effect.map(runs.page(id, { team: null, story }, everything), keys),
          decisions: Effect.map(decisions.page(id, anyDecision, everything), keys),
          "cancelled decisions": Effect.map(
            decisions.page(id, { ...anyDecision, status: "cancelled" }, everything),
            keys
          ),
          "decisions of a run": Effect.map(decisions.page(id, { ...anyDecision, run }, everything), keys),
          due: Effect.map(decisions.due(1000), (due) =>
            due.filter(({ workspace }) => workspace === id).map(({ key }) => String(key))
          ),
          "next run": Effect.map(runs.next(id, { teams: [team], runner: null }), (next) => [next]),
          room: Effect.map(teams.withRoom, (idle) =>
            idle.filter(({ workspace }) => workspace === id).map((one) => String(one.team))
          )
        })
        assert.deepStrictEqual(yield* lists, {
          teams: ["payments", "web"],
          runs: ["run-cccc", "run-bbbb", "run-aaaa"],
          "runs of a story": ["run-aaaa"],
          decisions: ["dec-cccc", "dec-bbbb", "dec-aaaa"],
          "cancelled decisions": [],
          "decisions of a run": ["dec-aaaa"],
          due: ["dec-cccc"],
          "next run": ["run-aaaa" as RunKey],
          room: ["payments"]
        })
        yield* Teams.remove(owner, team, team)
        assert.deepStrictEqual(yield* lists, {
          teams: ["web"],
          runs: ["run-bbbb"],
          "runs of a story": [],
          decisions: ["dec-bbbb"],
          "cancelled decisions": [],
          "decisions of a run": [],
          due: [],
          "next run": [null],
          room: []
        })
        const web = yield* stories.page(id, { team: "web" as TeamSlug, drafts: true }, everything)
        assert.deepStrictEqual(keys(web), ["WEB-1"])
      })
    )

    it.effect("stays in the audit log, whose filter takes its slug, and its slug stays taken", () =>
      Effect.gen(function* () {
        const { id, owner } = yield* seeded
        const log = yield* AuditLog
        const count = (filter: object) =>
          Effect.map(log.page(id, { ...Seed.anyEntry, ...filter }, everything), ({ count }) => count)
        const before = yield* count({ team })
        yield* Teams.remove(owner, team, team)
        assert.strictEqual(yield* count({ team }), before + 5)
        assert.strictEqual(yield* count({ team, event: "team_deleted" }), 1)
        assert.strictEqual(yield* count({ team, event: "decision_cancelled" }), 2)
        assert.strictEqual(yield* count({ team, event: "run_state_changed", actor: "human" }), 2)
        const again = { slug: team, name: "Again", keyPrefix: "AGA", description: null, preset: "standard" } as const
        assert.notStrictEqual(yield* refusal(Teams.create(owner, again)), "found")
        const late = { decision, optionId: "yes", note: null, idempotency: null }
        assert.strictEqual(yield* refusal(Decisions.answer(owner, late)), "DecisionNotFound")
      })
    )

    it.effect("ends its open incidents, by whoever deleted it, and what comes later is about no service", () =>
      Effect.gen(function* () {
        const place = yield* At.place
        const web = { ...place, source: yield* At.connect(place.id, "datadog", ["search"]) }
        yield* At.tell(place, fires("cpu"), fires("disk", { environment: "prod" }))
        yield* At.tell(web, fires("slow"))
        yield* Teams.remove(place.owner, team, team)
        assert.deepStrictEqual(
          (yield* At.incidents(place)).map(({ resolvedAt, status, title }) => [title, status, resolvedAt === null]),
          [
            ["slow is wrong", "open", true],
            ["disk is wrong", "resolved", false],
            ["cpu is wrong", "resolved", false]
          ]
        )
        assert.deepStrictEqual(
          (yield* At.alerts(place)).map(({ explanation, fingerprint, status }) => [fingerprint, status, explanation]),
          [
            ["slow", "firing", (yield* At.alerts(place))[0]?.explanation],
            ["disk", "resolved", "Olga Owner deleted the team Payments."],
            ["cpu", "resolved", "Olga Owner deleted the team Payments."]
          ]
        )
        const told = (yield* At.entries(place)).slice(-3)
        assert.deepStrictEqual(
          told.map(({ actor, entity, event, team: of }) => [event, entity.name, actor.name, of]),
          [
            ["team_deleted", "Payments", "Olga Owner", team],
            ["incident_resolved", "cpu is wrong", "Olga Owner", team],
            ["incident_resolved", "disk is wrong", "Olga Owner", team]
          ]
        )
        yield* At.tell(place, fires("cpu"), fires("net"), recovers("disk"))
        const [last] = yield* At.ledger(place)
        assert.deepStrictEqual(
          last?.verdicts.map(({ verdict }) => verdict),
          ["no_service", "no_service", "nothing_to_recover"]
        )
        assert.strictEqual((yield* At.incidents(place)).length, 3)
      })
    )

    it.effect("leaves no incident open when deliveries are judged meanwhile", () =>
      Effect.gen(function* () {
        for (const round of rounds(5)) {
          const place = yield* At.place
          for (let index = 0; index < 12; index++)
            yield* At.send(place, [fires(`cpu ${index}`, { environment: `${index}` })])
          const drain = Effect.asVoid(Effect.flatMap(SignalStore, (store) => store.drain(1, triage)))
          const deletion = Effect.asVoid(Teams.remove(place.owner, team, team))
          const drains = Array.from({ length: 8 }, () => drain)
          yield* Effect.all([...drains.slice(round), deletion, ...drains], { concurrency: "unbounded" })
          yield* TriageWorker.drain()
          const all = yield* At.incidents(place)
          assert.deepStrictEqual(
            all.filter(({ status }) => status === "open"),
            [],
            `round ${round}`
          )
          const events = yield* At.events(place)
          const count = (wanted: string) => events.filter((event) => event === wanted).length
          assert.deepStrictEqual(
            [count("incident_opened"), count("incident_resolved"), count("signal_received")],
            [all.length, all.length, 12]
          )
        }
      })
    )
  })
