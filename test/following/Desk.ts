import { incidentsOf } from "../support/OnCall.ts"
import { Duration, Effect, Either, Layer, Redacted } from "effect"
import * as InvestigateByRules from "../../adapters/investigate/InvestigateByRules.ts"
import type { Person } from "../../application/workspace/Authorization.ts"
import * as TriageWorker from "../../application/jobs/TriageWorker.ts"
import * as OnCallHandlers from "../../application/jobs/OnCallHandlers.ts"
import { type WorkspaceJob, JobStore, type Progress } from "../../application/ports/JobStore.ts"
import { type Letter, type Message, Notifiers } from "../../application/ports/Notifier.ts"
import { handledBy, JobFailed, JobHandlers } from "../../application/ports/JobHandlers.ts"
import { SignalStore } from "../../application/ports/SignalStore.ts"
import { SourceApis } from "../../application/ports/SourceApis.ts"
import * as Members from "../../application/workspace/Members.ts"
import * as Places from "../../application/oncall/Places.ts"
import * as Services from "../../application/oncall/Services.ts"
import * as Sources from "../../application/oncall/Sources.ts"
import { bySystem } from "../../domain/workspace/Actor.ts"
import type { DeliveryId } from "../../domain/oncall/Delivery.ts"
import type { Incident, IncidentView } from "../../domain/oncall/Incident.ts"
import type { Email } from "../../domain/workspace/Member.ts"
import type { PlaceKind } from "../../domain/oncall/Place.ts"
import type { Signal } from "../../domain/oncall/Signal.ts"
import type { SourceKind } from "../../domain/oncall/SignalSource.ts"
import type { TeamSlug } from "../../domain/workspace/Team.ts"
import * as Equipment from "../support/Equipment.ts"
import * as People from "../support/People.ts"
import * as Seed from "../support/Seed.ts"
import * as Queue from "../jobs/Queue.ts"

export const team = "payments" as TeamSlug

/** Sent messages, in order: recipient, event, incident and id. */
export interface Sent {
  readonly to: string
  readonly message: Message
  readonly by: PlaceKind | "mail"
}

export interface Updated {
  readonly fingerprint: string
  readonly to: "acknowledged" | "resolved"
}

const isFor = (place: string, { to }: Sent) => to.endsWith(place)

/** All external systems, which keep their input; addresses in `broken` fail for now, in `wrong` for good. */
export const outlets = (more: { readonly mail?: null } = {}) => {
  const sent: Array<Sent> = []
  const updated: Array<Updated> = []
  const [broken, wrong] = [new Set<string>(), new Set<string>()]
  const send = (by: Sent["by"]) => (to: Redacted.Redacted, message: Letter) =>
    Effect.suspend(() => {
      const address = Redacted.value(to)
      if (wrong.has(address)) return new JobFailed({ reason: "410", isFinal: true })
      if (broken.has(address)) return new JobFailed({ reason: "down", isFinal: false })
      sent.push({ to: address, message: message as Message, by })
      return Effect.void
    })
  const api = {
    check: () => ({ _tag: "Right" }) as never,
    update: ({ alert: { fingerprint }, to }: Updated & { readonly alert: { readonly fingerprint: string } }) =>
      Effect.suspend(() => {
        if (wrong.has("api")) return new JobFailed({ reason: "The key was refused.", isFinal: true })
        const isDone = updated.some((one) => one.fingerprint === fingerprint && one.to === to)
        if (!isDone) updated.push({ fingerprint, to })
        return Effect.succeed(isDone ? ("already" as const) : ("updated" as const))
      })
  }
  const places = Equipment.places((kind) => ({ send: send(kind) }))
  const layer = Layer.mergeAll(
    Layer.succeed(Notifiers, { mail: { send: send("mail") }, places, ...more }),
    Layer.succeed(SourceApis, { pagerduty: api as never }),
    InvestigateByRules.layer
  )
  return { sent, updated, broken, wrong, layer, to: (place: string) => sent.filter((one) => isFor(place, one)) }
}

