import { Either, ParseResult } from "effect"

/** Builds a domain object and maps a schema failure to an error that names the field. */
export const validated = <A, E>(make: () => A, refuse: (field: string, problem: string) => E): Either.Either<A, E> =>
  Either.try({
    try: make,
    catch: (error) => {
      if (!ParseResult.isParseError(error)) throw error
      const [issue] = ParseResult.ArrayFormatter.formatErrorSync(error)
      return refuse((issue?.path ?? []).join("."), issue?.message ?? "is not valid")
    }
  })
