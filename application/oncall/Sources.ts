import { type DateTime, Effect, type Either, Redacted } from "effect"
import type { Decided } from "../../domain/Change.ts"
import { draw } from "../../domain/workspace/ApiToken.ts"
import * as ChangeSource from "../../domain/oncall/commands/ChangeSource.ts"
import type { OnCallContext } from "../../domain/oncall/commands/OnCallContext.ts"
import { SourceHasNoApi } from "../../domain/oncall/commands/SourceErrors.ts"
import { ofSource } from "../../domain/value/SecretBinding.ts"
import { isPosting, type SourceId, type SourceKind } from "../../domain/oncall/SignalSource.ts"
import type { Check } from "../../domain/oncall/UptimeCheck.ts"
import * as Uuid from "../../domain/value/Uuid.ts"
import { byOf, permit, type Person } from "../workspace/Authorization.ts"
import { AlertTools } from "../ports/AlertTools.ts"
import { OnCallStore } from "../ports/OnCallStore.ts"
import { SourceApis } from "../ports/SourceApis.ts"
import { Sealing } from "../secrets/Sealing.ts"
import * as DeniedTarget from "../workspace/DeniedTarget.ts"

const seal = (secret: Redacted.Redacted, id: SourceId) =>
  Effect.flatMap(Sealing, (sealing) => sealing.seal(secret, ofSource(id)))

/** 32 letters and digits without bias. */
const random = Effect.map(draw, (token) => Redacted.value(token).slice(3))

/** The tool's setup steps; none for a source that no tool posts to. */
const setupOf = (kind: SourceKind) =>
  Effect.map(AlertTools, (tools) => (isPosting(kind) ? tools[kind].setup : () => []))

export const create = Effect.fn("Sources.create")(function* (
  person: Person,
  input: {
    readonly name: string
    readonly kind: SourceKind
    readonly services: ReadonlyArray<string>
    readonly secret: Redacted.Redacted | null
    readonly isTimestampRequired: boolean
    readonly check?: Partial<Check> | null
  }
) {
  yield* permit(person, "source create", Effect.succeed(DeniedTarget.named("signal_source", input.name)))
  const check = yield* ChangeSource.checkOf(input.kind, input.check ?? null, null)
  const store = yield* OnCallStore
  const id = (yield* Uuid.make) as SourceId
  const token = yield* random
  const secret = input.secret ?? Redacted.make(yield* random)
  const sealed = yield* seal(secret, id)
  const { isTimestampRequired, kind, name, services } = input
  const source = yield* store.change(
    person.workspace,
    {},
    ChangeSource.create(byOf(person), { id, name, kind, services, isTimestampRequired, token, sealed, check })
  )
  return { source, secret, setup: yield* setupOf(source.kind) }
})

type Operation = Parameters<typeof permit>[1] & `source ${string}`

const permitOn = (person: Person, operation: Operation, name: string) =>
  permit(person, operation, DeniedTarget.ofSource(person, name))

/** Checks the permission and commits a change of the source of that name. */
const change = Effect.fnUntraced(function* <A, E>(
  person: Person,
  operation: Operation,
  name: string,
  decide: (at: OnCallContext) => Either.Either<Decided<A>, E>
) {
  yield* permitOn(person, operation, name)
  return yield* (yield* OnCallStore).change(person.workspace, { source: name }, decide)
})

/** Finds a source that a tool posts to, before its secret is sealed for it. */
const findPosting = (person: Person, name: string) =>
  Effect.flatMap(OnCallStore, (store) =>
    Effect.flatMap(store.look(person.workspace), ({ sources }) => ChangeSource.postingNamed(sources, name))
  )

export const pause = (person: Person, name: string) =>
  change(person, "source pause", name, ChangeSource.pause(byOf(person), name))

export const resume = (person: Person, name: string) =>
  change(person, "source resume", name, ChangeSource.resume(byOf(person), name))

const secretSet = Effect.fnUntraced(function* (
  person: Person,
  operation: "source secret" | "source rotate",
  name: string,
  secret: Redacted.Redacted
) {
  yield* permitOn(person, operation, name)
  const { id } = yield* findPosting(person, name)
  return yield* change(person, operation, name, ChangeSource.setSecret(byOf(person), name, yield* seal(secret, id)))
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
  const operation = "source credentials"
  yield* permitOn(person, operation, name)
  const { id, kind } = yield* findPosting(person, name)
  const apis = yield* SourceApis
  const api = apis[kind]
  if (api === undefined) return yield* new SourceHasNoApi({ source: name, kind, kinds: Object.keys(apis) })
  yield* api.check(credentials)
  const sealed = yield* seal(credentials, id)
  return yield* change(person, operation, name, ChangeSource.setCredentials(byOf(person), name, sealed))
})

export const remove = Effect.fn("Sources.remove")((person: Person, name: string, confirm: string) =>
  change(person, "source delete", name, ChangeSource.remove(byOf(person), name, confirm))
)

export const set = Effect.fn("Sources.set")(
  (person: Person, name: string, changes: ChangeSource.SourceChanges, expected: DateTime.Utc | null = null) =>
    change(person, "source set", name, ChangeSource.set(byOf(person), name, changes, expected))
)
