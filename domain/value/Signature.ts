import { Effect, Either, Encoding, Redacted, Schema } from "effect"
import { bytesOf, hmac, isSame } from "./Hashing.ts"

export class InvalidProof extends Schema.TaggedError<InvalidProof>()("InvalidProof", { problem: Schema.String }) {
  override get message() {
    return `This delivery is not proven to come from the source: ${this.problem}.`
  }
}

export class TimestampOutOfWindow extends Schema.TaggedError<TimestampOutOfWindow>()("TimestampOutOfWindow", {
  header: Schema.String,
  /** Positive when the timestamp is old, negative when it is ahead. */
  seconds: Schema.Number,
  most: Schema.Int
}) {
  override get message() {
    // Rounded away from the limit, so that the message never names the limit itself.
    const off = Math.ceil(Math.abs(this.seconds))
    return `${this.header} is ${off} s ${this.seconds > 0 ? "old" : "ahead"}; at most ${this.most} s are allowed. Check the sender's clock and sign anew.`
  }
}

export const replayWindowSeconds = 300

/** Amazon SNS retries a message for an hour at most. */
export const snsWindowSeconds = 3600

const keyOf = (secret: Redacted.Redacted) => bytesOf(Redacted.value(secret))

const joined = (prefix: string, body: Uint8Array): Uint8Array<ArrayBuffer> => {
  const head = bytesOf(prefix)
  const text = new Uint8Array(head.length + body.length)
  text.set(head)
  text.set(body, head.length)
  return text
}

/** HMAC-SHA256 over raw bytes and comparison of secrets, both in constant time. */
export class Signature extends Effect.Service<Signature>()("domain/Signature", {
  succeed: {
    /** Checks that one of the signatures, in hex of either case, signs the text with one of the secrets. */
    signs: (
      secrets: ReadonlyArray<Redacted.Redacted>,
      signatures: ReadonlyArray<string>,
      body: Uint8Array,
      prefix = ""
    ): Effect.Effect<boolean> => {
      const text = joined(prefix, body)
      const given = signatures.map((signature) =>
        Either.getOrElse(Encoding.decodeHex(signature.toLowerCase()), () => new Uint8Array(0))
      )
      return Effect.exists(secrets, (secret) =>
        Effect.map(hmac(keyOf(secret), text), (expected) => given.some((one) => isSame(expected, one)))
      )
    },
    /** Checks that the given text is one of the secrets. Hashes under a random key, so that timing reveals neither. */
    isOneOf: (secrets: ReadonlyArray<Redacted.Redacted>, given: string): Effect.Effect<boolean> =>
      Effect.gen(function* () {
        const key = crypto.getRandomValues(new Uint8Array(32))
        const mark = yield* hmac(key, bytesOf(given))
        let isOne = false
        for (const secret of secrets) if (isSame(mark, yield* hmac(key, keyOf(secret)))) isOne = true
        return isOne
      })
  }
}) {}
