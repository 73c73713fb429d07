import { DateTime, Effect, Either, Redacted } from "effect"
import type { By } from "../../domain/workspace/Actor.ts"
import * as Audit from "../../domain/workspace/Audit.ts"
import { draw } from "../../domain/workspace/ApiToken.ts"
import { answered, type Change, type Decided } from "../../domain/Change.ts"
import { difference } from "../../domain/value/FieldChanges.ts"
import { ended, followed } from "../../domain/oncall/EndAlerts.ts"
import { ofSource } from "../../domain/value/SecretBinding.ts"
import type { Service } from "../../domain/oncall/Service.ts"
import type { Severity } from "../../domain/value/Severity.ts"
import { isPosting, type SourceId, type SourceKind, SignalSource } from "../../domain/oncall/SignalSource.ts"
import * as UptimeCheck from "../../domain/oncall/UptimeCheck.ts"
import * as Uuid from "../../domain/value/Uuid.ts"
import { NotConfirmed } from "../../domain/workspace/Workspace.ts"
import { byOf, permit, type Person } from "../workspace/Authorization.ts"
import { AlertTools } from "../ports/AlertTools.ts"
import { type OnCall, type OnCallContext, OnCallStore } from "../ports/OnCallStore.ts"
import { SourceApis } from "../ports/SourceApis.ts"
import { Sealing } from "../secrets/Sealing.ts"
import { incidentFact } from "../../domain/oncall/IncidentFact.ts"
import { serviceNamed } from "./Services.ts"
import { mapped } from "./MapSeverities.ts"
import { SourceAlreadySo, SourceHasNoApi, SourceNameTaken, SourceTakesNoPosts, SourceUnknown } from "./SourceErrors.ts"
import * as DeniedTarget from "../workspace/DeniedTarget.ts"

/** Fields of a source for the audit log: never a secret. */
const auditedFields = ({
  check,
  credentials,
  disconnectedAt,
  isTimestampRequired,
  kind,
  name,
  pausedAt,
  secrets,
  services,
  severities,
  topic
}: SignalSource) => ({
  name,
  kind,
  services,
  isTimestampRequired,
  topic,
  paused: pausedAt !== null,
  disconnected: disconnectedAt !== null,
  secrets: secrets.length,
  credentials: credentials !== null,
  severities,
  ...(check !== null && UptimeCheck.shown(check))
})

export const sourceChanged = (
  by: By,
  before: SignalSource | null,
  next: ConstructorParameters<typeof SignalSource>[0],
  what?: string
): Change => {
  const after = new SignalSource(next)
  const entity = { type: "signal_source", id: after.id, name: after.name } as const
  const details = {
    ...difference(before && auditedFields(before), auditedFields(after)),
    ...(what !== undefined && { what })
  }
  const rows = { sources: [after] }
  return {
    ...(before === null ? { added: rows } : { changed: rows }),
    audit: [Audit.fact(by, "signal_source_changed", entity, { details })]
  }
}

export const named = (sources: OnCall["sources"], name: string): Either.Either<SignalSource, SourceUnknown> => {
  const found = sources.find((source) => source.deletedAt === null && source.name.toLowerCase() === name.toLowerCase())
  return found === undefined ? Either.left(new SourceUnknown({ source: name })) : Either.right(found)
}

const seal = (secret: Redacted.Redacted, id: SourceId) =>
  Effect.flatMap(Sealing, (sealing) => sealing.seal(secret, ofSource(id)))

/** 32 letters and digits without bias. */
const random = Effect.map(draw, (token) => Redacted.value(token).slice(3))

/** Merges the given fields of a check into the current ones. */
const checkOf = (
  kind: SourceKind,
  given: Partial<UptimeCheck.Check> | null,
  before: UptimeCheck.Check | null
): Either.Either<UptimeCheck.Check | null, UptimeCheck.InvalidCheck> => {
  if (kind === "uptime") return UptimeCheck.make({ ...before, ...given })
  if (given === null) return Either.right(null)
  return Either.left(new UptimeCheck.InvalidCheck({ problem: "Only a source of the kind uptime checks an address" }))
}

