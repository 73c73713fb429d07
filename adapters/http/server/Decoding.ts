import { Either, ParseResult, Schema } from "effect"
import { InvalidRequest } from "../../api/HttpErrors.ts"

const shown = (value: unknown): string => {
  const text = value === undefined ? "nothing" : JSON.stringify(value)
  return text.length > 100 ? `${text.slice(0, 99)}…` : text
}

const valueAt = (value: unknown, path: ReadonlyArray<PropertyKey>): unknown =>
  path.reduce<unknown>((at, key) => (typeof at === "object" && at !== null ? Reflect.get(at, key) : undefined), value)

/** Decodes a body or the arguments of a tool; the error names the field. */
export const decoded = <A, I>(schema: Schema.Schema<A, I>, body: unknown): Either.Either<A, InvalidRequest> =>
  Either.mapLeft(Schema.decodeUnknownEither(schema)(body), (error) => {
    const [issue] = ParseResult.ArrayFormatter.formatErrorSync(error)
    const path = issue?.path ?? []
    return new InvalidRequest({
      field: path.map(String).join("."),
      problem: `is refused: ${issue?.message ?? "it does not match"}; got ${shown(valueAt(body, path))}`
    })
  })
