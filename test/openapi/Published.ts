import { OpenApi } from "@effect/platform"
import Ajv from "@redocly/ajv/dist/2020.js"
import { Api } from "../../adapters/http/api/Api.ts"

interface Reference {
  readonly $ref: string
}

export interface Response {
  readonly description: string
  readonly headers: Readonly<Record<string, unknown>>
  readonly content?: Readonly<Record<string, { readonly schema: object }>>
}

export interface Operation {
  readonly operationId: string
  readonly security: ReadonlyArray<object>
  readonly parameters: ReadonlyArray<{ readonly name?: string }>
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: object }>> }
  readonly responses: Readonly<Record<string, Response | Reference>>
}

interface Document {
  readonly info: { readonly description: string }
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: { readonly responses: Readonly<Record<string, Response>> }
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

const resolve = (response: Response | Reference): Response => {
  if (!("$ref" in response)) return response
  const shared = document.components.responses[response.$ref.replace("#/components/responses/", "")]
  if (shared === undefined) throw new TypeError(`nothing at ${response.$ref}`)
  return shared
}

export const responsesOf = (operation: Operation): ReadonlyMap<string, Response> =>
  new Map(Object.entries(operation.responses).map(([status, response]) => [status, resolve(response)]))

const ajv = new Ajv.default({ strict: false, allErrors: true })
ajv.addFormat("date-time", /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
ajv.addFormat("uuid", /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)
ajv.addSchema(document, "openapi")

/** What `body` does that `schema` does not allow; nothing when it fits. */
export const violations = (schema: object, body: unknown): ReadonlyArray<string> => {
  const local = JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"openapi#/'))
  const validate = ajv.compile(local)
  return validate(body) ? [] : (validate.errors ?? []).map((error) => `${error.instancePath} ${error.message}`)
}
