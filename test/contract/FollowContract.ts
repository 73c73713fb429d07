import * as SqlClient from "@effect/sql/SqlClient"
import { assert, it } from "@effect/vitest"
import { DateTime, Duration, Effect, Either, type Layer, Option, TestClock } from "effect"
import * as Json from "../../application/Json.ts"
import * as Members from "../../application/Members.ts"
import { DecisionStore } from "../../application/ports/DecisionStore.ts"
import { OnCallStore } from "../../application/ports/OnCallStore.ts"
import { Inbox } from "../../application/ports/Inbox.ts"
import { StoryStore } from "../../application/ports/StoryStore.ts"
import * as Runs from "../../application/Runs.ts"
import * as Services from "../../application/Services.ts"
import * as Stories from "../../application/Stories.ts"
import { bySystem } from "../../domain/Actor.ts"
import * as Audit from "../../domain/Audit.ts"
import { answered, type Rows } from "../../domain/Change.ts"
import { conclude, type Concluded } from "../../domain/Concluding.ts"
import { DecisionView } from "../../domain/Decision.ts"
import { follow, type Followed } from "../../domain/Following.ts"
import type { IncidentKey } from "../../domain/IncidentKey.ts"
import type { Finding } from "../../domain/Investigation.ts"
import type { Job, JobId, JobKind } from "../../domain/Job.ts"
import { Place } from "../../domain/Place.ts"
import type { RunKey } from "../../domain/RunKey.ts"
import { type StoryKey, StorySummary } from "../../domain/Story.ts"
import type { TeamSlug } from "../../domain/Team.ts"
import { fires, recovers } from "../domain/TriageScene.ts"
import * as Queue from "../jobs/Queue.ts"
import * as People from "../support/People.ts"
import * as Seed from "../support/Seed.ts"
import type { Stores } from "../support/World.ts"
import * as At from "./OnCallPlace.ts"

const range = (count: number) => Array.from({ length: count }, (_, index) => index)
const atOnce = { concurrency: "unbounded" } as const
const page = { limit: 1000, before: null }
const [payments, web] = ["payments" as TeamSlug, "web" as TeamSlug]

type Plan = (at: Followed) => { readonly added: Rows; readonly changed: Rows }

const opened: Plan = (at) => follow(at, { event: "opened", isLater: false }, () => "https://acme.test")

/** Oldest first. */
const jobs = ({ id }: Pick<At.Place, "id">, kind: JobKind) =>
  Effect.map(Queue.all(id), (all) => all.filter((job) => job.kind === kind).toReversed())

const onlyJob = (at: Pick<At.Place, "id">, kind: JobKind) =>
  Effect.map(jobs(at, kind), ([job, ...more]) =>
    job === undefined || more.length > 0 ? assert.fail(`not one job is ${kind}`) : job.id
  )

/** Posting places of teams, as they are kept. */
const addPlaces = (at: At.Place, ...places: ReadonlyArray<readonly [TeamSlug, string, "removed"?]>) =>
  Effect.flatMap(OnCallStore, (store) =>
    store.change(at.id, {}, ({ now }) =>
      answered(
        {
          added: {
            places: places.map(
              ([team, name, removed]) =>
                new Place({
                  team,
                  name,
                  kind: "webhook",
                  address: "sealed",
                  createdAt: now,
                  removedAt: removed === undefined ? null : now
                })
            )
          },
          audit: [Audit.fact(bySystem, "service_changed", { type: "team", id: payments, name: payments })]
        },
        undefined
      )
    )
  )

/** A workspace whose owner is told of incidents, and one that just opened. */
const place = Effect.gen(function* () {
  const at = yield* At.place
  yield* Services.set(at.owner, "checkout", { notify: [Seed.ownerEmail] })
  yield* addPlaces(at, [payments, "ops"])
  yield* At.tell(at, fires("cpu"))
  const [incident] = yield* At.incidents(at)
  return { ...at, incident: incident?.key ?? ("" as IncidentKey), job: yield* onlyJob(at, "follow_incident") }
})

