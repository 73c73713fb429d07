import { Effect, Layer } from "effect"
import * as crypto from "node:crypto"
import { Hashing } from "../../domain/value/Hashing.ts"

const sha256: (text: string) => string =
  "hash" in crypto
    ? (text) => crypto.hash("sha256", text)
    : (text) => crypto.createHash("sha256").update(text).digest("hex")

/** Hashes synchronously in this thread: a small text is hashed sooner than a worker thread is woken. */
export const layer = Layer.succeed(Hashing, {
  sha256: (text) => Effect.succeed(sha256(text)),
  hmac: (key, bytes) => Effect.succeed(crypto.createHmac("sha256", key).update(bytes).digest())
})
