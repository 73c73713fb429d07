import { DateTime, Effect, Either, Layer, PubSub, Stream } from "effect"
import * as Json from "../../application/ports/Json.ts"
import { Origin } from "../../application/workspace/RequestOrigin.ts"
import { SignalStore } from "../../application/ports/SignalStore.ts"
import type { AlertId } from "../../domain/oncall/Alert.ts"
import { answered } from "../../domain/Change.ts"
import { DeliveryNotFound, DeliveryView } from "../../domain/oncall/Delivery.ts"
import type { IncidentKey } from "../../domain/value/IncidentKey.ts"
import * as Key from "../../domain/value/Key.ts"
import { Notification, type NotificationId } from "../../domain/oncall/InboxEntry.ts"
import { keptRefusals, noticeMinutes, RefusedDelivery } from "../../domain/oncall/RefusedDelivery.ts"
import type { SourceId } from "../../domain/oncall/SignalSource.ts"
import type { TriageSnapshot } from "../../domain/oncall/TriageBoard.ts"
import { freshId } from "../../domain/work/Fresh.ts"
import type { JobId } from "../../domain/work/Job.ts"
import type { WorkspaceId } from "../../domain/workspace/Workspace.ts"
import { standing, values } from "./MemoryWorkContext.ts"
import { services, sources } from "./MemoryOnCallStore.ts"
import { newest } from "./MemoryPages.ts"
import { change, type KeptDelivery, record, State, type Tenant, write } from "./MemoryState.ts"

const encode = Json.encoder(DeliveryView)

const encodeRefused = Json.encoder(RefusedDelivery)

/** One notice for the owner and each admin. */
const noticesOf = (tenant: Tenant, notice: { readonly subject: string; readonly text: string }, now: DateTime.Utc) =>
  [...tenant.members.values()]
    .filter(({ removedAt, role }) => removedAt === null && role !== "member")
    .map(
      ({ id }) =>
        new Notification({
          id: crypto.randomUUID() as string as NotificationId,
          member: id,
          incident: null,
          event: "delivery_refused",
          ...notice,
          createdAt: now,
          readAt: null
        })
    )

const isWaiting = ({ status }: KeptDelivery) => status === "waiting" || status === "replayed"

const snapshotOf = (
  tenant: Tenant,
  now: DateTime.Utc,
  most: number,
  drawn: ReadonlyArray<IncidentKey>
): TriageSnapshot => {
  const arrivals = tenant.deliveries
    .filter(isWaiting)
    .slice(0, most)
    .map(({ status, verdicts, ...rest }) => ({ ...rest, isReplay: status === "replayed", known: verdicts }))
  const spoken = new Set(
    arrivals.flatMap(({ signals, source }) => signals.map((one) => `${source} ${one.fingerprint}`))
  )
  const lastOf = new Map(values(tenant.alerts).map((alert) => [`${alert.source} ${alert.fingerprint}`, alert]))
  const loose = values(tenant.alerts).filter(
    (alert) => alert.status === "firing" && alert.incident === null && alert.service !== null
  )
  const alerts = [...new Set([...[...lastOf].flatMap(([name, alert]) => (spoken.has(name) ? [alert] : [])), ...loose])]
  const named = new Set(alerts.map(({ incident }) => incident))
  return {
    now,
    arrivals,
    sources: sources(tenant),
    services: services(tenant),
    alerts,
    incidents: values(tenant.incidents)
      .filter(({ key, status }) => status === "open" || named.has(key))
      .map((incident) => standing(tenant, incident)),
    freshAlerts: arrivals.flatMap(({ signals }) => signals.map(() => freshId<AlertId>())),
    freshIncidents: drawn.filter((key) => !tenant.incidents.has(key)),
    freshJobs: arrivals.flatMap(({ signals }) => signals.flatMap(() => [0, 1, 2].map(() => freshId<JobId>())))
  }
}

