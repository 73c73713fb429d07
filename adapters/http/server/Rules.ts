import { Option, SchemaAST } from "effect"

/** `1 to 100`, `at least 1`, `at most 100`; nothing without bounds. */
const range = (least: number | undefined, most: number | undefined): string => {
  if (least !== undefined && most !== undefined) return `${least} to ${most}`
  if (least !== undefined) return `at least ${least}`
  return most === undefined ? "" : `at most ${most}`
}

interface Bounds {
  readonly type?: string
  readonly format?: string
  readonly minimum?: number
  readonly maximum?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly minItems?: number
  readonly maxItems?: number
}

/** Bounds of all the refinements of a schema. */
const boundsOf = (ast: SchemaAST.AST): Bounds =>
  ast._tag === "Refinement"
    ? { ...boundsOf(ast.from), ...(Option.getOrElse(SchemaAST.getJSONSchemaAnnotation(ast), () => ({})) as Bounds) }
    : {}

const baseOf = (ast: SchemaAST.AST): SchemaAST.AST => (ast._tag === "Refinement" ? baseOf(ast.from) : ast)

const arrayRule = ({ elements, rest }: SchemaAST.TupleType, { maxItems, minItems }: Bounds): string => {
  const least = minItems ?? (elements.length === 0 ? undefined : elements.length)
  const count = range(least, maxItems)
  const words = rest.flatMap(({ type }) => (type._tag === "Union" ? [ruleOf(type)] : []))
  const size = count === "" ? "an array" : `an array of ${count} item${count.endsWith(" 1") ? "" : "s"}`
  return words.length === 1 ? `${size}, each ${words[0]}` : size
}

const numberRule = ({ maximum, minimum, type }: Bounds): string => {
  const name = type === "integer" ? "a whole number" : "a number"
  const bounds = range(minimum, maximum)
  return bounds === ""
    ? name
    : minimum !== undefined && maximum !== undefined
      ? `${name} from ${bounds}`
      : `${name} of ${bounds}`
}

const refinedRule = (ast: SchemaAST.Refinement): string => {
  const bounds = boundsOf(ast)
  const base = baseOf(ast)
  if (bounds.format === "uuid") return "a UUID"
  if (base._tag === "NumberKeyword") return numberRule(bounds)
  if (base._tag === "TupleType") return arrayRule(base, bounds)
  if (base._tag !== "StringKeyword") return ruleOf(base)
  const count = range(bounds.minLength, bounds.maxLength)
  return count === "" ? "text" : `text of ${count} characters`
}

const unionRule = ({ types }: SchemaAST.Union): string => {
  const words = types.flatMap((type) =>
    type._tag === "Literal" && type.literal !== null ? [String(type.literal)] : []
  )
  const others = types.flatMap((type) =>
    type._tag === "UndefinedKeyword" || (type._tag === "Literal" && type.literal !== null) ? [] : [ruleOf(type)]
  )
  const named = words.length === 0 ? [] : [words.length === 1 ? `'${words[0]}'` : `one of ${words.join(", ")}`]
  return [...new Set([...named, ...others])].join(" or ")
}

/** The values that a schema takes, in words that follow "must be". */
export const ruleOf = (ast: SchemaAST.AST): string => {
  switch (ast._tag) {
    case "Literal":
      return ast.literal === null ? "null" : `'${ast.literal}'`
    case "Union":
      return unionRule(ast)
    case "StringKeyword":
    case "TemplateLiteral":
      return "text"
    case "NumberKeyword":
      return "a number"
    case "BooleanKeyword":
      return "true or false"
    case "TupleType":
      return arrayRule(ast, {})
    case "Refinement":
      return refinedRule(ast)
    case "Transformation":
      return ruleOf(ast.from)
    case "Suspend":
      return ruleOf(ast.f())
    default:
      return "an object"
  }
}
