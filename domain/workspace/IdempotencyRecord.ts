import { Schema } from "effect"
import { Timestamp } from "../value/Timestamp.ts"

/** A key a client may send, so that a repeated request returns the first answer. */
export const IdempotencyKey = Schema.String.pipe(Schema.pattern(/^[\x21-\x7e]{1,255}$/))

export const keptForHours = 24

/** The first answer under an idempotency key of a client. */
export class IdempotencyRecord extends Schema.Class<IdempotencyRecord>("IdempotencyRecord")({
  /** The client: its API token, or its session in the app. */
  token: Schema.UUID,
  key: IdempotencyKey,
  /** The first request: another request under the same key is a mistake. */
  request: Schema.String,
  answer: Schema.String,
  createdAt: Timestamp
}) {}

export class IdempotencyKeyReused extends Schema.TaggedError<IdempotencyKeyReused>()("IdempotencyKeyReused", {
  key: Schema.String
}) {
  override get message() {
    return `Idempotency-Key '${this.key}' was used for another request in the last ${keptForHours} hours. Choose a new key.`
  }
}
