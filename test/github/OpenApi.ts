/** GitHub's own description of the operations that this server answers. */
import Ajv from "@redocly/ajv/dist/2020.js"
import { readFileSync } from "node:fs"
import { join } from "node:path"

interface Parameter {
  readonly name: string
  readonly in: "path" | "query" | "header"
  readonly required: boolean
  readonly schema: { readonly type?: string }
}

export interface Operation {
  readonly id: string
  readonly method: string
  readonly path: string
  readonly parameters: ReadonlyArray<Parameter>
  readonly body: { readonly required: boolean; readonly schema: object | null } | null
  readonly responses: Readonly<Record<string, object | null>>
}

interface Description {
  readonly version: string
  readonly operations: ReadonlyArray<Operation>
  readonly components: object
}

const description = JSON.parse(
  readFileSync(join(import.meta.dirname, "fixtures", "openapi.json"), "utf8")
) as Description

export const { operations } = description

const ajv = new Ajv.default({
  strict: false,
  allErrors: true,
  // The three below make compiling twice as fast.
  validateSchema: false,
  inlineRefs: false,
  code: { optimize: false }
})
ajv.addFormat("date-time", /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/)
ajv.addFormat("date", /^\d{4}-\d\d-\d\d$/)
ajv.addFormat("uri", (text: string) => URL.canParse(text.replaceAll(/\{[^}]*\}/g, "x")))
ajv.addFormat("uri-template", true)
ajv.addFormat("email", /^[^@\s]+@[^@\s]+$/)
for (const format of ["int32", "int64", "float", "double", "hostname", "repo.nwo", "ssh-key", "timestamp", "uuid"])
  ajv.addFormat(format, true)
ajv.addSchema({ components: description.components }, "github")

type Validate = ReturnType<typeof ajv.compile>
const compiled = new WeakMap<object, Validate>()

const compile = (schema: object): Validate =>
  ajv.compile(JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"github#/')))

/** Violations of `schema` in `value`; none when it fits. */
const misfits = (schema: object, value: unknown): ReadonlyArray<string> => {
  const validate = compiled.get(schema) ?? compile(schema)
  compiled.set(schema, validate)
  return validate(value) ? [] : (validate.errors ?? []).map((error) => `${error.instancePath || "/"} ${error.message}`)
}

const patternOf = (path: string) =>
  new RegExp(
    `^${path.replaceAll(/\{([^}]+)\}/g, (_, name: string) => `(?<${name}>${name === "ref" || name === "branch" || name === "basehead" ? ".+" : "[^/]+"})`)}$`
  )

/** Paths without parameters come before those that would match them too. */
const routes = description.operations
  .map((operation) => ({ operation, pattern: patternOf(operation.path) }))
  .toSorted(
    (a, b) =>
      b.operation.path.replaceAll(/\{[^}]+\}/g, "").length - a.operation.path.replaceAll(/\{[^}]+\}/g, "").length
  )

export interface Matched {
  readonly operation: Operation
  readonly parameters: Readonly<Record<string, string>>
}

export const match = (method: string, path: string): Matched | null => {
  for (const { operation, pattern } of routes) {
    const found = operation.method === method ? pattern.exec(path) : null
    if (found === null) continue
    const parameters = Object.entries(found.groups ?? {}).map(([name, value]) => [name, decodeURIComponent(value)])
    return { operation, parameters: Object.fromEntries(parameters) as Record<string, string> }
  }
  return null
}

const typed = (value: string, type: string | undefined): unknown => {
  if (type === "integer" || type === "number") return value.trim() === "" ? value : Number(value)
  if (type === "boolean") return value === "true" ? true : value === "false" ? false : value
  return value
}

/** Departures of a request from the description. */
export const checkRequest = (
  { operation, parameters }: Matched,
  query: URLSearchParams,
  body: unknown
): ReadonlyArray<string> => {
  const found: Array<string> = []
  for (const one of operation.parameters) {
    const given = one.in === "path" ? parameters[one.name] : one.in === "query" ? query.get(one.name) : undefined
    if (given === undefined || given === null) {
      if (one.required && one.in !== "header") found.push(`${one.in} parameter ${one.name} is missing`)
      continue
    }
    found.push(...misfits(one.schema, typed(given, one.schema.type)).map((why) => `${one.in} ${one.name} ${why}`))
  }
  const known = new Set(operation.parameters.filter((one) => one.in === "query").map(({ name }) => name))
  for (const name of query.keys()) if (!known.has(name)) found.push(`query parameter ${name} is unknown`)
  if (operation.body === null) return body === undefined ? found : [...found, "a body is not expected"]
  if (body === undefined) return operation.body.required ? [...found, "the body is missing"] : found
  if (operation.body.schema !== null) found.push(...misfits(operation.body.schema, body).map((why) => `body ${why}`))
  return found
}

/** Statuses that every operation may answer, although few list them. */
const general = new Set([400, 401, 403, 404, 410, 413, 415, 422, 429, 500, 502, 503, 504])

/** Departures of an answer from the description. */
export const checkResponse = (operation: Operation, status: number, body: unknown): ReadonlyArray<string> => {
  const schema = operation.responses[String(status)]
  const isMessage = general.has(status) && typeof (body as { readonly message?: unknown })?.message === "string"
  if (schema === undefined) return isMessage || status === 304 ? [] : [`status ${status} is not described`]
  if (schema === null) return body === undefined || isMessage ? [] : [`status ${status} has no body`]
  return misfits(schema, body)
}
