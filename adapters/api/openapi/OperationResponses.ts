import { Array, Record } from "effect"
import { STATUS_CODES } from "node:http"
import { type JsonSchema, nameOf } from "./JsonSchema.ts"
import * as OperationErrors from "../OperationErrors.ts"

export interface Response {
  readonly description: string
  readonly headers?: { readonly [name: string]: { readonly $ref: string } }
  readonly content?: { readonly [type: string]: { readonly schema: JsonSchema } }
}

const integer = { type: "integer" }
const string = { type: "string" }

export const headers = {
  "X-RateLimit-Limit": { description: "Requests a minute per token.", schema: integer, example: 120 },
  "X-RateLimit-Remaining": { description: "Requests left in this window.", schema: integer, example: 119 },
  "X-RateLimit-Reset": {
    description: "When the window ends, in Unix seconds.",
    schema: integer,
    example: 1_790_000_000
  },
  "X-Request-Id": { description: "Names this request in logs and reports.", schema: string },
  "Retry-After": { description: "Whole seconds to wait, at least 1.", schema: { ...integer, minimum: 1 } },
  ETag: { description: "Changes when the resource does; send it as If-None-Match.", schema: string },
  Deprecation: {
    description: "Since when the route is deprecated (RFC 9745).",
    schema: string,
    example: "@1767225600"
  },
  "X-Service-Export-Count": { description: "Number of entries in the file.", schema: integer, example: 5000 },
  "X-Service-Export-Truncated": { description: "true when more entries matched than were exported.", schema: string },
  Link: { description: "The route that replaces this one.", schema: string },
  "Idempotent-Replayed": {
    description: "true when the answer repeats the first one under this Idempotency-Key.",
    schema: string
  }
}
type Header = keyof typeof headers

const always: ReadonlyArray<Header> = [
  "X-RateLimit-Limit",
  "X-RateLimit-Remaining",
  "X-RateLimit-Reset",
  "X-Request-Id"
]

const withHeaders = (response: Response, more: ReadonlyArray<Header>): Response => ({
  description: response.description,
  headers: Record.fromIterableWith([...always, ...more], (name) => [name, { $ref: `#/components/headers/${name}` }]),
  ...(response.content && { content: response.content })
})

/** Headers of some successful responses only. */
export const headersOf = (of: {
  readonly isResource: boolean
  readonly isDeprecated: boolean
  readonly isExport: boolean
  readonly isRepeatable: boolean
}): ReadonlyArray<Header> => [
  ...(of.isResource ? (["ETag"] as const) : []),
  ...(of.isDeprecated ? (["Deprecation", "Link"] as const) : []),
  ...(of.isExport ? (["X-Service-Export-Count", "X-Service-Export-Truncated"] as const) : []),
  ...(of.isRepeatable ? (["Idempotent-Replayed"] as const) : [])
]

export const notModified = (headers: ReadonlyArray<Header>): Response =>
  withHeaders({ description: "Not changed since the answer with that ETag." }, headers)

export const success = (
  summary: string | undefined,
  { content = {}, description }: Response,
  headers: ReadonlyArray<Header>,
  tidied: (schema: JsonSchema) => JsonSchema
): Response =>
  withHeaders(
    {
      description: summary ?? description,
      content: Record.map(content, ({ schema }) => ({ schema: tidied(schema) }))
    },
    headers
  )

/** An export is available as JSON or CSV. */
export const orCsv = (response: Response): Response => ({
  ...response,
  content: { ...response.content, "text/csv": { schema: { type: "string" } } }
})

/** The errors of a generated response; none where the edge answers otherwise. */
const refusalsOf = (response: Response) => {
  const schema = response.content?.["application/json"]?.schema ?? {}
  return (schema.anyOf ?? [schema]).flatMap((part) => {
    const refusal = OperationErrors.all.get(nameOf(part))
    return refusal === undefined ? [] : [{ tag: nameOf(part), ...refusal }]
  })
}

const bodyOf = (codes: ReadonlyArray<string>): JsonSchema =>
  ({
    type: "object",
    required: ["error"],
    properties: {
      error: {
        type: "object",
        required: ["code", "message"],
        properties: {
          code: { type: "string", enum: codes },
          message: { type: "string", description: "What was received, what is allowed and the way out." }
        },
        additionalProperties: false
      }
    },
    additionalProperties: false
  }) as JsonSchema

export interface NamedResponse {
  readonly name: string
  readonly response: Response
}

/** The response of an error status, under a name that operations share; null when it never occurs. */
export const refusal = (status: string, generated: Response): NamedResponse | null => {
  const refusals = refusalsOf(generated)
  if (!Array.isNonEmptyArray(refusals)) return null
  const lines = refusals.map(({ code, when }) => `\`${code}\`: ${when}.`)
  const response = withHeaders(
    {
      description: lines.length === 1 ? lines.join() : lines.map((line) => `- ${line}`).join("\n"),
      content: { "application/json": { schema: bodyOf(refusals.map(({ code }) => code)) } }
    },
    status === "429" || status === "503" ? ["Retry-After"] : []
  )
  const phrase = (STATUS_CODES[status] ?? status).replaceAll(" ", "")
  return { name: refusals.length === 1 ? refusals[0].tag : phrase, response }
}