const posting = (source: SignalSource): Either.Either<SignalSource, SourceTakesNoPosts> =>
  isPosting(source.kind) ? Either.right(source) : Either.left(new SourceTakesNoPosts({ source: source.name }))

/** The tool's setup steps; none for a source that no tool posts to. */
const setupOf = (kind: SourceKind) =>
  Effect.map(AlertTools, (tools) => (isPosting(kind) ? tools[kind].setup : () => []))

const servicesNamed = (services: ReadonlyArray<Service>, names: ReadonlyArray<string>) =>
  Either.all(names.map((name) => Either.map(serviceNamed(services, name), ({ id }) => id)))

export const create = Effect.fn("Sources.create")(function* (
  person: Person,
  input: {
    readonly name: string
    readonly kind: SourceKind
    readonly services: ReadonlyArray<string>
    readonly secret: Redacted.Redacted | null
    readonly isTimestampRequired: boolean
    readonly check?: Partial<UptimeCheck.Check> | null
  }
) {
  yield* permit(person, "source create", Effect.succeed(DeniedTarget.named("signal_source", input.name)))
  const check = yield* checkOf(input.kind, input.check ?? null, null)
  const store = yield* OnCallStore
  const id = (yield* Uuid.make) as SourceId
  const token = yield* random
  const secret = input.secret ?? Redacted.make(yield* random)
  const sealed = yield* seal(secret, id)
  const source = yield* store.change(person.workspace, {}, ({ now, services, sources }) =>
    Either.gen(function* () {
      if (sources.some(({ name }) => name.toLowerCase() === input.name.toLowerCase()))
        return yield* Either.left(new SourceNameTaken({ source: input.name }))
      const { isTimestampRequired, kind, name } = input
      const fresh = new SignalSource({
        id,
        name,
        kind,
        token,
        secrets: [{ sealed, until: null }],
        services: [...new Set(yield* servicesNamed(services, input.services))],
        isTimestampRequired,
        topic: null,
        disconnectedAt: null,
        credentials: null,
        check,
        pausedAt: null,
        createdAt: now,
        updatedAt: null,
        deletedAt: null
      })
      return yield* answered(sourceChanged(byOf(person), null, fresh), fresh)
    })
  )
  return { source, secret, setup: yield* setupOf(source.kind) }
})

/** Finds a source by its name and replaces it. */
const altered = Effect.fnUntraced(function* <A, E>(
  person: Person,
  operation: Parameters<typeof permit>[1] & `source ${string}`,
  name: string,
  decide: (source: SignalSource, at: OnCallContext) => Either.Either<Decided<A>, E>
) {
  yield* permit(person, operation, DeniedTarget.ofSource(person, name))
  const store = yield* OnCallStore
  return yield* store.change(person.workspace, { source: name }, (at) =>
    Either.flatMap(named(at.sources, name), (source) => decide(source, at))
  )
})

const replaced = (
  person: Person,
  before: SignalSource,
  changes: Partial<SignalSource>,
  now: DateTime.Utc,
  what?: string
) => {
  const after = { ...before, ...changes, updatedAt: now }
  return answered(sourceChanged(byOf(person), before, after, what), new SignalSource(after))
}

export const pause = (person: Person, name: string) =>
  altered(person, "source pause", name, (source, { now }) =>
    source.pausedAt === null
      ? replaced(person, source, { pausedAt: now }, now)
      : Either.left(new SourceAlreadySo({ source: name, state: "paused" }))
  )

export const resume = (person: Person, name: string) =>
  altered(person, "source resume", name, (source, { now }) =>
    source.pausedAt === null
      ? Either.left(new SourceAlreadySo({ source: name, state: "active" }))
      : replaced(person, source, { pausedAt: null }, now)
  )

const overlapHours = 24

