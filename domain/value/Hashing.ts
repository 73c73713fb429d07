import { Context, Effect, Encoding } from "effect"

interface Functions {
  readonly sha256: (text: string) => Effect.Effect<string>
  readonly hmac: (key: Uint8Array<ArrayBuffer>, bytes: Uint8Array<ArrayBuffer>) => Effect.Effect<Uint8Array>
}

const encoder = new TextEncoder()

export const bytesOf = (text: string): Uint8Array<ArrayBuffer> => encoder.encode(text)

const algorithm = { name: "HMAC", hash: "SHA-256" }

const webCrypto: Functions = {
  sha256: (text) =>
    Effect.promise(async () =>
      Encoding.encodeHex(new Uint8Array(await crypto.subtle.digest("SHA-256", bytesOf(text))))
    ),
  hmac: (key, bytes) =>
    Effect.promise(async () => {
      const imported = await crypto.subtle.importKey("raw", key, algorithm, false, ["sign"])
      return new Uint8Array(await crypto.subtle.sign(algorithm, imported, bytes))
    })
}

/** SHA-256 and HMAC-SHA256. Defaults to Web Crypto, which every runtime has; an adapter may provide a faster one. */
export class Hashing extends Context.Reference<Hashing>()("domain/Hashing", { defaultValue: () => webCrypto }) {}

/** Reads the service in one fiber step; `yield* Hashing` takes three, and every request hashes. */
const hashing = <A>(use: (functions: Functions) => Effect.Effect<A>): Effect.Effect<A> =>
  Effect.withFiberRuntime((fiber) => use(Context.get(fiber.currentContext, Hashing)))

/** Returns hex. */
export const sha256 = (text: string): Effect.Effect<string> => hashing(({ sha256 }) => sha256(text))

export const hmac = (key: Uint8Array<ArrayBuffer>, bytes: Uint8Array<ArrayBuffer>): Effect.Effect<Uint8Array> =>
  hashing(({ hmac }) => hmac(key, bytes))

/** Compares every byte, so that timing does not reveal where two hashes differ. */
export const isSame = (a: Uint8Array, b: Uint8Array): boolean => {
  let difference = a.length ^ b.length
  for (let index = 0; index < a.length; index++) difference |= (a[index] ?? 0) ^ (b[index] ?? 0)
  return difference === 0
}
