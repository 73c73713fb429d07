import { Either, Redacted, Schema } from "effect"
import { parseUrl, withoutSlashes } from "../../domain/value/Text.ts"
import { InvalidCredentials } from "../../application/ports/SourceApis.ts"

/** Characters that a header can carry. */
export const Key = Schema.String.pipe(Schema.pattern(/^[\x21-\x7e]{1,500}$/))

export const Region = Schema.Literal("us", "eu")

const isBase = (text: string): boolean => {
  const url = parseUrl(text)
  if (url === null) return false
  const { hash, password, protocol, search, username } = url
  return /^https?:$/.test(protocol) && username + password + search + hash === ""
}

/** Another address of the tool, such as a proxy's; paths are appended to it. */
export const Base = Schema.transform(Schema.String.pipe(Schema.filter(isBase)), Schema.String, {
  strict: true,
  decode: (text) => new URL(text).origin + withoutSlashes(new URL(text).pathname),
  encode: (base) => base
})

/** Decodes pasted text; an error shows only the expected form `looks`, since the text may be the secret. */
export const reader = <A, I>(schema: Schema.Schema<A, I>, looks: string) => {
  const decode = Schema.decodeUnknownEither(Schema.parseJson(schema), { onExcessProperty: "error" })
  return (credentials: Redacted.Redacted): Either.Either<A, InvalidCredentials> =>
    Either.mapLeft(decode(Redacted.value(credentials)), () => new InvalidCredentials({ problem: looks }))
}
