import { Schema } from "effect"
import { TokenId } from "./ApiToken.ts"
import { Timestamp } from "../value/Timestamp.ts"

/** What a client may send to make a repeated request answer as the first did. */
export const IdempotencyKey = Schema.String.pipe(Schema.pattern(/^[\x21-\x7e]{1,255}$/))

export const keptForHours = 24

/** The first answer under a token's idempotency key. */
export class KeptAnswer extends Schema.Class<KeptAnswer>("KeptAnswer")({
  token: TokenId,
  key: IdempotencyKey,
  /** What was asked: another request under the same key is a mistake. */
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
