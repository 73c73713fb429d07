import { Inbox } from "../../application/ports/Inbox.ts"
import type { MemberId } from "../../domain/workspace/Member.ts"
import * as Json from "../../application/ports/Json.ts"
import { Effect, Redacted } from "effect"
import { assert } from "vitest"
import type { Person } from "../../application/workspace/Authorization.ts"
import * as TriageWorker from "../../application/jobs/TriageWorker.ts"
import * as Incidents from "../../application/oncall/Incidents.ts"
import * as Intake from "../../application/oncall/Intake.ts"
import * as Places from "../../application/oncall/Places.ts"
import { OnCallStore } from "../../application/ports/OnCallStore.ts"
import { SignalStore } from "../../application/ports/SignalStore.ts"
import * as Workspaces from "../../application/workspace/Workspaces.ts"
import * as Sources from "../../application/oncall/Sources.ts"
import type { DeliveryId } from "../../domain/oncall/Delivery.ts"
import type { IncidentView } from "../../domain/oncall/Incident.ts"
import type { IncidentKey } from "../../domain/value/IncidentKey.ts"
import type { Signal } from "../../domain/oncall/Signal.ts"
import type { SignalSource, SourceKind } from "../../domain/oncall/SignalSource.ts"
import type { TeamSlug } from "../../domain/workspace/Team.ts"
import type { WorkspaceId, WorkspaceSlug } from "../../domain/workspace/Workspace.ts"
import * as Equipment from "./Equipment.ts"
import { signed } from "./Source.ts"

const secret = "known to the tests"

interface Fed {
  readonly workspace: WorkspaceId
  readonly source: SignalSource
}

/** State of a workspace whose service checkout is on call. */
export interface Arranged extends Fed {
  readonly incidents: Readonly<Record<"open" | "acknowledged" | "resolved", IncidentKey>>
  /** A triaged delivery. */
  readonly delivery: DeliveryId
}

const down = (environment: string): Signal => ({
  title: `Down in ${environment}`,
  status: "firing",
  fingerprint: environment,
  severity: "critical",
  service: null,
  environment,
  description: null,
  startedAt: null,
  endedAt: null,
  labels: {},
  links: [],
  at: null,
  isReopening: false,
  isAcknowledgement: false,
  isTest: false
})

/** Stores a delivery about a problem in an environment, without triage. */
export const receive = ({ source, workspace }: Fed, environment: string) =>
  Effect.gen(function* () {
    const id = crypto.randomUUID() as string as DeliveryId
    const signals = [down(environment)]
    yield* (yield* SignalStore).receive({
      workspace,
      source: source.id,
      id,
      name: null,
      signals,
      known: [],
      body: JSON.stringify({ title: environment, token: "hidden" })
    })
    return id
  })

/** A post as a tool sends it, signed with the source's secret or another. */
export const post = ({ source }: Fed, text: string, key = secret) =>
  Effect.flatMap(Intake.find(source.token), (found) =>
    Intake.accept(found, { headers: signed(key, text), key: null, body: new TextEncoder().encode(text) })
  )

/** A post that the service's edge refuses, and stores. */
export const refused = ({ source }: Pick<Fed, "source">, text: string) =>
  Effect.flatMap(Intake.find(source.token), (found) =>
    Intake.refuse(
      found,
      { status: 401, code: "invalid_proof", message: "The secret is another." },
      new TextEncoder().encode(text)
    )
  )

/** True when the first source of a workspace accepts a post signed with a secret. */
export const accepts = (slug: WorkspaceSlug, key: string) =>
  Effect.gen(function* () {
    const workspace = yield* Workspaces.idOf(slug)
    const [source] = (yield* (yield* OnCallStore).look(workspace)).sources
    if (source === undefined) return assert.fail("there is no source")
    const body = '{"title":"Down"}'
    return yield* post({ workspace, source }, body, key).pipe(
      Effect.tapError(() => refused({ source }, body)),
      Effect.isSuccess
    )
  }).pipe(Effect.provide(Equipment.layer))

/** Larger than any list of a test. */
export const everything = { limit: 100_000, before: null }

/** All incidents of a workspace, newest first. */
export const incidentsOf = (workspace: WorkspaceId) =>
  Effect.map(
    Effect.flatMap(OnCallStore, (store) =>
      store.incidentPage(workspace, { status: null, service: null, since: null }, everything)
    ),
    ({ items }) => Json.each(items)
  )

/** All notifications of a member, newest first. */
export const inboxOf = (workspace: WorkspaceId, member: MemberId) =>
  Effect.map(
    Effect.flatMap(Inbox, (inbox) => inbox.page(workspace, member, everything)),
    ({ items }) => Json.each(items)
  )

/** All alerts of a workspace, newest first. */
export const alertsOf = (workspace: WorkspaceId) =>
  Effect.map(
    Effect.flatMap(OnCallStore, (store) =>
      store.alertPage(workspace, { incident: null, source: null, status: null }, everything)
    ),
    ({ items }) => Json.each(items)
  )

const keyIn = (workspace: WorkspaceId, environment: string) =>
  Effect.gen(function* () {
    const incidents = (yield* incidentsOf(workspace)).map((one) => JSON.parse(one) as typeof IncidentView.Encoded)
    return (incidents.find((one) => one.environment === environment)?.key ?? "") as IncidentKey
  })

/** A place, a source, one with an API, a paused one, one that checks an address, and an incident of each kind. */
export const arrange = (person: Person, team: TeamSlug) =>
  Effect.gen(function* () {
    const { workspace } = person
    yield* Places.add(person, { team, name: "chat", address: Redacted.make("https://chat.example.com/hook") })
    const connect = (name: string, kind: SourceKind = "generic") =>
      Sources.create(person, {
        name,
        kind,
        services: ["checkout"],
        secret: Redacted.make(secret),
        isTimestampRequired: false
      })
    const { source } = yield* connect("tool")
    yield* connect("pager", "pagerduty")
    yield* connect("quiet")
    yield* Sources.pause(person, "quiet")
    yield* Sources.create(person, {
      name: "shop",
      kind: "uptime",
      services: ["basket"],
      secret: null,
      isTimestampRequired: false,
      check: { url: "https://shop.example.com/health?key=hidden" }
    })
    const delivery = yield* receive({ workspace, source }, "prod")
    yield* receive({ workspace, source }, "test")
    yield* receive({ workspace, source }, "past")
    yield* TriageWorker.drain()
    const incidents = {
      open: yield* keyIn(workspace, "prod"),
      acknowledged: yield* keyIn(workspace, "test"),
      resolved: yield* keyIn(workspace, "past")
    }
    yield* Incidents.acknowledge(person, incidents.acknowledged)
    yield* Incidents.resolve(person, incidents.resolved)
    const arranged: Arranged = { workspace, source, incidents, delivery }
    return arranged
  })
