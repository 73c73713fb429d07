import { assert, it } from "@effect/vitest"
import { DateTime, Effect, type Layer, Redacted, type Schema } from "effect"
import * as Json from "../../application/ports/Json.ts"
import { type AlertFilter, type IncidentFilter, OnCallStore } from "../../application/ports/OnCallStore.ts"
import type { Page } from "../../application/ports/Page.ts"
import { StoryBrief, StoryStore } from "../../application/ports/StoryStore.ts"
import { TeamStore } from "../../application/ports/TeamStore.ts"
import { WorkspaceStore } from "../../application/ports/WorkspaceStore.ts"
import * as FollowIncident from "../../application/oncall/FollowIncident.ts"
import * as Incidents from "../../application/oncall/Incidents.ts"
import * as Places from "../../application/oncall/Places.ts"
import * as Services from "../../application/oncall/Services.ts"
import * as Teams from "../../application/work/Teams.ts"
import * as Workspaces from "../../application/workspace/Workspaces.ts"
import { bySystem } from "../../domain/workspace/Actor.ts"
import { AlertView } from "../../domain/oncall/Alert.ts"
import { IncidentHistory, IncidentView } from "../../domain/oncall/Incident.ts"
import type { IncidentKey } from "../../domain/value/IncidentKey.ts"
import type { StoryKey } from "../../domain/work/Story.ts"
import { StoryDetail } from "../../domain/work/Story.ts"
import { Team, type TeamSlug } from "../../domain/workspace/Team.ts"
import { fires } from "../domain/oncall/TriageScene.ts"
import * as Queue from "../jobs/Queue.ts"
import * as Equipment from "../support/Equipment.ts"
import * as Seed from "../support/Seed.ts"
import type { Stores } from "../support/World.ts"
import * as At from "./scenes/OnCallScene.ts"

const everything = { limit: 1000, before: null }
const anyIncident: IncidentFilter = { status: null, service: null, since: null }
const anyAlert: AlertFilter = { incident: null, source: null, status: null }

/** Stored text decodes by the schema and has keys in the schema's order. */
const faithful = <A, I>(schema: Schema.Schema<A, I>) => {
  const [decode, encode] = [Json.decoder(schema), Json.encoder(schema)]
  return (text: Json.Json<A>) => {
    assert.strictEqual(JSON.stringify(JSON.parse(text)), encode(decode(text)))
    return decode(text)
  }
}

const titles = <A extends { readonly title: string }, I>(schema: Schema.Schema<A, I>, { items }: Page<A>) =>
  Json.each(items)
    .map(faithful(schema))
    .map(({ title }) => title)

const tagOf = <A, E extends { readonly _tag: string }>(use: Effect.Effect<A, E>) =>
  Effect.match(use, { onFailure: ({ _tag }) => _tag, onSuccess: () => "found" })

/** A workspace with three incidents, the first of which is resolved, and the last of another service. */
const scene = Effect.gen(function* () {
  const at = yield* At.place
  const other = yield* At.connect(at.id, "Datadog", ["search"])
  yield* At.tell(at, fires("one", { environment: "a", title: "One" }))
  yield* At.tell(at, fires("two", { environment: "b", title: "Two" }))
  yield* At.tell({ ...at, source: other }, fires("three", { environment: "c", title: "Three" }))
  const [three, two, one] = yield* At.incidents(at)
  if (!one || !two || !three) return assert.fail("there are no incidents")
  yield* Incidents.resolve(at.owner, one.key)
  return { ...at, one, two, three }
})

