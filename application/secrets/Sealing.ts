import { Array, Context, Effect, Either, Encoding, Layer, Redacted, Schema } from "effect"
import { boundedCache } from "../../domain/value/BoundedCache.ts"
import { OldSecretKeys, SecretKey } from "./SecretKey.ts"

/** The secret was sealed with another key or for another owner, or was altered. */
export class SealBroken extends Schema.TaggedError<SealBroken>()("SealBroken", { about: Schema.String }) {
  override get message() {
    return `A secret of ${this.about} does not open: it was sealed with another SECRET_KEY, or was altered.`
  }
}

const encoder = new TextEncoder()

const derived = (secret: Redacted.Redacted<Uint8Array>) =>
  Effect.promise(async () => {
    const material = await crypto.subtle.importKey("raw", new Uint8Array(Redacted.value(secret)), "HKDF", false, [
      "deriveBits"
    ])
    const info = encoder.encode("gatehouse sealing v1")
    const bits = await crypto.subtle.deriveBits(
      { name: "HKDF", hash: "SHA-256", salt: new Uint8Array(0), info },
      material,
      320
    )
    const key = await crypto.subtle.importKey("raw", bits.slice(0, 32), "AES-GCM", false, ["encrypt", "decrypt"])
    return { key, id: Encoding.encodeHex(new Uint8Array(bits.slice(32, 36))) }
  })

/** Secrets needed in the clear are stored as AES-256-GCM, bound to their owner. */
export class Sealing extends Context.Tag("application/Sealing")<
  Sealing,
  {
    readonly seal: (secret: Redacted.Redacted, about: string) => Effect.Effect<string>
    /** Opens a secret with any of the keys. */
    readonly open: (sealed: string, about: string) => Effect.Effect<Redacted.Redacted, SealBroken>
    /** Returns the secrets that open. */
    readonly openSome: (sealed: ReadonlyArray<string>, about: string) => Effect.Effect<ReadonlyArray<Redacted.Redacted>>
    /** The sealing key, then the keys that only open. */
    readonly keyIds: Effect.Effect<readonly [string, ...Array<string>]>
  }
>() {}

const make = Effect.fnUntraced(function* (secret: Effect.Effect<Redacted.Redacted<Uint8Array>>) {
  const key = yield* Effect.cached(Effect.flatMap(secret, derived))
  const older = yield* Effect.cached(Effect.forEach(yield* OldSecretKeys, derived))
  // Every delivery needs its source's secret.
  const opened = boundedCache<string, Redacted.Redacted>()
  const open = (sealed: string, about: string): Effect.Effect<Redacted.Redacted, SealBroken> => {
    const known = opened.get(`${about} ${sealed}`)
    if (known !== undefined) return Effect.succeed(known)
    return Effect.gen(function* () {
      const broken = new SealBroken({ about })
      const [version, by, body = ""] = sealed.split(".")
      const opening = [yield* key, ...(yield* older)].find(({ id }) => id === by)?.key
      if (version !== "v1" || opening === undefined) return yield* broken
      const bytes = Either.getOrElse(Encoding.decodeBase64Url(body), () => new Uint8Array(0))
      const additionalData = encoder.encode(about)
      const text = yield* Effect.tryPromise({
        try: () =>
          crypto.subtle.decrypt({ name: "AES-GCM", iv: bytes.slice(0, 12), additionalData }, opening, bytes.slice(12)),
        catch: () => broken
      })
      return opened.set(`${about} ${sealed}`, Redacted.make(new TextDecoder().decode(text)))
    })
  }
  return Sealing.of({
    seal: (text, about) =>
      Effect.gen(function* () {
        const { id, key: sealing } = yield* key
        const iv = crypto.getRandomValues(new Uint8Array(12))
        const additionalData = encoder.encode(about)
        const bytes = yield* Effect.promise(() =>
          crypto.subtle.encrypt({ name: "AES-GCM", iv, additionalData }, sealing, encoder.encode(Redacted.value(text)))
        )
        return `v1.${id}.${Encoding.encodeBase64Url(new Uint8Array([...iv, ...new Uint8Array(bytes)]))}`
      }),
    open,
    openSome: (sealed, about) => {
      const known = sealed.flatMap((one) => opened.get(`${about} ${one}`) ?? [])
      return known.length === sealed.length
        ? Effect.succeed(known)
        : Effect.map(
            Effect.forEach(sealed, (one) => Effect.option(open(one, about))),
            Array.getSomes
          )
    },
    keyIds: Effect.gen(function* () {
      const { id } = yield* key
      return [id, ...(yield* older).map((old) => old.id)]
    })
  })
})

export const layer = Layer.effect(
  Sealing,
  Effect.flatMap(SecretKey, (secret) => make(Effect.succeed(secret)))
)

/** Reads the key on first use: most commands seal nothing. */
export const lazily = <R>(secret: Effect.Effect<Redacted.Redacted<Uint8Array>, never, R>) =>
  Layer.effect(
    Sealing,
    Effect.flatMap(Effect.context<R>(), (context) => make(Effect.provide(secret, context)))
  )
