import { DateTime, Either, Struct } from "effect"
import { serviceNamed, type ServiceUnknown } from "./ChangeService.ts"
import { findNamed, isNamed, type OnCall, type OnCallContext, withEndedAlerts } from "./OnCallContext.ts"
import { SourceAlreadySo, SourceNameTaken, SourceTakesNoPosts, SourceUnknown, TooManyWords } from "./SourceErrors.ts"
import { isPosting, type PostingKind, SignalSource, type SourceId, type SourceKind } from "../SignalSource.ts"
import * as UptimeCheck from "../UptimeCheck.ts"
import { answered, type Change, type Decided } from "../../Change.ts"
import { checkVersion } from "../../value/ChangedMeanwhile.ts"
import { difference } from "../../value/FieldChanges.ts"
import { plain, type Severity } from "../../value/Severity.ts"
import type { By } from "../../workspace/Actor.ts"
import * as Audit from "../../workspace/Audit.ts"
import { NotConfirmed } from "../../workspace/Workspace.ts"

/** Fields of a source for the audit log: never a secret. */
const auditedFields = (source: SignalSource) => ({
  ...Struct.pick(source, "name", "kind", "services", "isTimestampRequired", "topic"),
  paused: source.pausedAt !== null,
  disconnected: source.disconnectedAt !== null,
  secrets: source.secrets.length,
  credentials: source.credentials !== null,
  severities: source.severities,
  ...(source.check !== null && UptimeCheck.shown(source.check))
})

export const sourceChanged = (
  by: By,
  before: SignalSource | null,
  next: ConstructorParameters<typeof SignalSource>[0],
  what?: string
): Change => {
  const after = new SignalSource(next)
  const details = {
    ...difference(before && auditedFields(before), auditedFields(after)),
    ...(what !== undefined && { what })
  }
  const rows = { sources: [after] }
  return {
    ...(before === null ? { added: rows } : { changed: rows }),
    audit: [Audit.fact(by, "signal_source_changed", Audit.entityOf("signal_source", after), { details })]
  }
}

export const sourceNamed = (sources: OnCall["sources"], name: string): Either.Either<SignalSource, SourceUnknown> =>
  Either.fromNullable(findNamed(sources, name), () => new SourceUnknown({ source: name }))

const posting = (source: SignalSource): Either.Either<PostingKind, SourceTakesNoPosts> =>
  isPosting(source.kind) ? Either.right(source.kind) : Either.left(new SourceTakesNoPosts({ source: source.name }))

/** Finds a source that a tool posts to. */
export const postingNamed = (
  sources: OnCall["sources"],
  name: string
): Either.Either<{ readonly id: SourceId; readonly kind: PostingKind }, SourceUnknown | SourceTakesNoPosts> =>
  Either.flatMap(sourceNamed(sources, name), (source) =>
    Either.map(posting(source), (kind) => ({ id: source.id, kind }))
  )

/** Merges the given fields of a check into the current ones. */
export const checkOf = (
  kind: SourceKind,
  given: Partial<UptimeCheck.Check> | null,
  before: UptimeCheck.Check | null
): Either.Either<UptimeCheck.Check | null, UptimeCheck.InvalidCheck> => {
  if (kind === "uptime") return UptimeCheck.make({ ...before, ...given })
  if (given === null) return Either.right(null)
  return Either.left(new UptimeCheck.InvalidCheck({ problem: "Only a source of the kind uptime checks an address" }))
}

const servicesNamed = (services: OnCall["services"], names: ReadonlyArray<string>) =>
  Either.map(Either.all(names.map((name) => serviceNamed(services, name))), (found) => [
    ...new Set(found.map(({ id }) => id))
  ])

interface NewSource extends Pick<SignalSource, "id" | "name" | "kind" | "token" | "isTimestampRequired" | "check"> {
  /** The sealed secret. */
  readonly sealed: string
  /** Names of services. */
  readonly services: ReadonlyArray<string>
}

export const create =
  (by: By, { sealed, ...input }: NewSource) =>
  ({ now, services, sources }: OnCall): Either.Either<Decided<SignalSource>, SourceNameTaken | ServiceUnknown> =>
    Either.gen(function* () {
      if (sources.some(isNamed(input.name))) return yield* Either.left(new SourceNameTaken({ source: input.name }))
      const source = new SignalSource({
        ...input,
        secrets: [{ sealed, until: null }],
        services: yield* servicesNamed(services, input.services),
        topic: null,
        disconnectedAt: null,
        credentials: null,
        pausedAt: null,
        createdAt: now,
        updatedAt: null,
        deletedAt: null
      })
      return yield* answered(sourceChanged(by, null, source), source)
    })