const signal = (fingerprint: string, more: Partial<Signal> = {}): Signal => ({
  title: `${fingerprint} is wrong`,
  status: "firing",
  fingerprint,
  severity: "critical",
  service: null,
  environment: null,
  description: null,
  startedAt: null,
  endedAt: null,
  labels: {},
  links: [{ label: "Board", url: `https://board.example.com/${fingerprint}` }],
  at: null,
  isReopening: false,
  isAcknowledgement: false,
  isTest: false,
  ...more
})

export const ann = "ann@acme.test" as Email

/** A team on call: two members, two places, a service and a source of some kind. */
export const desk = (kind: SourceKind = "generic") =>
  Effect.gen(function* () {
    const { id: workspace, slug } = yield* Seed.workspace
    yield* Seed.load(slug, { teams: [{ slug: team, name: "Payments", keyPrefix: "PAY" }] })
    yield* Members.add(bySystem, { workspace: slug, email: ann, name: "Ann", role: "member" })
    const owner: Person = yield* People.person(slug)
    yield* Services.create(owner, { team, name: "checkout" })
    for (const name of ["ops", "chat"])
      yield* Places.add(owner, { team, name, address: Redacted.make(`https://chat.example.com/${name}`) })
    const { source } = yield* Sources.create(owner, {
      name: "tool",
      kind,
      services: ["checkout"],
      secret: null,
      isTimestampRequired: false
    })
    const say = (...signals: ReadonlyArray<Signal>) =>
      Effect.gen(function* () {
        yield* (yield* SignalStore).receive({
          workspace,
          source: source.id,
          id: crypto.randomUUID() as string as DeliveryId,
          name: null,
          signals,
          known: [],
          body: "{}"
        })
        yield* TriageWorker.drain()
      })
    return {
      workspace,
      slug,
      owner,
      source,
      set: (settings: Readonly<Record<string, unknown>>) => Services.set(owner, "checkout", settings),
      fires: (fingerprint: string, more: Partial<Signal> = {}) => say(signal(fingerprint, more)),
      recovers: (fingerprint: string, more: Partial<Signal> = {}) =>
        say(signal(fingerprint, { status: "resolved", severity: null, ...more })),
      incidents: Effect.map(incidentsOf(workspace), (all) =>
        all.map((json) => JSON.parse(json) as typeof IncidentView.Encoded & Pick<Incident, "key">)
      )
    }
  })

/** Does the jobs that are due until none is, as the worker does, but one by one and without its waits. */
export const worker = () => {
  let again: ReadonlyArray<WorkspaceJob> = []
  return Effect.gen(function* () {
    const store = yield* JobStore
    const handlers = yield* JobHandlers
    const attempt = Effect.fnUntraced(function* (errand: WorkspaceJob) {
      const done = yield* Effect.either(handlers[errand.job.kind]?.(errand) ?? Effect.void)
      const tries = errand.job.tries + 1
      const note = (progress: Progress) => store.note(errand.workspace, errand.job.id, Queue.holder, progress)
      if (Either.isRight(done)) return void (yield* note({ status: "done", tries }))
      const { reason: error } = done.left
      const isFinal = done.left._tag === "JobFailed" && done.left.isFinal
      if (!isFinal) again = [...again, errand]
      yield* note(
        isFinal ? { status: "failed", tries, error } : { status: "running", tries, error, wait: Duration.hours(1) }
      )
    })
    const waiting = again
    again = []
    yield* Effect.forEach(waiting, attempt)
    for (;;) {
      const { jobs: errands } = yield* store.take(Queue.lease, handledBy(handlers), 50)
      if (errands.length === 0) return
      yield* Effect.forEach(errands, attempt)
    }
  })
}

/** The handlers over some outlets. */
export const at = (outside: ReturnType<typeof outlets>) => OnCallHandlers.layer.pipe(Layer.provideMerge(outside.layer))
