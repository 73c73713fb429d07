import { Record, String, Struct } from "effect"
import { examples } from "./Examples.ts"
import { type JsonSchema, nameOf, reachable, type Schemas, tidy } from "./JsonSchema.ts"
import { notes } from "./OperationNotes.ts"
import * as OperationResponses from "./OperationResponses.ts"

interface Parameter {
  readonly name: string
  readonly in: string
  readonly schema: JsonSchema
}

interface RequestBody {
  readonly content: { readonly [type: string]: { readonly schema: JsonSchema } }
}

interface Operation {
  readonly operationId: string
  readonly tags: ReadonlyArray<string>
  readonly summary?: string
  readonly description?: string
  readonly deprecated?: boolean
  readonly parameters: ReadonlyArray<Parameter>
  readonly requestBody?: RequestBody
  readonly responses: { readonly [status: string]: OperationResponses.Response }
}

interface Generated {
  readonly paths: { readonly [path: string]: { readonly [method: string]: Operation } }
  readonly components: { readonly schemas: Schemas }
}

type Answers = { [status: string]: OperationResponses.Response | { readonly $ref: string } }

const ifNoneMatch = {
  name: "If-None-Match",
  in: "header",
  required: false,
  description: "An ETag of this resource; the answer is 304 while it is the current one.",
  schema: { type: "string" }
}

const describeParameter = (all: Schemas) => (parameter: Parameter) => {
  const { examples, ...schema } = tidy(all)(parameter.schema)
  const name = parameter.in === "header" ? parameter.name.replace(/\b[a-z]/g, String.toUpperCase) : parameter.name
  return { ...parameter, name, schema: Struct.omit(schema, "description"), ...(examples && { example: examples[0] }) }
}

const describeSchema = (name: string, schema: JsonSchema): JsonSchema => {
  const note = notes[name]
  const example = examples[name]
  return {
    ...(note && { description: note.about }),
    ...schema,
    ...(schema.properties && {
      properties: Record.map(schema.properties, (property, field) => {
        const description = note?.fields[field]
        return description === undefined ? property : { ...property, description }
      })
    }),
    ...(example !== undefined && { examples: [example] })
  }
}

const aboutOf = ({ content = {} }: Partial<RequestBody>): string | undefined =>
  notes[nameOf(content["application/json"]?.schema ?? {})]?.about

/** Turns what Effect generates into the document we publish: shared headers and refusals, and words for people. */
export const publish = (document: object): Record<string, unknown> => {
  const { components, paths, ...rest } = document as Generated
  const tidied = tidy(components.schemas)
  const shared: { [name: string]: OperationResponses.Response } = {}

  const share = (owners: ReadonlyArray<string>, { name, response }: OperationResponses.Named) => {
    const names = ["", ...owners].map((owner) => String.capitalize(owner) + name)
    const isFree = (one: string) => shared[one] === undefined || shared[one].description === response.description
    const free = names.find(isFree) ?? name
    shared[free] = response
    return { $ref: `#/components/responses/${free}` }
  }

  const describeOperation = (operation: Operation, isResource: boolean) => {
    const operationId = operation.operationId.split(".").at(-1) ?? ""
    const isExport = operationId.startsWith("export")
    const headers = OperationResponses.headersOf({
      isResource,
      isDeprecated: operation.deprecated === true,
      isExport,
      isRepeatable: operation.parameters.some(({ name }) => name === "idempotency-key")
    })
    const responses: Answers = isResource ? { 304: OperationResponses.notModified(headers) } : {}
    for (const [status, response] of Object.entries(operation.responses)) {
      const refusal = OperationResponses.refusal(status, response)
      if (refusal !== null) responses[status] = share([...operation.tags, operationId], refusal)
      else if (Number(status) < 400) {
        const about = operation.requestBody ? aboutOf(response) : operation.summary
        const success = OperationResponses.success(about, response, headers, tidied)
        responses[status] = isExport ? OperationResponses.orCsv(success) : success
      }
    }
    const { description, requestBody, summary, tags, ...others } = operation
    const parameters = operation.parameters.map(describeParameter(components.schemas))
    return {
      tags,
      summary,
      ...(description && { description }),
      ...others,
      operationId,
      parameters: isResource ? [...parameters, { $ref: "#/components/parameters/If-None-Match" }] : parameters,
      ...(requestBody && { requestBody: { description: aboutOf(requestBody), ...requestBody } }),
      responses
    }
  }

  const operations = Record.map(paths, (methods, path) =>
    Record.map(methods, (operation, method) => describeOperation(operation, method === "get" && path.endsWith("}")))
  )
  // Fields that are not read may be sent all the same.
  const sent = reachable(
    Object.values(operations).map(({ post }) => post?.requestBody ?? null),
    components.schemas
  )
  const schemas = Record.map(components.schemas, (schema, name) =>
    describeSchema(name, name in sent ? Struct.omit(tidied(schema), "additionalProperties") : tidied(schema))
  )
  return {
    ...rest,
    servers: [{ url: "/", description: "This service" }],
    paths: operations,
    components: {
      ...components,
      schemas: reachable(operations, schemas),
      responses: shared,
      parameters: { "If-None-Match": ifNoneMatch },
      headers: OperationResponses.headers
    }
  }
}
