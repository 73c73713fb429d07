import { Record, Struct } from "effect"

export interface JsonSchema {
  readonly $ref?: string
  readonly type?: string | ReadonlyArray<string>
  readonly enum?: ReadonlyArray<unknown>
  readonly anyOf?: ReadonlyArray<JsonSchema>
  readonly properties?: Schemas
  readonly items?: JsonSchema
  readonly additionalProperties?: boolean | JsonSchema
  readonly description?: string
  readonly examples?: ReadonlyArray<unknown>
}
export type Schemas = { readonly [name: string]: JsonSchema }

/** The name of the component a reference points to. */
export const nameOf = (schema: JsonSchema): string => schema.$ref?.split("/").at(-1) ?? ""

/** Effect adds titles and descriptions to refinements: "maxLength(64)", "a string at most 64 character(s) long". */
const isNoise = (value: unknown, key: string) =>
  key === "$id" || key === "title" || (key === "description" && typeof value === "string" && /^an? /.test(value))

/** A string or null is `type: ["string", "null"]` rather than a choice of two schemas. */
const foldNull = (schema: JsonSchema): JsonSchema => {
  const [some, none, ...more] = schema.anyOf ?? []
  if (typeof some?.type !== "string" || some.type === "object" || none?.type !== "null" || more.length > 0)
    return schema
  return {
    ...some,
    type: [some.type, "null"],
    ...(some.enum && { enum: [...some.enum, null] }),
    ...Struct.omit(schema, "anyOf")
  }
}

/** Cleans up a generated schema: removes the generator's texts, and names objects only. */
export const tidy =
  (all: Schemas) =>
  (schema: JsonSchema): JsonSchema => {
    const target = all[nameOf(schema)]
    if (target !== undefined && target.type !== "object")
      return tidy(all)({ ...target, ...Struct.omit(schema, "$ref") })
    const { additionalProperties: rest, anyOf, items, properties } = schema
    return foldNull({
      ...Record.filter(schema as Record<string, unknown>, (value, key) => !isNoise(value, key)),
      ...(properties && { properties: Record.map(properties, tidy(all)) }),
      ...(items && { items: tidy(all)(items) }),
      ...(anyOf && { anyOf: anyOf.map(tidy(all)) }),
      ...(typeof rest === "object" && { additionalProperties: tidy(all)(rest) })
    })
  }

/** The components that `root` refers to, directly or through others. */
export const reachable = (root: unknown, all: Schemas): Schemas => {
  const names = new Set<string>()
  const visit = (from: unknown) => {
    for (const [, name = ""] of JSON.stringify(from).matchAll(/#\/components\/schemas\/(\w+)/g)) {
      if (names.has(name)) continue
      names.add(name)
      visit(all[name])
    }
  }
  visit(root)
  return Record.filter(all, (_, name) => names.has(name))
}
