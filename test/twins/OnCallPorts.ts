import { DateTime, Effect, Either } from "effect"
import { AuditLog } from "../../application/ports/AuditLog.ts"
import { ChangeLog } from "../../application/ports/ChangeLog.ts"
import { CheckStore } from "../../application/ports/CheckStore.ts"
import { Inbox } from "../../application/ports/Inbox.ts"
import { type AlertFilter, type IncidentFilter, OnCallStore, type Scope } from "../../application/ports/OnCallStore.ts"
import { SentForms } from "../../application/ports/identity/SentForms.ts"
import { WorkspaceSearch } from "../../application/ports/search/WorkspaceSearch.ts"
import { SignalStore } from "../../application/ports/SignalStore.ts"
import { TokenStore } from "../../application/ports/TokenStore.ts"
import { WorkspaceStore } from "../../application/ports/WorkspaceStore.ts"
import * as Sources from "../../application/oncall/Sources.ts"
import { bySystem } from "../../domain/workspace/Actor.ts"
import * as Audit from "../../domain/workspace/Audit.ts"
import type { DeliveryId } from "../../domain/oncall/Delivery.ts"
import type { IncidentKey } from "../../domain/value/IncidentKey.ts"
import { payments, run } from "../application/house.ts"
import { fires } from "../domain/oncall/TriageScene.ts"
import { anyEntry } from "../support/Seed.ts"
import { all, hashed, some } from "./Asking.ts"
import type { Act, Cases } from "./Case.ts"
import { middle } from "./Contrary.ts"

const seen = <M>(at: M): Either.Either<never, M> => Either.left(at)

const entries =
  (filter: Partial<typeof anyEntry | Record<string, unknown>>, page = all): Act =>
  ({ id }) =>
    Effect.flatMap(AuditLog, (log) => log.page(id, { ...anyEntry, ...filter }, page))

/** Bounds that leave nothing out. */
const wide = { from: DateTime.unsafeMake(0), to: DateTime.unsafeMake("2100-01-01") }

interface Entry {
  readonly timestamp: string
  readonly actor: { readonly type: string }
  readonly event: string
  readonly runKey: string | null
}

/** Bounded by the time of an entry in the middle of the log, and by all of an entry that the bound leaves out. */
const bounded =
  (bound: "from" | "to", isByAll = false): Act =>
  ({ id }) =>
    Effect.gen(function* () {
      const log = yield* AuditLog
      const { items } = yield* log.page(id, anyEntry, all)
      const found = (JSON.parse(items) as ReadonlyArray<Entry>).toReversed()
      const time = DateTime.unsafeMake(found[middle - 1]?.timestamp ?? 0)
      const left = (bound === "from" ? found.slice(0, middle - 1) : found.slice(middle)).find(
        ({ runKey }) => runKey !== null
      )
      const filter =
        isByAll && left !== undefined
          ? { ...wide, actor: left.actor.type, event: left.event, run: run(left.runKey ?? "") }
          : {}
      return yield* log.page(id, { ...anyEntry, ...filter, [bound]: time } as typeof anyEntry, all)
    })

const sought =
  (key: string, ...words: ReadonlyArray<string>): Act =>
  ({ id }) =>
    Effect.flatMap(WorkspaceSearch, (search) => search.find(id, { key, words }))

const anyIncident: IncidentFilter = { status: null, service: null, since: null }

const incidentsBy =
  (filter: Partial<IncidentFilter>, page = all): Act =>
  ({ id }) =>
    Effect.flatMap(OnCallStore, (store) => store.incidentPage(id, { ...anyIncident, ...filter }, page))

const anyAlert: AlertFilter = { incident: null, source: null, status: null }

const alertsBy =
  (filter: Partial<AlertFilter>, page = all): Act =>
  ({ id }) =>
    Effect.flatMap(OnCallStore, (store) => store.alertPage(id, { ...anyAlert, ...filter }, page))

