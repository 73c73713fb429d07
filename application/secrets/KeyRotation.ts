import { Effect, Schema } from "effect"
import { keyIdOf } from "../../domain/value/SecretBinding.ts"
import { SecretStore } from "../ports/SecretStore.ts"
import { Sealing } from "./Sealing.ts"

export class SecretKeyWrong extends Schema.TaggedError<SecretKeyWrong>()("SecretKeyWrong", {
  unknown: Schema.Array(Schema.String),
  known: Schema.Array(Schema.String)
}) {
  override get message() {
    const [unknown, known] = [this.unknown, this.known].map((ids) => ids.join(","))
    return `SECRET_KEY does not open the secrets in this database: they were sealed with the key ${unknown}, and this is ${known}. Start with the key they were sealed with; to change it, set the new one as SECRET_KEY and the old one as SECRET_KEY_OLD. If it is lost, set SECRET_KEY_LOST=${unknown} and set the secrets anew.`
  }
}

/** Fails unless the keys open all secrets, since the service would refuse every alert; reseals secrets of old keys. */
export const begin = Effect.fn("KeyRotation.begin")(function* (lost: ReadonlyArray<string>) {
  const store = yield* SecretStore
  const sealing = yield* Sealing
  const known = yield* sealing.keyIds
  const [, ...old] = known
  const unknown = (yield* store.keyIds).filter((id) => !known.includes(id) && !lost.includes(id))
  if (unknown.length > 0) return yield* new SecretKeyWrong({ unknown, known })
  let rewrapped = 0
  yield* store.rewrap(old, (sealed, about) => {
    if (!old.includes(keyIdOf(sealed))) return Effect.succeed(sealed)
    rewrapped++
    return Effect.flatMap(sealing.open(sealed, about), (secret) => sealing.seal(secret, about))
  })
  if (rewrapped > 0)
    yield* Effect.logInfo(`secrets sealed anew with SECRET_KEY: ${rewrapped}; SECRET_KEY_OLD is no longer needed`)
})
