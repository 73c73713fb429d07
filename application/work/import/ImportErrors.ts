import { Either, ParseResult } from "effect"
import { InvalidDocument, pathOf } from "./ImportDocument.ts"

export type Path = ReadonlyArray<PropertyKey>
export type Planned<A> = Either.Either<A, InvalidDocument>

export const refuse = (path: Path, problem: string) => Either.left(new InvalidDocument({ path: pathOf(path), problem }))

const isShape = (text: string) => /^an? /.test(text)

const shorten = (text: string) => (text.length > 80 && !isShape(text) ? `${text.slice(0, 80)}…` : text)

/** Words such as `"s", "m"` become one list, a shape and its alternatives a sentence. */
const oneOf = (words: ReadonlyArray<string>) =>
  words.length === 1 || words.some(isShape) ? words.join(" or ") : `one of ${words.join(", ")}`

const expectation = /^Expected (.*?), actual (.*)$/s

/** Maps a schema error to the problem at its deepest path; alternatives become one list. */
export const invalid = (error: ParseResult.ParseError, path: Path = []) => {
  const issues = ParseResult.ArrayFormatter.formatErrorSync(error)
  const depth = Math.max(...issues.map((issue) => issue.path.length))
  const [first, ...others] = issues.filter((issue) => issue.path.length === depth)
  const wanted = [first, ...others].map((issue) => expectation.exec(issue?.message ?? ""))
  const words = wanted.flatMap((match) => (match?.[1] && match[1] !== "undefined" ? [shorten(match[1])] : []))
  const problem =
    wanted.every((match) => match !== null) && (others.length > 0 || words.some(isShape))
      ? `must be ${oneOf(words)}; got ${shorten(wanted[0]?.[2] ?? "")}`
      : (first?.message ?? "is not valid")
  return new InvalidDocument({ path: pathOf([...path, ...(first?.path ?? [])]), problem: problem.slice(0, 500) })
}

export const orRefuse = <A>(value: A | undefined, path: Path, problem: string): Planned<A> =>
  value === undefined ? refuse(path, problem) : Either.right(value)

/** Builds a domain object and maps a schema failure to an error at the object's path in the document. */
export const build = <A>(path: Path, make: () => A): Planned<A> =>
  Either.try({
    try: make,
    catch: (error) => {
      if (!ParseResult.isParseError(error)) throw error
      return invalid(error, path)
    }
  })

export const isStated = <A>(value: A | null | undefined): value is A => value !== null && value !== undefined

/** Refuses a list in which two items have the same key. */
export const unique = <A>(
  list: string,
  items: ReadonlyArray<A>,
  field: string,
  keyOf: (item: A) => string | null | undefined
): Planned<void> => {
  const seen = new Map<string, number>()
  for (const [index, item] of items.entries()) {
    const key = keyOf(item)
    if (!isStated(key)) continue
    const first = seen.get(key)
    if (first !== undefined) return refuse([list, index, field], `'${key}' stands already at ${list}[${first}]`)
    seen.set(key, index)
  }
  return Either.void
}