/** What is set up is investigated next. */
const investigated = Effect.gen(function* () {
  const at = yield* place
  yield* (yield* OnCallStore).follow(at.id, at.job, opened)
  return { ...at, job: yield* onlyJob(at, "investigate_incident") }
})

const inboxOf = ({ id, owner }: At.Place) => Effect.flatMap(Inbox, (inbox) => inbox.list(id, owner.member.id))

const everything = (at: At.Place) =>
  Effect.all([Queue.all(at.id), inboxOf(at), At.incidents(at), At.entries(at), decisions(at), stories(at)])

const decisions = ({ id }: Pick<At.Place, "id">) =>
  Effect.map(
    Effect.flatMap(DecisionStore, (store) => store.page(id, { status: null, team: null, run: null }, page)),
    ({ items }) => Json.each(items).map(Json.decoder(DecisionView))
  )

const stories = ({ id }: Pick<At.Place, "id">) =>
  Effect.map(
    Effect.flatMap(StoryStore, (store) => store.page(id, { team: payments, drafts: true }, page)),
    ({ items }) => Json.each(items).map(Json.decoder(StorySummary))
  )

/** Lets hours pass for merges. */
const age = (hours: number) =>
  Effect.flatMap(
    Effect.serviceOption(SqlClient.SqlClient),
    Option.match({
      onNone: () => TestClock.adjust(Duration.hours(hours)),
      onSome: (sql) =>
        Effect.orDie(
          sql.unsafe(`
            UPDATE runs SET merged_at = merged_at - interval '${hours} hours';
            UPDATE jobs SET updated_at = updated_at - interval '${hours} hours'`)
        )
    })
  )

/** A run of a story of its own, that nobody has merged yet. */
const run = (at: Pick<At.Place, "slug" | "owner">, team: TeamSlug, story: string) =>
  Effect.gen(function* () {
    yield* Seed.load(at.slug, { stories: [{ key: story, team, title: story, column: { role: "ready" } }] })
    const { run: started } = yield* Runs.start(at.owner, story as StoryKey)
    yield* Runs.lease(at.owner, { team: null, run: started.key })
    const pullRequest = { url: `https://git.acme.test/${story}`, number: 7 }
    yield* Runs.report(at.owner, started.key, [{ type: "pull_request", pullRequest }])
    return started.key
  })

const merged = (at: Pick<At.Place, "slug" | "owner">, team: TeamSlug, story: string) =>
  Effect.tap(run(at, team, story), (key) => Runs.report(at.owner, key, [{ type: "merged" }]))

/** A job that merges a run, as it ended. */
const merging = (at: Pick<At.Place, "slug">, runKey: RunKey, status: Job["status"]) => {
  const fields = { days: 0, status, runKey }
  return Queue.put(at, ["merge_pull_request"], fields)
}

const evidence = ({ id }: Pick<At.Place, "id">, incident: IncidentKey) =>
  Effect.flatMap(OnCallStore, (store) => store.evidence(id, incident))

const merges = (at: Pick<At.Place, "id">, incident: IncidentKey) =>
  Effect.map(evidence(at, incident), (found) => found?.merges.map(({ runKey }) => runKey))

const inCode: Finding = { summary: "It is in the code.", suspect: null, isCodeCaused: true }

/** Some of what an object holds. */
const has = (actual: object | null | undefined, expected: object) =>
  assert.deepInclude(actual ?? {}, expected as Partial<object>)

