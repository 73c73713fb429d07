import { assert, it } from "@effect/vitest"
import { Effect, Either, type Layer } from "effect"
import * as Incidents from "../../application/oncall/Incidents.ts"
import * as Json from "../../application/ports/Json.ts"
import { OnCallStore, type Scope } from "../../application/ports/OnCallStore.ts"
import type { OnCallContext } from "../../domain/oncall/commands/OnCallContext.ts"
import { SignalStore } from "../../application/ports/SignalStore.ts"
import * as Services from "../../application/oncall/Services.ts"
import * as Sources from "../../application/oncall/Sources.ts"
import * as Teams from "../../application/work/Teams.ts"
import { bySystem } from "../../domain/workspace/Actor.ts"
import { AlertView } from "../../domain/oncall/Alert.ts"
import { answered, type Decided } from "../../domain/Change.ts"
import type { IncidentKey } from "../../domain/value/IncidentKey.ts"
import { Incident, incidentFact } from "../../domain/oncall/Incident.ts"
import type { TeamSlug } from "../../domain/workspace/Team.ts"
import { triage } from "../../domain/oncall/Triage.ts"
import type { WorkspaceId } from "../../domain/workspace/Workspace.ts"
import { at as minute, fires, recovers } from "../domain/oncall/TriageScene.ts"
import type { Stores } from "../support/World.ts"
import * as At from "./scenes/OnCallScene.ts"
import { range, rounds } from "../support/Range.ts"

const atOnce = { concurrency: "unbounded" } as const

const [payments, web] = ["payments" as TeamSlug, "web" as TeamSlug]

const tagOf = <A, E extends { readonly _tag: string }, R>(use: Effect.Effect<A, E, R>) =>
  Effect.match(use, { onFailure: ({ _tag }) => _tag, onSuccess: () => "done" })

/** The context that a decider receives; it refuses. */
const handed = (workspace: WorkspaceId, scope: Scope) =>
  Effect.flatMap(OnCallStore, (store) =>
    Effect.flip(store.change(workspace, scope, (at): Either.Either<Decided<never>, OnCallContext> => Either.left(at)))
  )

const told = ({ firing, incidents }: OnCallContext) => ({
  incidents: incidents.map(({ firing: count, incident }) => [incident.title, incident.status, count]),
  firing: firing.map(({ fingerprint }) => fingerprint)
})

