import { Effect, Schema } from "effect"
import { bytesOf, sha256 } from "../value/Hashing.ts"
import { Severity } from "../value/Severity.ts"
import { Timestamp } from "../value/Timestamp.ts"

export const Link = Schema.Struct({ label: Schema.String, url: Schema.String })
export type Link = typeof Link.Type

/** What a delivery says of one alert, whichever tool sent it. */
export const Signal = Schema.Struct({
  title: Schema.String,
  status: Schema.Literal("firing", "resolved"),
  /** The alert's identity within its source. */
  fingerprint: Schema.String,
  /** Null when the tool does not say: a recovery keeps the severity there was. */
  severity: Schema.NullOr(Severity),
  /** The tool's word for the severity, where nobody knows it. */
  unknownSeverity: Schema.optionalWith(Schema.String, { exact: true }),
  /** The name by which the tool knows the service. */
  service: Schema.NullOr(Schema.String),
  environment: Schema.NullOr(Schema.String),
  description: Schema.NullOr(Schema.String),
  startedAt: Schema.NullOr(Timestamp),
  endedAt: Schema.NullOr(Timestamp),
  labels: Schema.Record({ key: Schema.String, value: Schema.String }),
  links: Schema.Array(Link),
  /** When it happened by the tool's own clock, by which late retries are told. */
  at: Schema.NullOr(Timestamp),
  /** Fires whatever was seen before, as when a person opens it again in the tool. */
  isReopening: Schema.Boolean,
  /** A person looks after it, which is no new firing. Deliveries kept from before do not say it. */
  isAcknowledgement: Schema.optionalWith(Schema.Boolean, { default: () => false }),
  /** Somebody tries the connection; nobody is woken. */
  isTest: Schema.Boolean
})
export type Signal = typeof Signal.Type

/** What a delivery holds: alerts, those among them that cannot be read, or a word why there are none. */
export interface Decoded {
  readonly signals: ReadonlyArray<Signal>
  readonly rejected: ReadonlyArray<{ readonly index: number; readonly message: string }>
  /** Set when the delivery is of a kind that is no alert: an event type nobody asked for, a handshake. */
  readonly ignored: string | null
}

export class UnreadableAlert extends Schema.TaggedError<UnreadableAlert>()("UnreadableAlert", {
  problem: Schema.String
}) {
  override get message() {
    return `The alert cannot be read: ${this.problem}.`
  }
}

/** Each part with its length before it, so that no two lists of parts are one text. */
const lengthPrefixed = (parts: ReadonlyArray<string>): string =>
  parts.map((part) => `${bytesOf(part).length}:${part}`).join("")

const digest = (parts: ReadonlyArray<string>): Effect.Effect<string> =>
  Effect.map(sha256(lengthPrefixed(parts)), (hash) => `v1:${hash}`)

const order = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)

/** The identity of an alert that names none: its title and labels, in whatever order they were sent. */
export const fingerprintOf = (title: string, labels: Readonly<Record<string, string>>): Effect.Effect<string> =>
  digest([
    title,
    ...Object.entries(labels)
      .toSorted(([a], [b]) => order(a, b))
      .flat()
  ])

/** An identity too long to be kept is known by its hash. */
export const keepable = (fingerprint: string): Effect.Effect<string> =>
  fingerprint.length <= 200 ? Effect.succeed(fingerprint) : digest([fingerprint])