export const listContract = <E>(adapter: string, layer: Layer.Layer<Stores, E>) =>
  it.layer(layer, { timeout: "60 seconds" })(`lists (${adapter})`, (it) => {
    it.effect("an incident is found by its key, in its own workspace alone", () =>
      Effect.gen(function* () {
        const { id, two } = yield* scene
        const elsewhere = yield* At.place
        const store = yield* OnCallStore
        assert.deepStrictEqual(faithful(IncidentView)(yield* store.incident(id, two.key)), two)
        assert.strictEqual(yield* tagOf(store.incident(elsewhere.id, two.key)), "IncidentNotFound")
        assert.strictEqual(yield* tagOf(store.incident(id, "inc-0000" as IncidentKey)), "IncidentNotFound")
      })
    )

    it.effect(
      "the history of an incident has its entries, inbox notices and messages, in its own workspace alone",
      () =>
        Effect.gen(function* () {
          const at = yield* At.place
          yield* Places.add(at.owner, {
            team: "payments" as TeamSlug,
            name: "chat",
            address: Redacted.make("https://chat.example.com/hook")
          })
          yield* Services.set(at.owner, "checkout", { notify: [Seed.ownerEmail] })
          yield* At.tell(at, fires("cpu"))
          const [incident] = yield* At.incidents(at)
          const [job] = yield* Queue.all(at.id)
          if (!incident || !job) return assert.fail("there is no incident")
          yield* FollowIncident.follow({ workspace: at.id, job })
          yield* Incidents.note(at.owner, incident.key, "The disk was full.")
          const store = yield* OnCallStore
          const history = faithful(IncidentHistory)(yield* store.history(at.id, incident.key))
          assert.deepStrictEqual(
            history.entries.map(({ details, event }) => [event, details["note"]]),
            [
              ["incident_updated", "The disk was full."],
              ["incident_opened", undefined]
            ]
          )
          assert.deepStrictEqual(
            history.notified.map(({ event, member, name, readAt }) => [member, name, event, readAt]),
            [[at.owner.member.id, "Olga Owner", "opened", null]]
          )
          assert.deepStrictEqual(
            history.sent.map(({ event, kind, status, to }) => [kind, to, event, status]),
            [
              ["post_to_place", "chat", "opened", "queued"],
              ["notify_member", "Olga Owner", "opened", "queued"]
            ]
          )
          const elsewhere = yield* At.place
          const nothing = { entries: [], notified: [], sent: [] }
          for (const [workspace, key] of [
            [elsewhere.id, incident.key] as const,
            [at.id, "inc-0000" as IncidentKey] as const
          ])
            assert.deepStrictEqual(faithful(IncidentHistory)(yield* store.history(workspace, key)), nothing)
        }).pipe(Effect.provide(Equipment.layer))
    )

    it.effect("incidents are listed newest first, by status, service and time", () =>
      Effect.gen(function* () {
        const { id, two } = yield* scene
        const store = yield* OnCallStore
        const list = (filter: Partial<IncidentFilter>) =>
          Effect.map(store.incidentPage(id, { ...anyIncident, ...filter }, everything), (page) =>
            titles(IncidentView, page)
          )
        assert.deepStrictEqual(yield* list({}), ["Three", "Two", "One"])
        assert.deepStrictEqual(yield* list({ status: "open" }), ["Three", "Two"])
        assert.deepStrictEqual(yield* list({ status: "resolved" }), ["One"])
        assert.deepStrictEqual(yield* list({ service: "CHECKOUT" }), ["Two", "One"])
        assert.deepStrictEqual(yield* list({ service: "nothing" }), [])
        assert.deepStrictEqual(yield* list({ status: "open", service: "checkout" }), ["Two"])
        assert.include(yield* list({ since: two.openedAt }), "Two")
        assert.deepStrictEqual(yield* list({ since: DateTime.add(two.openedAt, { days: 1 }) }), [])
        assert.deepStrictEqual(yield* list({ since: DateTime.unsafeMake(0) }), ["Three", "Two", "One"])
      })
    )

    it.effect("alerts are listed newest first, by incident, source and status", () =>
      Effect.gen(function* () {
        const { id, two } = yield* scene
        const store = yield* OnCallStore
        const list = (filter: Partial<AlertFilter>) =>
          Effect.map(store.alertPage(id, { ...anyAlert, ...filter }, everything), (page) => titles(AlertView, page))
        assert.deepStrictEqual(yield* list({}), ["Three", "Two", "One"])
        assert.deepStrictEqual(yield* list({ source: "datadog" }), ["Three"])
        assert.deepStrictEqual(yield* list({ source: "nothing" }), [])
        assert.deepStrictEqual(yield* list({ status: "resolved" }), ["One"])
        assert.deepStrictEqual(yield* list({ status: "firing", source: "grafana" }), ["Two"])
        assert.deepStrictEqual(yield* list({ incident: two.key }), ["Two"])
      })
    )

    it.effect("pages of incidents and alerts are the list, no row twice", () =>
      Effect.gen(function* () {
        const { id } = yield* scene
        const store = yield* OnCallStore
        const walk = <A extends { readonly title: string }, I>(
          schema: Schema.Schema<A, I>,
          read: (page: { readonly limit: number; readonly before: bigint | null }) => Effect.Effect<Page<A>>
        ) =>
          Effect.gen(function* () {
            const seen: Array<ReadonlyArray<string>> = []
            let before: bigint | null = null
            do {
              const page: Page<A> = yield* read({ limit: 2, before })
              seen.push(titles(schema, page))
              before = page.next
            } while (before !== null)
            return seen
          })
        const pages = [["Three", "Two"], ["One"]]
        assert.deepStrictEqual(yield* walk(IncidentView, (page) => store.incidentPage(id, anyIncident, page)), pages)
        assert.deepStrictEqual(yield* walk(AlertView, (page) => store.alertPage(id, anyAlert, page)), pages)
      })
    )

    it.effect("a team is read whole: its policy, its repositories and its tracker", () =>
      Effect.gen(function* () {
        const { id, owner } = yield* At.place
        const store = yield* TeamStore
        const slug = "payments" as TeamSlug
        yield* Teams.set(owner, slug, {
          repositories: ["https://git.acme.test/pay", "https://git.acme.test/fees"]
        })
        yield* Teams.setPolicy(owner, slug, { settings: { deniedPaths: ["infra/**"] } })
        const team = faithful(Team)(yield* store.whole(id, slug))
        assert.deepStrictEqual([...team.repositories], ["https://git.acme.test/pay", "https://git.acme.test/fees"])
        assert.isNull(team.trackerProject)
        assert.isTrue(team.policy?.deniedPaths.includes("infra/**"))
        assert.strictEqual(yield* tagOf(store.whole(id, "nobody" as TeamSlug)), "TeamNotFound")
        assert.strictEqual(yield* tagOf(store.whole((yield* Seed.workspace).id, slug)), "TeamNotFound")
      })
    )

    it.effect("a story is read with its Demonstrate block, its test plan and the reason for its return", () =>
      Effect.gen(function* () {
        const { id, slug } = yield* Seed.workspace
        const [first] = Seed.small.stories
        yield* Seed.load(slug, { teams: Seed.small.teams, stories: [{ ...first, testPlan: "By hand" }] })
        const store = yield* StoryStore
        const key = "PAY-1" as StoryKey
        const story = faithful(StoryDetail)(yield* store.detail(id, key))
        assert.deepStrictEqual(
          [[...story.demonstrate], story.testPlan, story.returnNote, story.runKeys],
          [["Refund 5 of 10"], "By hand", null, []]
        )
        assert.strictEqual(yield* tagOf(store.detail(id, "PAY-9" as StoryKey)), "StoryNotFound")
        assert.strictEqual(yield* tagOf(store.detail((yield* Seed.workspace).id, key)), "StoryNotFound")
      })
    )

    it.effect("a story is read with its team and the decisions of its last run alone", () =>
      Effect.gen(function* () {
        const { id, slug } = yield* Seed.workspace
        const runs = [
          { key: "run-cccc", story: "PAY-1", status: "failed" },
          { key: "run-dddd", story: "PAY-1", status: "running", stage: "implementing" }
        ]
        const [asked] = Seed.small.decisions
        const decisions = ["run-cccc", "run-dddd", "run-dddd"].map((run, n) => ({
          ...asked,
          key: `dec-cc${n + 2}c`,
          run
        }))
        yield* Seed.load(slug, { teams: Seed.small.teams, stories: Seed.small.stories, runs, decisions })
        const store = yield* StoryStore
        const keys = ["PAY-1" as StoryKey, "PAY-2" as StoryKey, "WEB-1" as StoryKey]
        const found = yield* Effect.forEach(keys, (key) => Effect.map(store.brief(id, key), faithful(StoryBrief)))
        assert.deepStrictEqual(
          found.map((one) => [one.story.key, one.team.slug, one.decisions.map(({ key }) => key)]),
          [
            ["PAY-1", "payments", ["dec-cc4c", "dec-cc3c"]],
            ["PAY-2", "payments", []],
            ["WEB-1", "web", []]
          ]
        )
        assert.strictEqual(yield* tagOf(store.brief(id, "PAY-9" as StoryKey)), "StoryNotFound")
        assert.strictEqual(yield* tagOf(store.brief((yield* Seed.workspace).id, "PAY-1" as StoryKey)), "StoryNotFound")
      })
    )

    it.effect("the operator lists workspaces by slug, page by page, without deleted ones", () =>
      Effect.gen(function* () {
        const made = yield* Effect.all([Seed.workspace, Seed.workspace, Seed.workspace])
        const [one, two, three] = made.map(({ slug }) => slug).toSorted((a, b) => (a < b ? -1 : 1))
        if (!one || !two || !three) return assert.fail("there are no workspaces")
        yield* Seed.load(one, { teams: Seed.small.teams })
        yield* Workspaces.remove(bySystem, { slug: two, confirm: two })
        const store = yield* WorkspaceStore
        const all = yield* store.list(null, 1000)
        const slugs = all.map(({ workspace }) => workspace.slug)
        assert.deepStrictEqual(
          slugs,
          slugs.toSorted((a, b) => (a < b ? -1 : 1))
        )
        const ours = all.filter(({ workspace }) => [one, two, three].includes(workspace.slug))
        assert.deepStrictEqual(
          ours.map(({ members, teams, workspace }) => [workspace.slug, members, teams]),
          [
            [one, 1, 2],
            [three, 1, 0]
          ]
        )
        const [next] = yield* store.list(one, 1)
        assert.strictEqual(next?.workspace.slug, slugs[slugs.indexOf(one) + 1])
      })
    )
  })