export const onCallStoreContract = <E>(adapter: string, layer: Layer.Layer<Stores, E>) =>
  it.layer(layer, { timeout: "60 seconds" })(`OnCallStore (${adapter})`, (it) => {
    it.effect("shows what is set up, by name, and what was deleted as such", () =>
      Effect.gen(function* () {
        const { id, owner } = yield* At.place
        const store = yield* OnCallStore
        yield* Services.create(owner, { team: payments, name: "Billing" })
        yield* At.connect(id, "Datadog", ["checkout", "search"])
        const seen = yield* store.look(id)
        assert.deepStrictEqual((yield* store.sources(id)).sources, seen.sources)
        assert.deepStrictEqual(
          seen.services.map(({ deletedAt, name, team }) => [name, team, deletedAt]),
          [
            ["Billing", payments, null],
            ["checkout", payments, null],
            ["search", web, null]
          ]
        )
        assert.deepStrictEqual(
          seen.sources.map(({ deletedAt, name, services }) => [name, services.length, deletedAt]),
          [
            ["Datadog", 2, null],
            ["grafana", 1, null]
          ]
        )
        assert.deepStrictEqual(
          [seen.teams, seen.members.map(({ email }) => email), seen.places],
          [[payments, web], ["owner@acme.test"], []]
        )
        yield* Services.remove(owner, "billing", "Billing")
        yield* Sources.remove(owner, "datadog", "Datadog")
        yield* Teams.remove(owner, web, web)
        const after = yield* store.look(id)
        assert.deepStrictEqual((yield* store.sources(id)).sources, after.sources)
        assert.deepStrictEqual(
          after.services.map(({ deletedAt, name }) => [name, deletedAt === null]),
          [
            ["Billing", false],
            ["checkout", true],
            ["search", false]
          ]
        )
        assert.deepStrictEqual(
          after.sources.map(({ deletedAt }) => deletedAt === null),
          [false, true]
        )
        assert.deepStrictEqual(after.teams, [payments])
      })
    )

    it.effect("a name stays taken in every case of its letters, also when what had it was deleted", () =>
      Effect.gen(function* () {
        const { owner } = yield* At.place
        const create = (name: string) => tagOf(Services.create(owner, { team: payments, name }))
        assert.deepStrictEqual(yield* Effect.forEach(["checkout", "CHECKOUT", "new"], create), [
          "ServiceNameTaken",
          "ServiceNameTaken",
          "done"
        ])
        yield* Services.remove(owner, "new", "new")
        yield* Teams.remove(owner, web, web)
        assert.deepStrictEqual(yield* Effect.forEach(["New", "search"], create), [
          "ServiceNameTaken",
          "ServiceNameTaken"
        ])
        assert.strictEqual(yield* tagOf(Services.create(owner, { team: web, name: "other" })), "TeamNotFound")
      })
    )

    it.effect("of many that take one name at once, one wins", () =>
      Effect.gen(function* () {
        const place = yield* At.place
        for (const round of rounds(5)) {
          const create = tagOf(Services.create(place.owner, { team: payments, name: `service ${round}` }))
          const ends = yield* Effect.replicateEffect(create, 8, atOnce)
          assert.deepStrictEqual(ends.toSorted(), [...Array.from({ length: 7 }, () => "ServiceNameTaken"), "done"])
        }
        const changes = (yield* At.events(place)).filter((event) => event === "service_changed")
        assert.strictEqual(changes.length, 2 + rounds(5).length)
      })
    )

    it.effect("a refusal changes nothing and leaves no entry", () =>
      Effect.gen(function* () {
        const place = yield* At.place
        yield* At.tell(place, fires("cpu"))
        const before = [yield* At.entries(place), yield* At.incidents(place), yield* At.alerts(place)]
        yield* handed(place.id, { source: "grafana" })
        yield* Effect.flip(Services.remove(place.owner, "checkout", "wrong"))
        assert.deepStrictEqual([yield* At.entries(place), yield* At.incidents(place), yield* At.alerts(place)], before)
      })
    )

    it.effect("hands over open incidents, the one asked for, and what fires of what is asked for", () =>
      Effect.gen(function* () {
        const place = yield* At.place
        const { id } = place
        const other = { ...place, source: yield* At.connect(id, "datadog", ["search"]) }
        yield* At.tell(place, fires("over"), recovers("over"))
        yield* At.tell(place, fires("cpu"), fires("disk"), recovers("disk"), fires("net"))
        yield* At.tell(other, fires("slow"), fires("low", { environment: "x", severity: "low" }))
        const open = [
          ["cpu is wrong", "open", 2],
          ["slow is wrong", "open", 1]
        ]
        const [, cpu, over] = yield* At.incidents(place)
        assert.deepStrictEqual(told(yield* handed(id, {})), { incidents: open, firing: [] })
        const asked = (scope: Scope) => Effect.map(handed(id, scope), told)
        assert.deepStrictEqual(yield* asked({ incident: cpu?.key ?? ("" as never) }), {
          incidents: open,
          firing: ["cpu", "net"]
        })
        assert.deepStrictEqual(yield* asked({ incident: over?.key ?? ("" as never) }), {
          incidents: [["over is wrong", "resolved", 0], ...open],
          firing: []
        })
        assert.deepStrictEqual((yield* asked({ service: "SEARCH" })).firing, ["slow", "low"])
        assert.deepStrictEqual((yield* asked({ source: "Grafana" })).firing, ["cpu", "net"])
        assert.deepStrictEqual((yield* asked({ service: "none", source: "none" })).firing, [])
      })
    )

    it.effect("lists incidents and alerts newest first, as their schemas have them", () =>
      Effect.gen(function* () {
        const place = yield* At.place
        yield* At.tell(place, fires("cpu", { environment: "prod", links: [{ label: "a", url: "https://a.test" }] }))
        yield* At.tell(place, fires("disk", { labels: { host: "Ü" }, description: "full", startedAt: minute(0) }))
        yield* At.tell(place, recovers("disk", { endedAt: minute(1) }), recovers("never", { at: 3 }))
        yield* At.tell(place, fires("cpu", { environment: "prod" }), fires("net", { environment: "prod" }))
        const incidents = yield* At.incidents(place)
        assert.deepStrictEqual(
          incidents.map(({ alerts, environment, service, status, title }) => [
            title,
            service,
            environment,
            status,
            alerts
          ]),
          [
            ["disk is wrong", "checkout", null, "resolved", 1],
            ["cpu is wrong", "checkout", "prod", "open", 2]
          ]
        )
        const all = yield* At.alerts(place)
        assert.deepStrictEqual(
          all.map(({ count, fingerprint, reason, source, stale, status }) => [
            fingerprint,
            source,
            status,
            reason,
            count,
            stale
          ]),
          [
            ["net", "grafana", "firing", "joined", 1, false],
            ["disk", "grafana", "resolved", "recovered", 1, false],
            ["cpu", "grafana", "firing", "opened", 2, false]
          ]
        )
        assert.deepStrictEqual(yield* At.alerts(place, incidents[1]?.key), [all[0], all[2]])
        const store = yield* OnCallStore
        const raw = yield* store.alerts(place.id, incidents[1]?.key as IncidentKey)
        assert.deepStrictEqual(
          raw,
          raw.map((one) => Json.encoder(AlertView)(Json.decoder(AlertView)(one)))
        )
      })
    )

    it.effect("an alert that nobody has spoken of for a day is stale while it fires", () =>
      Effect.gen(function* () {
        const place = yield* At.place
        yield* At.tell(place, fires("cpu"), fires("disk"), recovers("disk"))
        const stale = Effect.map(At.alerts(place), (all) => all.map((alert) => alert.stale))
        yield* At.age(23.9)
        assert.deepStrictEqual(yield* stale, [false, false])
        yield* At.age(0.2)
        assert.deepStrictEqual(yield* stale, [false, true])
        yield* At.tell(place, fires("cpu"))
        assert.deepStrictEqual(yield* stale, [false, false])
      })
    )

    it.effect("a change and the judging of deliveries take turns: neither undoes what the other did", () =>
      Effect.gen(function* () {
        const place = yield* At.place
        const [store, signals] = yield* Effect.all([OnCallStore, SignalStore])
        yield* At.tell(place, fires("cpu"))
        const sign = store.change(place.id, {}, ({ incidents }) => {
          const incident = incidents[0]?.incident as Incident
          const acknowledgedBy = `${incident.acknowledgedBy ?? ""}x`
          const after = new Incident({ ...incident, acknowledgedBy })
          const fact = incidentFact(bySystem, "incident_updated", after)
          return answered({ changed: { incidents: [after] }, audit: [fact] }, undefined)
        })
        for (const round of rounds(4)) {
          yield* Effect.forEach(range(10), (index) => At.send(place, [fires(`disk ${round} ${index}`)]))
          const drain = signals.drain(2, triage)
          yield* Effect.all(range(20).map((turn) => (turn % 2 === 0 ? sign : drain)) as Array<typeof sign>, atOnce)
          while ((yield* drain) > 0);
          const [incident] = yield* At.incidents(place)
          assert.strictEqual(incident?.acknowledgedBy, "x".repeat(10 * (round + 1)))
          assert.strictEqual(incident?.alerts, 1 + 10 * (round + 1))
        }
      })
    )

    it.effect("another workspace with the same names sees and changes nothing of this one", () =>
      Effect.gen(function* () {
        const [place, other] = [yield* At.place, yield* At.place]
        yield* At.tell(place, fires("cpu"))
        const [incident] = yield* At.incidents(place)
        assert.deepStrictEqual([yield* At.incidents(other), yield* At.alerts(other)], [[], []])
        assert.deepStrictEqual(yield* At.alerts(other, incident?.key), [])
        const scope = { incident: incident?.key ?? ("" as never), service: "checkout", source: "grafana" }
        assert.deepStrictEqual(told(yield* handed(other.id, scope)), { incidents: [], firing: [] })
        assert.strictEqual(yield* tagOf(Incidents.resolve(other.owner, scope.incident)), "IncidentNotFound")
        yield* Sources.remove(other.owner, "grafana", "grafana")
        yield* Services.remove(other.owner, "checkout", "checkout")
        assert.deepStrictEqual(
          (yield* At.incidents(place)).map(({ status }) => status),
          ["open"]
        )
        assert.deepStrictEqual(
          (yield* At.alerts(place)).map(({ status }) => status),
          ["firing"]
        )
        yield* At.tell(place, recovers("cpu"))
        assert.strictEqual((yield* At.incidents(place))[0]?.status, "resolved")
      })
    )
  })