export const followContract = <E>(adapter: string, layer: Layer.Layer<Stores, E>) =>
  it.layer(layer, { timeout: "60 seconds" })(`OnCallStore, following (${adapter})`, (it) => {
    it.effect("hands over the incident with whoever and whatever is to be told of it", () =>
      Effect.gen(function* () {
        const at = yield* place
        yield* People.person(at.slug, "member")
        yield* People.person(at.slug, "admin")
        yield* Members.remove(bySystem, { workspace: at.slug, email: People.emailOf("admin") })
        yield* addPlaces(at, [payments, "gone", "removed"], [web, "shop"], [payments, "chat"])
        const other = { ...at, source: yield* At.connect(at.id, "datadog", ["checkout"]) }
        yield* At.connect(at.id, "silent", ["checkout"])
        yield* At.tell(other, fires("disk"))
        yield* At.tell(at, ...range(5).map((index) => fires(`host-${index}`)), recovers("host-3"))
        const seen: Array<Followed> = []
        yield* (yield* OnCallStore).follow(at.id, at.job, (one) => {
          seen.push(one)
          return { added: {}, changed: {} }
        })
        const [handed, ...more] = seen
        assert.deepStrictEqual(more, [])
        assert.deepStrictEqual([handed?.workspace, handed?.decision, handed?.job.id], [at.slug, null, at.job])
        assert.deepStrictEqual(
          [handed?.standing.incident.key, handed?.standing.incident.alerts, handed?.standing.firing],
          [at.incident, 7, 6]
        )
        assert.strictEqual(handed?.service.name, "checkout")
        assert.deepStrictEqual(handed?.members.map(({ email }) => email).toSorted(), [
          "member@acme.test",
          "owner@acme.test"
        ])
        assert.deepStrictEqual(handed?.places.map(({ name }) => name).toSorted(), ["chat", "ops"])
        assert.deepStrictEqual(handed?.sources.map(({ name }) => name).toSorted(), ["datadog", "grafana"])
        assert.deepStrictEqual(
          handed?.alerts.map(({ fingerprint }) => fingerprint),
          ["host-4", "host-3", "host-2", "host-1", "host-0"]
        )
        assert.isAtLeast(new Set(handed?.freshIds).size, 2 * 2 + 2 + 2 + 2)
      })
    )

    it.effect("one of many callers of one job plans it, and everything of the plan is kept", () =>
      Effect.gen(function* () {
        for (const _ of range(5)) {
          const at = yield* place
          let plans = 0
          const plan: Plan = (one) => {
            plans++
            return opened(one)
          }
          const store = yield* OnCallStore
          yield* Effect.replicateEffect(store.follow(at.id, at.job, plan), 8, atOnce)
          assert.strictEqual(plans, 1)
          assert.deepStrictEqual((yield* Queue.all(at.id)).map(({ kind, status }) => `${kind} ${status}`).toSorted(), [
            "follow_incident done",
            "investigate_incident queued",
            "notify_member queued",
            "post_to_place queued"
          ])
          assert.strictEqual((yield* inboxOf(at)).length, 1)
          let told: unknown
          const [next] = yield* jobs(at, "investigate_incident")
          yield* store.follow(at.id, next?.id ?? at.job, ({ standing: { incident } }) => {
            told = [incident.told, incident.notifiedAt !== null]
            return { added: {}, changed: {} }
          })
          assert.deepStrictEqual(told, ["open", true])
        }
      })
    )

    it.effect("a job that is done, unknown or of another workspace changes nothing", () =>
      Effect.gen(function* () {
        const [at, other] = [yield* place, yield* place]
        const store = yield* OnCallStore
        const never = () => assert.fail("it is asked nevertheless")
        const before = [yield* everything(at), yield* everything(other)]
        yield* store.follow(other.id, at.job, never)
        yield* store.conclude(other.id, at.job, never)
        const unknown = crypto.randomUUID() as string as JobId
        yield* store.follow(at.id, unknown, never)
        yield* store.conclude(at.id, unknown, never)
        assert.deepStrictEqual([yield* everything(at), yield* everything(other)], before)
        yield* store.follow(at.id, at.job, opened)
        const after = yield* everything(at)
        yield* store.follow(at.id, at.job, never)
        yield* store.conclude(at.id, at.job, never)
        assert.deepStrictEqual([yield* everything(at), yield* everything(other)], [after, before[1]])
      })
    )

    it.effect("an incident is investigated by the kinds of its sources, each once", () =>
      Effect.gen(function* () {
        const at = yield* At.place
        const sources = [
          yield* At.connect(at.id, "errors", ["checkout"], { kind: "sentry" }),
          yield* At.connect(at.id, "more errors", ["checkout"], { kind: "sentry" }),
          yield* At.connect(at.id, "silent", ["checkout"], { kind: "datadog" })
        ]
        yield* At.tell(at, fires("cpu", { title: "Checkout is down" }))
        yield* At.tell({ ...at, source: sources[0] ?? at.source }, fires("a"), fires("b"))
        yield* At.tell({ ...at, source: sources[1] ?? at.source }, fires("c"))
        yield* At.tell({ ...at, source: sources[2] ?? at.source }, fires("d", { environment: "elsewhere" }))
        const incident = (yield* At.incidents(at)).find(({ environment }) => environment === null)?.key
        assert.isDefined(incident)
        assert.deepStrictEqual(yield* evidence(at, incident), {
          title: "Checkout is down",
          kinds: ["generic", "sentry"],
          merges: []
        })
        assert.isNull(yield* evidence(yield* At.place, incident))
        assert.isNull(yield* evidence(at, "inc-0000" as IncidentKey))
      })
    )

    it.effect("and by what the team merged in the last day, newest first, whoever says so", () =>
      Effect.gen(function* () {
        const [at, other] = [yield* place, yield* place]
        yield* merged(other, payments, "PAY-1")
        yield* merged(at, web, "WEB-1")
        yield* run(at, payments, "PAY-1")
        for (const [index, status] of (["queued", "running", "failed", "no_adapter"] as const).entries())
          yield* merging(at, yield* run(at, payments, `PAY-${index + 10}`), status)
        assert.deepStrictEqual(yield* merges(at, at.incident), [])
        const reported = yield* merged(at, payments, "PAY-3")
        yield* age(1)
        const done = yield* run(at, payments, "PAY-4")
        yield* merging(at, done, "done")
        yield* age(1)
        const last = yield* merged(at, payments, "PAY-5")
        const found = yield* evidence(at, at.incident)
        assert.deepStrictEqual(
          found?.merges.map(({ pullRequest, runKey, story }) => [runKey, story, pullRequest?.url]),
          [
            [last, "PAY-5", "https://git.acme.test/PAY-5"],
            [done, "PAY-4", "https://git.acme.test/PAY-4"],
            [reported, "PAY-3", "https://git.acme.test/PAY-3"]
          ]
        )
        const [newest, , oldest] = found?.merges.map(({ mergedAt }) => mergedAt.epochMillis) ?? []
        assert.approximately((newest ?? 0) - (oldest ?? 0), Duration.toMillis("2 hours"), 60_000)
        yield* age(21.9)
        assert.deepStrictEqual(yield* merges(at, at.incident), [last, done, reported])
        yield* age(0.2)
        assert.deepStrictEqual(yield* merges(at, at.incident), [last, done])
        yield* age(1)
        assert.deepStrictEqual(yield* merges(at, at.incident), [last])
        yield* age(1)
        assert.deepStrictEqual(yield* merges(at, at.incident), [])
      })
    )

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
        for (const _ of range(5)) {
          const at = yield* investigated
          const store = yield* OnCallStore
          let asked = 0
          const decide = (one: Concluded) => {
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
        const seen: Array<Concluded> = []
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
        for (const round of range(5)) {
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
          range(5 * 12).map((index) => index + 1)
        )
        assert.strictEqual(all.filter(({ title }) => title.startsWith("Fix inc-")).length, 20)
        const noted = (yield* At.incidents(at)).map(({ investigation }) => investigation?.storyKey)
        assert.strictEqual(new Set(noted).size, 20)
        assert.isTrue(noted.every((key) => all.some((story) => story.key === key && story.title.startsWith("Fix"))))
      })
    )
  })
