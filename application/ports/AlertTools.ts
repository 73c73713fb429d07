import { Context, type DateTime, type Effect, Either, type Redacted, Schema } from "effect"
import type { Words } from "../../domain/value/Severity.ts"
import type { Decoded, UnreadableAlert } from "../../domain/oncall/Signal.ts"
import type { InvalidProof, Signature, TimestampOutOfWindow } from "../../domain/value/Signature.ts"
import type { PostingKind } from "../../domain/oncall/SignalSource.ts"
import type { CloudPages } from "./CloudPages.ts"

/** A request as received; header names are in lower case. */
export interface Post {
  readonly headers: Readonly<Record<string, string | undefined>>
  /** `?key=` of the address, if there was one. */
  readonly key: Redacted.Redacted | null
  /** The bytes as sent, over which signatures are computed. */
  readonly body: Uint8Array
  /** The decompressed bytes, if they were sent compressed. */
  readonly unpacked?: Either.Either<Uint8Array, UnreadableAlert>
}

export const contentOf = ({ body, unpacked }: Post): Either.Either<Uint8Array, UnreadableAlert> =>
  unpacked ?? Either.right(body)

/** Conditions a source requires of a post. */
export interface Expected {
  readonly secrets: ReadonlyArray<Redacted.Redacted>
  readonly isTimestampRequired: boolean
  readonly topic: string | null
  /** By the database's clock. */
  readonly now: DateTime.Utc
}

/** Facts about an authenticated post. */
export interface Proven {
  /** Identifies the delivery, so that it is stored once; null when the tool has no such id. */
  readonly delivery: string | null
  /** Set by a tool that requires an answer before it sends alerts. */
  readonly handshake?: Handshake
}

export type Handshake =
  | { readonly type: "confirm"; readonly topic: string; readonly visit: string }
  | { readonly type: "disconnect"; readonly topic: string }

/** The proof cannot be checked now, as when a certificate cannot be fetched. */
export class ProofUnavailable extends Schema.TaggedError<ProofUnavailable>()("ProofUnavailable", {
  problem: Schema.String
}) {
  override get message() {
    return `The proof of this delivery cannot be checked now: ${this.problem}. Send it again.`
  }
}

/** The body as JSON, with the other parts of the post that a tool's alerts are decoded from. */
export interface Message {
  readonly headers: Post["headers"]
  readonly json: unknown
  /** The source's own words for severities, which precede the tool's. */
  readonly severities?: Words
}

/** A body that the tool really sends, with the matching headers. */
export interface Sample {
  readonly headers?: Readonly<Record<string, string>>
  readonly body: unknown
}

/** Everything specific to one alerting tool. */
export interface Translator {
  readonly proof: (
    post: Post,
    expected: Expected
  ) => Effect.Effect<Proven, InvalidProof | TimestampOutOfWindow | ProofUnavailable, Signature | CloudPages>
  readonly decode: (message: Message) => Effect.Effect<Decoded, UnreadableAlert>
  /** Proves a post as the tool does, for a test of the source; null when only the tool can. */
  readonly sign:
    | ((given: {
        readonly secret: Redacted.Redacted
        readonly body: string
        readonly seconds: number
      }) => Effect.Effect<{
        readonly headers: Readonly<Record<string, string>>
        readonly key: Redacted.Redacted | null
      }>)
    | null
  readonly samples: { readonly firing: Sample; readonly resolved: Sample }
  /** Steps to set the tool up, with the text to paste. */
  readonly setup: (place: { readonly url: string; readonly secret: string }) => ReadonlyArray<string>
}

export class AlertTools extends Context.Tag("application/AlertTools")<
  AlertTools,
  Readonly<Record<PostingKind, Translator>>
>() {}
