import { Effect, Either, Encoding, Redacted, Schema } from "effect"

export class InvalidProof extends Schema.TaggedError<InvalidProof>()("InvalidProof", { problem: Schema.String }) {
  override get message() {
    return `This delivery is not proven to come from the source: ${this.problem}.`
  }
}

export class TimestampOutOfWindow extends Schema.TaggedError<TimestampOutOfWindow>()("TimestampOutOfWindow", {
  header: Schema.String,
  seconds: Schema.Int
}) {
  override get message() {
    const off = Math.abs(this.seconds)
    return `${this.header} is ${off} s ${this.seconds > 0 ? "old" : "ahead"}; at most 300 s are allowed. Check the sender's clock and sign anew.`
  }
}

export const replayWindowSeconds = 300

const encoder = new TextEncoder()
const algorithm = { name: "HMAC", hash: "SHA-256" }

const keyOf = (secret: Redacted.Redacted) =>
  crypto.subtle.importKey("raw", encoder.encode(Redacted.value(secret)), algorithm, false, ["sign", "verify"])

const joined = (prefix: string, body: Uint8Array): Uint8Array<ArrayBuffer> => {
  const head = encoder.encode(prefix)
  const text = new Uint8Array(head.length + body.length)
  text.set(head)
  text.set(body, head.length)
  return text
}

/** HMAC-SHA256 over raw bytes and comparison of secrets, both in constant time. */
export class Signature extends Effect.Service<Signature>()("domain/Signature", {
  succeed: {
    /** Whether one of the signatures, in hex of either case, is that of the text by one of the secrets. */
    signs: (
      secrets: ReadonlyArray<Redacted.Redacted>,
      signatures: ReadonlyArray<string>,
      body: Uint8Array,
      prefix = ""
    ): Effect.Effect<boolean> =>
      Effect.gen(function* () {
        const text = joined(prefix, body)
        for (const secret of secrets) {
          const key = yield* Effect.promise(() => keyOf(secret))
          for (const signature of signatures) {
            const bytes = Either.getOrElse(Encoding.decodeHex(signature.toLowerCase()), () => new Uint8Array(0))
            if (bytes.length !== 32) continue
            if (yield* Effect.promise(() => crypto.subtle.verify(algorithm, key, new Uint8Array(bytes), text)))
              return true
          }
        }
        return false
      }),
    /** Whether what was given is one of the secrets. Hashed under a key of the moment, so time tells nothing of either. */
    isOneOf: (secrets: ReadonlyArray<Redacted.Redacted>, given: string): Effect.Effect<boolean> =>
      Effect.gen(function* () {
        const key = yield* Effect.promise(() =>
          crypto.subtle.importKey("raw", crypto.getRandomValues(new Uint8Array(32)), algorithm, false, [
            "sign",
            "verify"
          ])
        )
        let isOne = false
        for (const secret of secrets) {
          const mark = yield* Effect.promise(() =>
            crypto.subtle.sign(algorithm, key, encoder.encode(Redacted.value(secret)))
          )
          if (yield* Effect.promise(() => crypto.subtle.verify(algorithm, key, mark, encoder.encode(given))))
            isOne = true
        }
        return isOne
      })
  }
}) {}