const scoped =
  (scope: (at: Parameters<Act>[0]) => Scope): Act =>
  (at) =>
    Effect.flatMap(OnCallStore, (store) => store.change(at.id, scope(at), seen))

/** Records the result of a check, and returns the health before it. */
export const recorded: Act = ({ id, uptime }) =>
  Effect.gen(function* () {
    let before: unknown
    yield* (yield* CheckStore).record({ workspace: id, source: uptime.id }, (health, now) => {
      before = health
      return { health: { ...health, failures: 5, lastAt: now }, delivery: null }
    })
    return before
  })

const fact = Audit.fact(bySystem, "audit_exported", { type: "audit_export", id: "x", name: "x" })

const refusal = { status: 401, code: "invalid_proof", message: "no signature", body: "{}" }

/** The ports of on-call, of members and of the audit log. */
export const onCallPorts: Cases = {
  "AuditLog.page": {
    all: entries({}),
    some: entries({}, some),
    "of a team": entries({ team: payments }),
    "of no team": entries({ team: "nobody" }),
    "by actor": entries({ actor: "human" }),
    "by event": entries({ event: "decision_resolved" }),
    "of a run": entries({ run: run("run-gggg") }),
    "from a time": bounded("from"),
    "to a time": bounded("to"),
    "by all but the team": entries({
      ...wide,
      actor: "human",
      event: "decision_resolved",
      run: run("run-hhhh")
    }),
    "by all but the team from a time": bounded("from", true),
    "by all but the team to a time": bounded("to", true)
  },
  "AuditLog.append": ({ id }) => Effect.flatMap(AuditLog, (log) => log.append(id, { audit: [fact] })),
  "AuditLog.verify": ({ id }) => Effect.flatMap(AuditLog, (log) => log.verify(id)),
  "ChangeLog.heads": ({ id }) =>
    Effect.flatMap(ChangeLog, (log) => Effect.map(log.heads([id]), (heads) => [...heads.values()].map(String))),
  "ChangeLog.since": ({ id }) =>
    Effect.flatMap(ChangeLog, (log) =>
      Effect.map(log.since(new Map([[id, 0n]]), 1000), (found) =>
        [...found.values()].flat().map(({ entry, seq }) => [String(seq), entry?.event, entry?.entity.name])
      )
    ),
  "CheckStore.healths": ({ id }) => Effect.flatMap(CheckStore, (store) => store.healths(id)),
  "CheckStore.record": {
    checked: recorded,
    "once paused": (at) => Effect.zipRight(Sources.pause(at.people.owner, "shop"), recorded(at))
  },
  "Inbox.page": {
    all: ({ id, people }) => Effect.flatMap(Inbox, (inbox) => inbox.page(id, people.owner.member.id, all)),
    some: ({ id, people }) => Effect.flatMap(Inbox, (inbox) => inbox.page(id, people.owner.member.id, some))
  },
  "Inbox.counts": {
    "of the owner": ({ id, people }) => Effect.flatMap(Inbox, (inbox) => inbox.counts(id, people.owner.member)),
    "of a member": ({ id, people }) => Effect.flatMap(Inbox, (inbox) => inbox.counts(id, people.member.member))
  },
  "Inbox.mailOff": ({ id, people: { owner } }) =>
    Effect.flatMap(Inbox, (inbox) =>
      Effect.zipRight(inbox.setMail(id, owner.member.id, "incident_opened", false), inbox.mailOff(id, owner.member.id))
    ),
  "Inbox.setMail": ({ id, people }) =>
    Effect.flatMap(Inbox, (inbox) => inbox.setMail(id, people.owner.member.id, "incident_opened", false)),
  "Inbox.read": ({ id, people }) => Effect.flatMap(Inbox, (inbox) => inbox.read(id, people.owner.member.id, null)),
  "OnCallStore.look": ({ id }) => Effect.flatMap(OnCallStore, (store) => store.look(id)),
  "OnCallStore.sources": ({ id }) => Effect.flatMap(OnCallStore, (store) => store.sources(id)),
  "OnCallStore.refusals": ({ id }) => Effect.flatMap(OnCallStore, (store) => store.refusals(id)),
  "OnCallStore.alerts": ({ id, onCall }) =>
    Effect.flatMap(OnCallStore, (store) => store.alerts(id, onCall.incidents.open)),
  "OnCallStore.incident": {
    there: ({ id, onCall }) => Effect.flatMap(OnCallStore, (store) => store.incident(id, onCall.incidents.open)),
    missing: ({ id }) => Effect.flatMap(OnCallStore, (store) => store.incident(id, "inc-0000" as IncidentKey))
  },
  "OnCallStore.history": {
    notified: ({ id, onCall }) => Effect.flatMap(OnCallStore, (store) => store.history(id, onCall.incidents.open)),
    "updated in its source": ({ id, jobs }) =>
      Effect.flatMap(OnCallStore, (store) => store.history(id, jobs.update.payload["incident"] as IncidentKey)),
    missing: ({ id }) => Effect.flatMap(OnCallStore, (store) => store.history(id, "inc-0000" as IncidentKey))
  },
  "OnCallStore.incidentPage": {
    all: incidentsBy({}),
    some: incidentsBy({}, some),
    "by status": incidentsBy({ status: "open" }),
    "of a service": incidentsBy({ service: "checkout" }),
    "of another service": incidentsBy({ service: "basket" }),
    since: incidentsBy({ since: DateTime.unsafeMake(0) })
  },
  "OnCallStore.alertPage": {
    all: alertsBy({}),
    some: alertsBy({}, some),
    "by status": alertsBy({ status: "firing" }),
    "of a source": alertsBy({ source: "tool" }),
    "of another source": alertsBy({ source: "pager" }),
    "of an incident": ({ id, onCall }) =>
      Effect.flatMap(OnCallStore, (store) => store.alertPage(id, { ...anyAlert, incident: onCall.incidents.open }, all))
  },
  "OnCallStore.change": {
    "an incident": scoped(({ onCall }) => ({ incident: onCall.incidents.resolved })),
    "a service": scoped(() => ({ service: "checkout" })),
    "a quiet service": scoped(() => ({ service: "basket" })),
    "a source": scoped(() => ({ source: "tool" })),
    "a missing incident": scoped(() => ({ incident: "inc-0000" as IncidentKey }))
  },
  "OnCallStore.follow": ({ id, jobs }) =>
    Effect.gen(function* () {
      let at: unknown
      yield* (yield* OnCallStore).follow(id, jobs.asked.id, (followed) => {
        at = followed
        return { added: {}, changed: {} }
      })
      return at
    }),
  "OnCallStore.evidence": ({ id, onCall }) =>
    Effect.flatMap(OnCallStore, (store) => store.evidence(id, onCall.incidents.open)),
  "OnCallStore.conclude": ({ id, jobs }) =>
    Effect.gen(function* () {
      let at: unknown
      yield* (yield* OnCallStore).conclude(id, jobs.investigate.id, (concluded) => seen((at = concluded)))
      return at
    }),
  "SignalStore.find": ({ onCall }) => Effect.flatMap(SignalStore, (store) => store.find(onCall.source.token)),
  "SignalStore.receive": {
    "a new one": (at) => received(at, "new"),
    "the same again": (at) => received(at, "named")
  },
  "SignalStore.refused": ({ id, onCall }) =>
    Effect.flatMap(SignalStore, (store) =>
      store.refused({ workspace: id, source: onCall.source }, refusal, { subject: "Refused", text: "Refused" })
    ),
  "SignalStore.refusedLedger": ({ id, onCall }) =>
    Effect.flatMap(SignalStore, (store) => store.refusedLedger(id, onCall.source.id, all)),
  "SignalStore.ledger": ({ id, onCall }) =>
    Effect.flatMap(SignalStore, (store) => store.ledger(id, onCall.source.id, all)),
  "WorkspaceSearch.find": {
    words: sought("down", "down"),
    "words of stories": sought("", "queued"),
    "words of decisions": sought("", "plan"),
    ...Object.fromEntries(
      ["PAY-1", "OPS-1", "WEB-2", "run-aaaa", "run-eeee", "dec-aaaa", "dec-cccc", "payments", "web", "ops"].map(
        (key) => [key, sought(key.toLowerCase())]
      )
    ),
    "an incident": (at) =>
      Effect.gen(function* () {
        const { items } = yield* (yield* OnCallStore).incidentPage(at.id, anyIncident, all)
        const [one] = JSON.parse(items) as ReadonlyArray<{ readonly key: string; readonly title: string }>
        const [word = ""] = /\p{L}+/u.exec(one?.title ?? "") ?? []
        return [yield* sought(one?.key ?? "")(at), yield* sought("", word.toLowerCase())(at)]
      })
  },
  "SentForms.take": {
    kept: ({ id, token }) => Effect.flatMap(SentForms, (store) => store.take(id, { token, key: "once" })),
    "under way": ({ id, token }) => Effect.flatMap(SentForms, (store) => store.take(id, { token, key: "form" })),
    first: ({ id, token }) => Effect.flatMap(SentForms, (store) => store.take(id, { token, key: "new" }))
  },
  "SentForms.keep": ({ id, token }) =>
    Effect.flatMap(SentForms, (store) => store.keep(id, { token, key: "form" }, "/there")),
  "SentForms.release": ({ id, token }) =>
    Effect.flatMap(SentForms, (store) => store.release(id, { token, key: "form" })),
  "SignalStore.lastOfSources": ({ id }) => Effect.flatMap(SignalStore, (store) => store.lastOfSources(id)),
  "SignalStore.volume": ({ id, onCall }) => Effect.flatMap(SignalStore, (store) => store.volume(id, onCall.source.id)),
  "SignalStore.replay": ({ id, onCall }) =>
    Effect.flatMap(SignalStore, (store) => store.replay(id, onCall.delivery, () => [fact])),
  "TokenStore.authenticate": (at) => Effect.flatMap(TokenStore, (store) => store.authenticate(hashed(at))),
  "TokenStore.identify": {
    there: (at) => Effect.flatMap(TokenStore, (store) => store.identify(hashed(at))),
    missing: () => Effect.flatMap(TokenStore, (store) => store.identify("of nobody"))
  },
  "TokenStore.list": ({ id, people }) => Effect.flatMap(TokenStore, (store) => store.list(id, people.owner.member.id)),
  "TokenStore.change": {
    there: ({ slug, tokens }) => Effect.flatMap(TokenStore, (store) => store.change(slug, tokens.owner, seen)),
    missing: ({ slug }) => Effect.flatMap(TokenStore, (store) => store.change(slug, "tk_nothing0", seen))
  },
  "TokenStore.touch": ({ id, token }) =>
    Effect.flatMap(TokenStore, (store) =>
      store.touch([{ workspace: id, token, at: DateTime.add(DateTime.unsafeNow(), { hours: 1 }) }])
    ),
  "WorkspaceStore.roster": ({ slug }) => Effect.flatMap(WorkspaceStore, (store) => store.roster(slug)),
  "WorkspaceStore.change": ({ slug }) => Effect.flatMap(WorkspaceStore, (store) => store.change(slug, seen)),
  "WorkspaceStore.close": ({ slug }) => Effect.flatMap(WorkspaceStore, (store) => store.close(slug, seen))
}

const received = ({ id, onCall }: Parameters<Act>[0], name: string) =>
  Effect.flatMap(SignalStore, (store) =>
    store.receive({
      workspace: id,
      source: onCall.source.id,
      id: crypto.randomUUID() as string as DeliveryId,
      name,
      signals: [fires("cpu")],
      known: [],
      body: "{}"
    })
  )
