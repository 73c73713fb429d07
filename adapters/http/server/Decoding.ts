import { Array as Items, Either, Option, type ParseResult, Schema, SchemaAST } from "effect"
import { cut } from "../../../domain/value/Text.ts"
import { InvalidRequest } from "../../api/HttpErrors.ts"
import { ruleOf } from "./Rules.ts"

const shown = (value: unknown): string => {
  if (value === undefined) return "nothing"
  return typeof value === "string" ? `'${cut(value, 100)}'` : cut(JSON.stringify(value), 100)
}

interface Problem {
  readonly field: string
  readonly problem: string
}

type Path = ReadonlyArray<PropertyKey>

const said = (path: Path, rule: string, value: unknown): Problem => ({
  field: cut(path.map(String).join("."), 200),
  problem: `${/^(must|is)\b/.test(rule) ? rule : `is refused: ${rule}`}`
    .replace(/; got [^]*$/, "")
    .concat(`; got ${shown(value)}`)
})

/** The words that the schema itself has for a refusal. */
const ownWords = (issue: ParseResult.Refinement): Option.Option<string> => {
  const { ast, issue: inner } = issue
  if (inner._tag === "Type" && inner.message !== undefined) return Option.some(inner.message)
  return Option.filter(
    Option.map(SchemaAST.getMessageAnnotation(ast), (message) => message(issue)),
    (words) => typeof words === "string"
  )
}

/** Literals and nothing else tell nothing about themselves: their union does. */
const isBare = ({ _tag }: SchemaAST.AST) => _tag === "Literal" || _tag === "UndefinedKeyword"

const ofUnion = ({ actual, ast, issues }: ParseResult.Composite, path: Path): ReadonlyArray<Problem> => {
  const members = Items.ensure(issues).filter((issue) => !("ast" in issue) || !isBare(issue.ast as SchemaAST.AST))
  const found = members.map((member) => problemsOf(member, path))
  const own = said(path, "", "").field
  const deeper = found.find((problems) => problems.some(({ field }) => field !== own))
  if (deeper !== undefined) return deeper
  const hasNull = ruleOf(ast).endsWith(" or null")
  const [only] = found.length === 1 && !hasNull ? found : []
  return only ?? [said(path, `must be ${ruleOf(ast)}`, actual)]
}

/** `whole` is the schema whose rule is told: the one of all refinements of a value. */
const problemsOf = (issue: ParseResult.ParseIssue, path: Path, whole?: SchemaAST.AST): ReadonlyArray<Problem> => {
  switch (issue._tag) {
    case "Pointer":
      return issue.issue._tag === "Missing"
        ? [said([...path, ...Items.ensure(issue.path)], `must be ${ruleOf(issue.issue.ast.type)}`, undefined)]
        : problemsOf(issue.issue, [...path, ...Items.ensure(issue.path)])
    case "Composite": {
      const { actual, ast, issues } = issue
      if (ast._tag === "Union") return ofUnion(issue, path)
      const all = Items.ensure(issues)
      // An array that lacks an item is too short.
      return ast._tag === "TupleType" && all.some((one) => one._tag === "Pointer" && one.issue._tag === "Missing")
        ? [said(path, `must be ${ruleOf(ast)}`, actual)]
        : all.flatMap((one) => problemsOf(one, path))
    }
    case "Refinement": {
      const { actual, ast, issue: inner, kind } = issue
      if (kind === "From") return problemsOf(inner, path, whole ?? ast)
      if (inner._tag === "Pointer") return problemsOf(inner, path)
      return [
        said(
          path,
          Option.getOrElse(ownWords(issue), () => `must be ${ruleOf(whole ?? ast)}`),
          actual
        )
      ]
    }
    case "Transformation":
      return problemsOf(issue.issue, path)
    case "Type":
      return [said(path, issue.message ?? `must be ${ruleOf(whole ?? issue.ast)}`, issue.actual)]
    default:
      return [said(path, issue.message ?? "must not be given", issue.actual)]
  }
}

/** Problems that one error names. */
const mostProblems = 10

/** Characters of a body whose problems are all looked for. */
const longest = 20_000

/** Every problem of a short body, one for each field; the first of a long one. */
const allOf = (schema: Schema.Schema.AnyNoContext, body: unknown, first: ParseResult.ParseError) => {
  const isLong = (JSON.stringify(body) ?? "").length > longest
  const all = isLong ? Either.left(first) : Schema.decodeUnknownEither(schema, { errors: "all" })(body)
  const problems = problemsOf((Either.isLeft(all) ? all.left : first).issue, [])
  const fields = new Map(problems.toReversed().map((problem) => [problem.field, problem]))
  return [...fields.values()].toReversed().slice(0, isLong ? 1 : mostProblems)
}

/** Decodes a body or the arguments of a tool; the error names each field that is wrong. */
export const decoded = <A, I>(schema: Schema.Schema<A, I>, body: unknown): Either.Either<A, InvalidRequest> =>
  Either.mapLeft(Schema.decodeUnknownEither(schema)(body), (error) => {
    const [first = { field: "", problem: "does not match" }, ...others] = allOf(schema, body, error)
    const more = others.map(({ field, problem }) => `. ${field} ${problem}`)
    return new InvalidRequest({ field: first.field, problem: [first.problem, ...more].join("") })
  })
