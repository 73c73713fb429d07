import { Effect, Schema } from "effect"
import { bytesOf, sha256 } from "../value/Hashing.ts"
import { Severity } from "../value/Severity.ts"
import { Timestamp } from "../value/Timestamp.ts"

export const Link = Schema.Struct({ label: Schema.String, url: Schema.String })
export type Link = typeof Link.Type

/** The state of one alert in a delivery, in the same form for every tool. */
export const Signal = Schema.Struct({
  title: Schema.String,
  status: Schema.Literal("firing", "resolved"),
  /** The alert's identity within its source. */
  fingerprint: Schema.String,
  /** Null when the tool sends none: a recovery keeps the alert's severity. */
  severity: Schema.NullOr(Severity),
  /** The tool's word for the severity, when no vocabulary has it. */
  unknownSeverity: Schema.optionalWith(Schema.String, { exact: true }),
  /** The name by which the tool knows the service. */
  service: Schema.NullOr(Schema.String),
  environment: Schema.NullOr(Schema.String),
  description: Schema.NullOr(Schema.String),
  startedAt: Schema.NullOr(Timestamp),
  endedAt: Schema.NullOr(Timestamp),
  labels: Schema.Record({ key: Schema.String, value: Schema.String }),
  links: Schema.Array(Link),
  /** Time of the event by the tool's own clock; late retries are detected by it. */
  at: Schema.NullOr(Timestamp),
  /** Fires regardless of an earlier recovery, as when a person reopens it in the tool. */
  isReopening: Schema.Boolean,
  /** A person acknowledged it, which is no new firing. Stored deliveries from before this field lack it. */
  isAcknowledgement: Schema.optionalWith(Schema.Boolean, { default: () => false }),
  /** A test of the connection; nobody is notified. */
  isTest: Schema.Boolean
})
export type Signal = typeof Signal.Type

/** Content of a delivery: alerts, the undecodable ones among them, or the reason there are none. */
export interface Decoded {
  readonly signals: ReadonlyArray<Signal>
  readonly rejected: ReadonlyArray<{ readonly index: number; readonly message: string }>
  /** Set when the delivery is no alert: an unused event type, a handshake. */
  readonly ignored: string | null
}

export class UnreadableAlert extends Schema.TaggedError<UnreadableAlert>()("UnreadableAlert", {
  problem: Schema.String
}) {
  override get message() {
    return `The alert cannot be read: ${this.problem}.`
  }
}

/** Prefixes each part with its length, so that no two lists of parts give one text. */
const lengthPrefixed = (parts: ReadonlyArray<string>): string =>
  parts.map((part) => `${bytesOf(part).length}:${part}`).join("")

const digest = (parts: ReadonlyArray<string>): Effect.Effect<string> =>
  Effect.map(sha256(lengthPrefixed(parts)), (hash) => `v1:${hash}`)

const order = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)

/** The identity of an alert that names none: its title and labels, in any order. */
export const fingerprintOf = (title: string, labels: Readonly<Record<string, string>>): Effect.Effect<string> =>
  digest([
    title,
    ...Object.entries(labels)
      .toSorted(([a], [b]) => order(a, b))
      .flat()
  ])

/** Replaces an identity that is too long to store by its hash. */
export const keepable = (fingerprint: string): Effect.Effect<string> =>
  fingerprint.length <= 200 ? Effect.succeed(fingerprint) : digest([fingerprint])
