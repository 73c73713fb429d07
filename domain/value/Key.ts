import { Effect, type Option, Random, Schema } from "effect"

/** Crockford's alphabet in lower case: no i, l, o, u. */
const alphabet = "0123456789abcdefghjkmnpqrstvwxyz"

export const shape = (kind: string): RegExp => new RegExp(`^${kind}-[${alphabet}]{4}$`)

/** Keys are random, so the store draws again when one is taken. */
export const draw = (kind: string): Effect.Effect<string> =>
  Effect.map(
    Random.nextIntBetween(0, alphabet.length ** 4),
    (drawn) => `${kind}-${[15, 10, 5, 0].map((bits) => alphabet[(drawn >> bits) & 31]).join("")}`
  )

/** Looks keys up case-insensitively; a malformed key is none. */
export const parser = <A>(schema: Schema.Schema<A, string>, normalise: (text: string) => string) => {
  const decode = Schema.decodeOption(schema)
  return (text: string): Option.Option<A> => decode(normalise(text))
}

/** Draws several keys at once, so that the store can skip taken ones. */
export const drawMany = <K extends string>(kind: string, count: number): Effect.Effect<ReadonlyArray<K>> =>
  Effect.map(Effect.replicateEffect(draw(kind), count), (keys) => [...new Set(keys.map((key) => key as K))])
