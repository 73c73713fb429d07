import {
  atOnce,
  decisions,
  everything,
  has,
  inCode,
  investigated,
  jobs,
  opened,
  payments,
  stories,
  web
} from "./scenes/FollowScene.ts"
import { assert, it } from "@effect/vitest"
import { DateTime, Effect, Either, type Layer } from "effect"
import { OnCallStore } from "../../application/ports/OnCallStore.ts"
import * as Services from "../../application/oncall/Services.ts"
import * as Stories from "../../application/work/Stories.ts"
import { conclude, type FindingContext } from "../../domain/oncall/FindingOutcome.ts"
import type { TeamSlug } from "../../domain/workspace/Team.ts"
import { fires } from "../domain/oncall/TriageScene.ts"
import * as Seed from "../support/Seed.ts"
import type { Stores } from "../support/World.ts"
import * as At from "./scenes/OnCallScene.ts"
import { range, rounds } from "../support/Range.ts"

export const concludeContract = <E>(adapter: string, layer: Layer.Layer<Stores, E>) =>
  it.layer(layer, { timeout: "60 seconds" })(`OnCallStore, concluding (${adapter})`, (it) => {
    it.effect("what is concluded is kept whole: the finding, the question, what follows and the record", () =>
      Effect.gen(function* () {
        const at = yield* investigated
        yield* (yield* OnCallStore).conclude(at.id, at.job, conclude(inCode))
        const [decision, ...more] = yield* decisions(at)
        assert.deepStrictEqual(more, [])
        has(decision, { kind: "maintenance_proposal", status: "pending", team: payments })
        const [incident] = yield* At.incidents(at)
        has(incident?.investigation, { ...inCode, decision: decision?.key, storyKey: null })
        assert.deepStrictEqual(
          (yield* jobs(at, "follow_incident")).map(({ payload, status }) => [
            payload["event"],
            payload["decision"],
            status
          ]),
          [
            ["opened", null, "done"],
            ["asked", decision?.key, "queued"]
          ]
        )
        const [job] = yield* jobs(at, "investigate_incident")
        assert.deepStrictEqual([job?.status, job?.tries], ["done", 1])
        assert.deepStrictEqual((yield* At.events(at)).slice(-2), ["incident_updated", "decision_raised"])
        const asked = (yield* jobs(at, "follow_incident"))[1]
        const seen: Array<string | undefined> = []
        yield* (yield* OnCallStore).follow(at.id, asked?.id ?? at.job, (one) => {
          seen.push(one.decision?.key)
          return { added: {}, changed: {} }
        })
        assert.deepStrictEqual(seen, [decision?.key])
      })
    )

    it.effect("an incident is concluded once, also by many at once", () =>
      Effect.gen(function* () {
        for (const _ of rounds(5)) {
          const at = yield* investigated
          const store = yield* OnCallStore
          let asked = 0
          const decide = (one: FindingContext) => {
            const decided = conclude(inCode)(one)
            if (Either.isRight(decided)) asked++
            return decided
          }
          yield* Effect.replicateEffect(store.conclude(at.id, at.job, decide), 8, atOnce)
          assert.strictEqual(asked, 1)
          assert.strictEqual((yield* decisions(at)).length, 1)
          assert.strictEqual((yield* At.events(at)).filter((event) => event === "incident_updated").length, 1)
          const before = yield* everything(at)
          yield* store.conclude(at.id, at.job, decide)
          assert.deepStrictEqual(yield* everything(at), before)
        }
      })
    )

    it.effect("a conclusion that is refused changes nothing", () =>
      Effect.gen(function* () {
        const at = yield* investigated
        const before = yield* everything(at)
        yield* (yield* OnCallStore).conclude(at.id, at.job, () => Either.left("no"))
        assert.deepStrictEqual(yield* everything(at), before)
      })
    )

    it.effect("what people are asked already is known to whoever concludes, of that team alone", () =>
      Effect.gen(function* () {
        const at = yield* investigated
        const decision = (key: string, team: TeamSlug, status: string) => ({
          key,
          kind: "plan_approval",
          title: key,
          recommendation: "yes",
          options: Seed.options,
          team,
          status
        })
        yield* Seed.load(at.slug, {
          decisions: [
            decision("dec-aaaa", payments, "pending"),
            decision("dec-bbbb", web, "pending"),
            decision("dec-cccc", payments, "expired")
          ]
        })
        const seen: Array<FindingContext> = []
        yield* (yield* OnCallStore).conclude(at.id, at.job, (one) => {
          seen.push(one)
          return Either.left("no")
        })
        assert.deepStrictEqual<unknown>(
          seen.map(({ pending, run, story, team }) => [pending.map(({ key }) => key), run, story, team.slug]),
          [[["dec-aaaa"], null, null, payments]]
        )
        assert.isTrue(seen.every(({ now, job }) => DateTime.greaterThanOrEqualTo(now, job.createdAt)))
      })
    )

    it.effect("the stories of fixes and those written at the same time all have numbers of their own", () =>
      Effect.gen(function* () {
        const at = yield* At.place
        yield* Services.set(at.owner, "checkout", { startFixes: true })
        const store = yield* OnCallStore
        const write = (title: string) =>
          Stories.create(at.owner, { team: payments, title, column: "backlog", draft: false })
        for (const round of rounds(5)) {
          yield* At.tell(
            at,
            ...range(4).map((index) => fires(`${round}-${index}`, { environment: `${round}-${index}` }))
          )
          for (const { id, status } of yield* jobs(at, "follow_incident"))
            if (status === "queued") yield* store.follow(at.id, id, opened)
          const fixes = (yield* jobs(at, "investigate_incident")).filter(({ status }) => status === "queued")
          assert.strictEqual(fixes.length, 4)
          const writing = range(8).map((index) => Effect.asVoid(write(`Story ${round} ${index}`)))
          const fixing = fixes.map(({ id }) => store.conclude(at.id, id, conclude(inCode)))
          yield* Effect.all(
            fixing.flatMap((fix, index) => [fix, ...writing.slice(2 * index, 2 * index + 2)]),
            atOnce
          )
        }
        const all = yield* stories(at)
        assert.deepStrictEqual(
          all.map(({ key }) => Number(key.slice("PAY-".length))).toSorted((a, b) => a - b),
          range(rounds(5).length * 12).map((index) => index + 1)
        )
        assert.strictEqual(all.filter(({ title }) => title.startsWith("Fix inc-")).length, rounds(5).length * 4)
        const noted = (yield* At.incidents(at)).map(({ investigation }) => investigation?.storyKey)
        assert.strictEqual(new Set(noted).size, rounds(5).length * 4)
        assert.isTrue(noted.every((key) => all.some((story) => story.key === key && story.title.startsWith("Fix"))))
      })
    )
  })