export const layer = Layer.effect(
  SignalStore,
  Effect.gen(function* () {
    const state = yield* State
    const words = yield* PubSub.sliding<void>(1)
    const hour = 60 * 60 * 1000
    const day = 24 * hour
    /** The workspace whose turn was last. */
    let last: WorkspaceId | undefined
    return SignalStore.of({
      find: (token) =>
        Effect.map(DateTime.now, (now) => {
          for (const [workspace, tenant] of state)
            for (const source of tenant.sources.values())
              if (source.token === token && source.deletedAt === null && tenant.workspace.deletedAt === null)
                return { workspace, source, now }
          return null
        }),
      receive: ({ body, id, known, name, signals, source, workspace }) =>
        Effect.gen(function* () {
          const receivedAt = yield* DateTime.now
          const deliveries = state.get(workspace)?.deliveries ?? []
          const isDuplicate = deliveries.some(
            (one) =>
              name !== null &&
              one.name === name &&
              one.source === source &&
              one.status !== "duplicate" &&
              receivedAt.epochMillis - one.receivedAt.epochMillis < day
          )
          const status = isDuplicate ? "duplicate" : "waiting"
          deliveries.push({ id, source, name, receivedAt, signals, known, verdicts: known, body, status })
          yield* PubSub.publish(words, undefined)
          return { isDuplicate }
        }),
      refused: ({ source, workspace }, refusal, notice) =>
        Effect.map(DateTime.now, (lastAt) => {
          const tenant = state.get(workspace)
          if (tenant === undefined) return
          const { count = 0, entries = [], noticedAt } = tenant.refusals.get(source.id) ?? {}
          const isDue = noticedAt === undefined || lastAt.epochMillis - noticedAt.epochMillis >= noticeMinutes * 60_000
          tenant.refusals.set(source.id, {
            count: count + 1,
            lastAt,
            last: refusal.message,
            noticedAt: isDue ? lastAt : noticedAt,
            entries: [{ ...refusal, receivedAt: lastAt }, ...entries].slice(0, keptRefusals)
          })
          if (isDue) write(tenant, { notifications: noticesOf(tenant, notice, lastAt) })
        }),
      refusedLedger: (workspace, source, request) =>
        Effect.sync(() => {
          const { count = 0, entries = [] } = state.get(workspace)?.refusals.get(source) ?? {}
          const numbered = entries.map((value, later) => ({ seq: BigInt(count - later), value }))
          return newest(numbered, () => true, encodeRefused, request)
        }),
      waiting: Effect.sync(() => [...state.values()].flatMap(({ deliveries }) => deliveries.filter(isWaiting)).length),
      drain: (most, judge) =>
        Effect.gen(function* () {
          const all = [...state]
          const after = all.findIndex(([id]) => id === last) + 1
          const inTurn = [...all.slice(after), ...all.slice(0, after)]
          const [workspace, tenant] = inTurn.find(([, { deliveries }]) => deliveries.some(isWaiting)) ?? []
          if (workspace === undefined || tenant === undefined) return 0
          last = workspace
          const signals = tenant.deliveries
            .filter(isWaiting)
            .slice(0, most)
            .reduce((sum, one) => sum + one.signals.length, 0)
          const drawn = yield* Key.drawMany<IncidentKey>("inc", Math.ceil(signals * 1.2) + 16)
          return yield* change<number, never, never>(
            state,
            () => state.get(workspace),
            (_, now) => {
              const snapshot = snapshotOf(tenant, now, most, drawn)
              if (snapshot.arrivals.length === 0)
                return Either.right({ change: { audit: [] as never }, answer: Either.right(0) })
              const judged = judge(snapshot)
              for (const delivery of tenant.deliveries) {
                const verdicts = judged.verdicts.get(delivery.id)
                if (verdicts !== undefined) Object.assign(delivery, { status: "done", verdicts })
              }
              return answered(judged.change, snapshot.arrivals.length)
            }
          )
        }),
      calm: Effect.void,
      arrivals: Stream.fromPubSub(words),
      ledger: (workspace, source, request, id) =>
        Effect.sync(() => {
          const tenant = state.get(workspace)
          const name = tenant?.sources.get(source)?.name ?? ""
          return newest(
            (tenant?.deliveries ?? []).map((value, at) => ({ seq: BigInt(at + 1), value })),
            (delivery) => delivery.source === source && (id === undefined || delivery.id === id),
            ({ body, id, receivedAt, status, verdicts }) =>
              encode({
                id,
                source: name,
                receivedAt,
                status: status === "replayed" ? "waiting" : status,
                verdicts,
                body: body === null ? null : JSON.parse(body)
              }),
            request
          )
        }),
      lastOfSources: (workspace) =>
        Effect.sync(() => {
          const tenant = state.get(workspace)
          const isPresent = (source: SourceId) => tenant?.sources.get(source)?.deletedAt === null
          const present = (tenant?.deliveries ?? []).filter(({ source }) => isPresent(source))
          return new Map(present.map(({ receivedAt, source }) => [source, receivedAt]))
        }),
      volume: (workspace, source) =>
        Effect.map(DateTime.now, (now) => {
          const counts = new Map<number, number>()
          for (const one of state.get(workspace)?.deliveries ?? []) {
            const age = Math.floor(now.epochMillis / hour) - Math.floor(one.receivedAt.epochMillis / hour)
            if (one.source !== source || age > 23 || one.signals.length === 0) continue
            const at = Math.floor(one.receivedAt.epochMillis / hour) * hour
            counts.set(at, (counts.get(at) ?? 0) + one.signals.length)
          }
          return [...counts]
            .sort(([one], [other]) => one - other)
            .map(([at, alerts]) => ({ hour: DateTime.unsafeMake(at), alerts }))
        }),
      replay: (workspace, id, audit) =>
        Effect.gen(function* () {
          const now = yield* DateTime.now
          const tenant = state.get(workspace)
          const delivery = tenant?.deliveries.find((one) => one.id === id)
          const source = delivery && tenant?.sources.get(delivery.source)
          if (!tenant || !source || delivery.body === null || !["done", "failed"].includes(delivery.status))
            return yield* new DeliveryNotFound({ delivery: id })
          const known = delivery.verdicts.filter(({ fingerprint }) => fingerprint === null)
          Object.assign(delivery, { status: "replayed", verdicts: known })
          record(tenant, now, audit(source), yield* Origin)
          yield* PubSub.publish(words, undefined)
        }),
      purge: (days) =>
        Effect.map(DateTime.now, (now) => {
          for (const { deliveries } of state.values())
            for (const delivery of deliveries) {
              const age = now.epochMillis - delivery.receivedAt.epochMillis
              if (age > day) delivery.name = null
              if (age > days * day && !isWaiting(delivery)) Object.assign(delivery, { body: null, signals: [] })
            }
        })
    })
  })
)
