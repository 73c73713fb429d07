import { Effect, Layer } from "effect"
import * as crypto from "node:crypto"
import { Hashing } from "../../domain/Hashing.ts"

const sha256: (bytes: Uint8Array) => Uint8Array =
  "hash" in crypto
    ? (bytes) => crypto.hash("sha256", bytes, "buffer")
    : (bytes) => crypto.createHash("sha256").update(bytes).digest()

/** At once and in this thread: a small text is hashed sooner than a thread is woken for it. */
export const layer = Layer.succeed(Hashing, {
  sha256: (bytes) => Effect.sync(() => sha256(bytes)),
  hmac: (key, bytes) => Effect.sync(() => crypto.createHmac("sha256", key).update(bytes).digest())
})
