import { Context, type DateTime, type Effect, Either, type Redacted, Schema } from "effect"
import type { Words } from "../../domain/value/Severity.ts"
import type { Decoded, UnreadableAlert } from "../../domain/oncall/Signal.ts"
import type { InvalidProof, Signature, TimestampOutOfWindow } from "../../domain/value/Signature.ts"
import type { PostingKind } from "../../domain/oncall/SignalSource.ts"
import type { CloudPages } from "./CloudPages.ts"

/** A request as it came; header names are in lower case. */
export interface Post {
  readonly headers: Readonly<Record<string, string | undefined>>
  /** `?key=` of the address, if there was one. */
  readonly key: Redacted.Redacted | null
  /** The bytes as they were sent, which signatures are over. */
  readonly body: Uint8Array
  /** The bytes unpacked, where they were sent packed. */
  readonly unpacked?: Either.Either<Uint8Array, UnreadableAlert>
}

export const contentOf = ({ body, unpacked }: Post): Either.Either<Uint8Array, UnreadableAlert> =>
  unpacked ?? Either.right(body)

/** What a source expects of a post. */
export interface Expected {
  readonly secrets: ReadonlyArray<Redacted.Redacted>
  readonly isTimestampRequired: boolean
  readonly topic: string | null
  /** By the database's clock. */
  readonly now: DateTime.Utc
}

/** What is known of a post that is proven. */
export interface Proven {
  /** Names the delivery, so that the same one is taken once; null when the tool does not name them. */
  readonly delivery: string | null
  /** Set by a tool that asks to be answered before it sends anything. */
  readonly handshake?: Handshake
}

export type Handshake =
  | { readonly type: "confirm"; readonly topic: string; readonly visit: string }
  | { readonly type: "disconnect"; readonly topic: string }

/** The proof cannot be checked now, as when a certificate is out of reach. */
export class ProofUnavailable extends Schema.TaggedError<ProofUnavailable>()("ProofUnavailable", {
  problem: Schema.String
}) {
  override get message() {
    return `The proof of this delivery cannot be checked now: ${this.problem}. Send it again.`
  }
}

/** The body as JSON, with what else of the post a tool's alerts are read from. */
export interface Message {
  readonly headers: Post["headers"]
  readonly json: unknown
  /** The source's own words for severities, which go before the tool's. */
  readonly severities?: Words
}

/** A body a tool really sends, with the headers that belong to what it says. */
export interface Sample {
  readonly headers?: Readonly<Record<string, string>>
  readonly body: unknown
}

/** All that sets one alerting tool apart from another. */
export interface Translator {
  readonly proof: (
    post: Post,
    expected: Expected
  ) => Effect.Effect<Proven, InvalidProof | TimestampOutOfWindow | ProofUnavailable, Signature | CloudPages>
  readonly decode: (message: Message) => Effect.Effect<Decoded, UnreadableAlert>
  readonly samples: { readonly firing: Sample; readonly resolved: Sample }
  /** How to set the tool up, step by step, with what to paste. */
  readonly setup: (place: { readonly url: string; readonly secret: string }) => ReadonlyArray<string>
}

export class AlertTools extends Context.Tag("application/AlertTools")<
  AlertTools,
  Readonly<Record<PostingKind, Translator>>
>() {}