const replaced = (by: By, before: SignalSource, changes: Partial<SignalSource>, now: DateTime.Utc, what?: string) => {
  const after = { ...before, ...changes, updatedAt: now }
  return answered(sourceChanged(by, before, after, what), new SignalSource(after))
}

/** Decides on the source of that name. */
const onSource =
  <At extends OnCall, E>(
    name: string,
    decide: (source: SignalSource, at: At) => Either.Either<Decided<SignalSource>, E>
  ) =>
  (at: At): Either.Either<Decided<SignalSource>, SourceUnknown | E> =>
    Either.flatMap(sourceNamed(at.sources, name), (source) => decide(source, at))

export const pause = (by: By, name: string) =>
  onSource(name, (source, { now }: OnCall) =>
    source.pausedAt === null
      ? replaced(by, source, { pausedAt: now }, now)
      : Either.left(new SourceAlreadySo({ source: name, state: "paused" }))
  )

export const resume = (by: By, name: string) =>
  onSource(name, (source, { now }: OnCall) =>
    source.pausedAt === null
      ? Either.left(new SourceAlreadySo({ source: name, state: "active" }))
      : replaced(by, source, { pausedAt: null }, now)
  )

const overlapHours = 24

/** Sets a new sealed secret; the previous one stays valid for another day. */
export const setSecret = (by: By, name: string, sealed: string) =>
  onSource(name, (source, { now }: OnCall) => {
    const [newest] = source.secrets
    const until = DateTime.add(now, { hours: overlapHours })
    return replaced(
      by,
      source,
      {
        secrets: [
          { sealed, until: null },
          { ...newest, until }
        ]
      },
      now,
      "secret"
    )
  })

export const setCredentials = (by: By, name: string, sealed: string) =>
  onSource(name, (source, { now }: OnCall) =>
    replaced(by, source, { credentials: sealed, trouble: null }, now, "credentials")
  )

const mostWords = 50

/** Returns the words of a source after additions, changes and removals. */
const mapped = ({ name, severities }: SignalSource, changes: ReadonlyMap<string, Severity | null>) => {
  const words = new Map<string, Severity>(Object.entries(severities))
  for (const [word, severity] of changes) {
    if (severity === null) words.delete(plain(word))
    else words.set(plain(word), severity)
  }
  return words.size > mostWords
    ? Either.left(new TooManyWords({ source: name, count: words.size, most: mostWords }))
    : Either.right(Object.fromEntries(words))
}

export interface SourceChanges {
  /** Names of services. */
  readonly services: ReadonlyArray<string> | null
  readonly isTimestampRequired: boolean | null
  readonly check?: Partial<UptimeCheck.Check> | null
  /** Words to add; a word without a severity is removed. */
  readonly severities?: ReadonlyMap<string, Severity | null>
}

/** Sets its services, its need for signed times, its words for severities and its check. */
export const set = (by: By, name: string, changes: SourceChanges, expected: DateTime.Utc | null = null) =>
  onSource(name, (source, { now, services }: OnCall) =>
    Either.gen(function* () {
      yield* checkVersion(`The source '${source.name}'`, source, expected)
      if (changes.isTimestampRequired !== null || changes.severities !== undefined) yield* posting(source)
      const ids = changes.services && (yield* servicesNamed(services, changes.services))
      const check = yield* checkOf(source.kind, changes.check ?? null, source.check)
      return yield* replaced(
        by,
        source,
        {
          ...(ids !== null && { services: ids }),
          isTimestampRequired: changes.isTimestampRequired ?? source.isTimestampRequired,
          severities: yield* mapped(source, changes.severities ?? new Map()),
          check
        },
        now,
        check?.url === source.check?.url ? undefined : "url"
      )
    })
  )

/** Deletes a source and ends its alerts, with the incidents that hold no others. */
export const remove = (by: By, name: string, confirm: string) =>
  onSource(name, (source, at: OnCallContext): Either.Either<Decided<SignalSource>, NotConfirmed> => {
    if (confirm !== source.name) return Either.left(new NotConfirmed({ given: confirm, expected: source.name }))
    const deletion = sourceChanged(by, source, { ...source, deletedAt: at.now }, "deleted")
    const explanation = `${by.actor.name} deleted the source ${source.name}.`
    return answered(withEndedAlerts(by, at, deletion, explanation), source)
  })

/** Records that the tool confirmed its topic, or announced that it sends no more. */
export const shakeHands =
  (by: By, source: SignalSource, handshake: { readonly type: "confirm" | "disconnect"; readonly topic: string }) =>
  ({ now, sources }: OnCall): Either.Either<Decided<void>> => {
    const current = sources.find(({ id }) => id === source.id) ?? source
    const next =
      handshake.type === "confirm" ? { topic: handshake.topic, disconnectedAt: null } : { disconnectedAt: now }
    return answered(sourceChanged(by, current, { ...current, ...next, updatedAt: now }), undefined)
  }
