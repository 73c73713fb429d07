import { OpenApi } from "@effect/platform"
import Ajv from "@redocly/ajv/dist/2020.js"
import { Api } from "../../adapters/api/Api.ts"

interface Reference {
  readonly $ref: string
}

export interface Parameter {
  readonly name: string
  readonly in: "path" | "query" | "header"
  readonly schema: { readonly type: string; readonly enum?: ReadonlyArray<string> }
}

export interface Response {
  readonly description: string
  readonly headers: Readonly<Record<string, unknown>>
  readonly content?: Readonly<Record<string, { readonly schema: object }>>
}

export interface Operation {
  readonly operationId: string
  readonly security: ReadonlyArray<object>
  readonly parameters: ReadonlyArray<Parameter | Reference>
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: object }>> }
  readonly responses: Readonly<Record<string, Response | Reference>>
}

interface Document {
  readonly info: { readonly description: string }
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: {
    readonly responses: Readonly<Record<string, Response>>
    readonly parameters: Readonly<Record<string, Parameter>>
  }
}

/** The document as `GET /v1/openapi.json` sends it and `docs/openapi.json` keeps it. */
export const text = `${JSON.stringify(OpenApi.fromApi(Api), null, 2)}\n`
export const document: Document = JSON.parse(text)

/** Every operation by its route, such as "GET /v1/teams". */
export const operations: ReadonlyMap<string, Operation> = new Map(
  Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => [`${method.toUpperCase()} ${path}`, operation])
  )
)

const resolve = <A extends object>(one: A | Reference, kind: string, shared: Readonly<Record<string, A>>): A => {
  if (!("$ref" in one)) return one
  const found = shared[one.$ref.replace(`#/components/${kind}/`, "")]
  if (found === undefined) throw new TypeError(`nothing at ${one.$ref}`)
  return found
}

export const parametersOf = (operation: Operation): ReadonlyArray<Parameter> =>
  operation.parameters.map((one) => resolve(one, "parameters", document.components.parameters))

export const responsesOf = (operation: Operation): ReadonlyMap<string, Response> =>
  new Map(
    Object.entries(operation.responses).map(([status, one]) => [
      status,
      resolve(one, "responses", document.components.responses)
    ])
  )

const ajv = new Ajv.default({ strict: false, allErrors: true })
ajv.addFormat("date-time", /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
ajv.addFormat("uuid", /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)
ajv.addSchema(document, "openapi")

const compile = (schema: object) => ajv.compile(JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"openapi#/')))
const compiled = new WeakMap<object, ReturnType<typeof compile>>()

/** Violations of `schema` in `body`; none when it fits. */
export const violations = (schema: object, body: unknown): ReadonlyArray<string> => {
  const validate = compiled.get(schema) ?? compile(schema)
  compiled.set(schema, validate)
  return validate(body) ? [] : (validate.errors ?? []).map((error) => `${error.instancePath} ${error.message}`)
}