/** Sets a new secret; the previous one stays valid for another day. */
const secretSet = (
  person: Person,
  operation: "source secret" | "source rotate",
  name: string,
  secret: Redacted.Redacted
) =>
  Effect.gen(function* () {
    yield* permit(person, operation, DeniedTarget.ofSource(person, name))
    const store = yield* OnCallStore
    const { id } = yield* Either.flatMap(named((yield* store.look(person.workspace)).sources, name), posting)
    const sealed = yield* seal(secret, id)
    return yield* altered(person, operation, name, (source, { now }) => {
      const [newest] = source.secrets
      const until = DateTime.add(now, { hours: overlapHours })
      const secrets = [
        { sealed, until: null },
        { ...newest, until }
      ] as const
      return replaced(person, source, { secrets }, now, "secret")
    })
  })

/** Sets the secret that the tool generated itself. */
export const setSecret = (person: Person, name: string, secret: Redacted.Redacted) =>
  secretSet(person, "source secret", name, secret)

export const rotate = Effect.fn("Sources.rotate")(function* (person: Person, name: string) {
  const secret = Redacted.make(yield* random)
  const source = yield* secretSet(person, "source rotate", name, secret)
  return { source, secret, setup: yield* setupOf(source.kind) }
})

/** Sets the credentials of the tool's API, to acknowledge and resolve alerts there. */
export const setCredentials = Effect.fn("Sources.setCredentials")(function* (
  person: Person,
  name: string,
  credentials: Redacted.Redacted
) {
  yield* permit(person, "source credentials", DeniedTarget.ofSource(person, name))
  const store = yield* OnCallStore
  const { id, kind } = yield* Either.flatMap(named((yield* store.look(person.workspace)).sources, name), posting)
  const apis = yield* SourceApis
  const api = apis[kind]
  if (api === undefined) return yield* new SourceHasNoApi({ source: name, kind, kinds: Object.keys(apis) })
  yield* api.check(credentials)
  const sealed = yield* seal(credentials, id)
  return yield* altered(person, "source credentials", name, (source, { now }) =>
    replaced(person, source, { credentials: sealed, trouble: null }, now, "credentials")
  )
})

export const remove = Effect.fn("Sources.remove")(function* (person: Person, name: string, confirm: string) {
  return yield* altered(person, "source delete", name, (source, at) => {
    if (confirm.toLowerCase() !== source.name.toLowerCase())
      return Either.left(new NotConfirmed({ given: confirm, expected: source.name }))
    const by = byOf(person)
    const rows = ended(at.firing, at.incidents, at.now, `${person.member.name} deleted the source ${source.name}.`)
    const deletion = sourceChanged(by, source, { ...source, deletedAt: at.now }, "deleted")
    return answered(
      {
        added: { jobs: followed(rows.incidents, at.freshJobs, at.now) },
        changed: { ...deletion.changed, ...rows },
        audit: [...deletion.audit, ...rows.incidents.map((incident) => incidentFact(by, "incident_resolved", incident))]
      },
      source
    )
  })
})

/** Sets its services, its need for signed times, and its check. */
export const set = Effect.fn("Sources.set")(function* (
  person: Person,
  name: string,
  changes: {
    readonly services: ReadonlyArray<string> | null
    readonly isTimestampRequired: boolean | null
    readonly check?: Partial<UptimeCheck.Check> | null
    /** Words to add; a word without a severity is removed. */
    readonly severities?: ReadonlyMap<string, Severity | null>
  }
) {
  return yield* altered(person, "source set", name, (source, { now, services }) =>
    Either.gen(function* () {
      if (changes.isTimestampRequired !== null || changes.severities !== undefined) yield* posting(source)
      const ids = changes.services && (yield* servicesNamed(services, changes.services))
      const check = yield* checkOf(source.kind, changes.check ?? null, source.check)
      return yield* replaced(
        person,
        source,
        {
          ...(ids !== null && { services: [...new Set(ids)] }),
          isTimestampRequired: changes.isTimestampRequired ?? source.isTimestampRequired,
          severities: yield* mapped(source, changes.severities ?? new Map()),
          check
        },
        now,
        check?.url === source.check?.url ? undefined : "url"
      )
    })
  )
})
