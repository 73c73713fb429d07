import { Either, ParseResult, Schema } from "effect"
import { InvalidRequest } from "../../api/HttpErrors.ts"

const shown = (value: unknown): string => {
  const text = value === undefined ? "nothing" : JSON.stringify(value)
  return text.length > 100 ? `${text.slice(0, 99)}…` : text
}

const valueAt = (value: unknown, path: ReadonlyArray<PropertyKey>): unknown =>
  path.reduce<unknown>((at, key) => (typeof at === "object" && at !== null ? Reflect.get(at, key) : undefined), value)

type Issue = Pick<ParseResult.ArrayFormatterIssue, "path" | "message">

const fieldOf = ({ path }: Issue) => path.map(String).join(".")

const problemOf = (body: unknown, { message, path }: Issue) =>
  `is refused: ${message}; got ${shown(valueAt(body, path))}`

/** Problems that one error names. */
const mostIssues = 10

/** Characters of a body whose problems are all looked for. */
const longest = 20_000

/** Every problem of a short body, one for each field; the first of a long one. */
const issuesOf = (schema: Schema.Schema.AnyNoContext, body: unknown, first: ParseResult.ParseError) => {
  const isLong = (JSON.stringify(body) ?? "").length > longest
  const all = isLong ? Either.left(first) : Schema.decodeUnknownEither(schema, { errors: "all" })(body)
  const issues = ParseResult.ArrayFormatter.formatErrorSync(Either.isLeft(all) ? all.left : first)
  const fields = new Map(issues.toReversed().map((issue) => [fieldOf(issue), issue]))
  return [...fields.values()].toReversed().slice(0, mostIssues)
}

/** Decodes a body or the arguments of a tool; the error names each field that is wrong. */
export const decoded = <A, I>(schema: Schema.Schema<A, I>, body: unknown): Either.Either<A, InvalidRequest> =>
  Either.mapLeft(Schema.decodeUnknownEither(schema)(body), (error) => {
    const [issue = { path: [], message: "it does not match" }, ...others] = issuesOf(schema, body, error)
    const more = others.map((other) => `. ${fieldOf(other)} ${problemOf(body, other)}`)
    return new InvalidRequest({ field: fieldOf(issue), problem: [problemOf(body, issue), ...more].join("") })
  })
