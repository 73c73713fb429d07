import * as FileSystem from "@effect/platform/FileSystem"
import * as Path from "@effect/platform/Path"
import { Effect, Encoding, Layer, Option, Redacted, Schema } from "effect"
import { OldSecretKeys, SecretKey } from "../../application/secrets/SecretKey.ts"
import * as Settings from "../Settings.ts"

export class SecretKeyMissing extends Schema.TaggedError<SecretKeyMissing>()("SecretKeyMissing", {}) {
  override get message() {
    return "SECRET_KEY is required with DATABASE_URL: 32 bytes in base64. Make one with 'openssl rand -base64 32' and keep it."
  }
}

export class SecretKeyUnreadable extends Schema.TaggedError<SecretKeyUnreadable>()("SecretKeyUnreadable", {
  file: Schema.String,
  reason: Schema.String
}) {
  override get message() {
    return `The secret key in ${this.file} cannot be used: ${this.reason}. Restore it, or set SECRET_KEY.`
  }
}

/** Created on the first start, synced before use, kept beside the data; concurrent starts use the one linked first. */
const kept = Effect.gen(function* () {
  const files = yield* FileSystem.FileSystem
  const paths = yield* Path.Path
  const folder = yield* Settings.dataDir
  const file = paths.join(folder, "secret-key")
  const unusable = (reason: string) => new SecretKeyUnreadable({ file, reason })
  if (!(yield* files.exists(file))) {
    const fresh = paths.join(folder, `.secret-key-${crypto.randomUUID()}`)
    yield* files.makeDirectory(folder, { recursive: true })
    yield* Effect.scoped(
      Effect.gen(function* () {
        const written = yield* files.open(fresh, { flag: "wx", mode: 0o600 })
        yield* written.writeAll(Buffer.from(Encoding.encodeBase64(crypto.getRandomValues(new Uint8Array(32)))))
        yield* written.sync
      })
    )
    yield* Effect.ignore(files.link(fresh, file))
    yield* files.remove(fresh)
    yield* Effect.scoped(Effect.flatMap(files.open(folder, { flag: "r" }), ({ sync }) => sync))
  }
  const text = yield* files.readFileString(file)
  const key = yield* Effect.mapError(Encoding.decodeBase64(text.trim()), () => unusable("it is not base64"))
  if (key.length !== 32) return yield* unusable(`it has ${key.length} bytes instead of 32`)
  return Redacted.make(key)
}).pipe(
  Effect.catchTag("BadArgument", "SystemError", (error) =>
    Effect.flatMap(
      Settings.dataDir,
      (folder) => new SecretKeyUnreadable({ file: `${folder}/secret-key`, reason: error.message })
    )
  )
)

/** The key of the settings; required with an external database, which has no folder to keep one in. */
export const given = Effect.gen(function* () {
  const key = yield* Settings.secretKey
  if (Option.isNone(key) && Option.isSome(yield* Settings.databaseUrl)) return yield* new SecretKeyMissing()
  return key
})

export const key = Effect.flatMap(given, Option.match({ onNone: () => kept, onSome: Effect.succeed }))

/** Secrets sealed with older keys open too. */
export const old = Layer.effect(OldSecretKeys, Settings.oldSecretKeys)

export const layer = Layer.merge(Layer.effect(SecretKey, key), old)
