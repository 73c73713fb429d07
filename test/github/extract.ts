/**
 * Extracts the operations in `operations` from GitHub's OpenAPI description into `fixtures/openapi.json`:
 * `npm pack @octokit/openapi`, unpack it, then `tsx test/github/extract.ts package/generated/api.github.com.json`.
 */
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"

type Json = null | boolean | number | string | ReadonlyArray<Json> | { readonly [key: string]: Json }
type Node = { readonly [key: string]: Json }

const operations = new Set(
  `apps/create-from-manifest apps/get-authenticated apps/list-installations apps/get-installation
  apps/get-repo-installation apps/create-installation-access-token apps/revoke-installation-access-token
  apps/list-repos-accessible-to-installation apps/get-webhook-config-for-app apps/update-webhook-config-for-app
  apps/list-webhook-deliveries apps/get-webhook-delivery apps/redeliver-webhook-delivery
  users/get-authenticated users/get-by-username rate-limit/get meta/get
  repos/get repos/list-for-authenticated-user repos/list-branches repos/get-branch repos/get-branch-protection
  repos/get-branch-rules repos/get-commit repos/list-commits repos/compare-commits-with-basehead
  repos/create-commit-status repos/get-combined-status-for-ref repos/list-commit-statuses-for-ref
  repos/get-collaborator-permission-level repos/list-webhooks repos/create-webhook repos/delete-webhook
  git/get-ref git/list-matching-refs git/create-ref git/update-ref git/delete-ref git/get-commit git/create-commit
  git/get-tree git/create-tree repos/merge
  checks/create checks/update checks/get checks/list-for-ref checks/list-suites-for-ref checks/get-suite
  checks/list-for-suite
  pulls/list pulls/create pulls/get pulls/update pulls/merge pulls/check-if-merged pulls/list-commits pulls/list-files
  issues/list-for-repo issues/get issues/create issues/update issues/list-comments issues/list-comments-for-repo
  issues/get-comment issues/create-comment issues/update-comment issues/delete-comment
  issues/list-events issues/list-events-for-repo
  issues/list-labels-for-repo issues/create-label issues/get-label issues/update-label issues/delete-label
  issues/list-labels-on-issue issues/add-labels issues/set-labels issues/remove-label`.split(/\s+/)
)

const isNode = (value: Json | undefined): value is Node =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** Keywords that constrain no value. */
const prose = new Set(["description", "example", "examples", "externalDocs", "summary", "title", "default", "tags"])

/** A schema of OpenAPI 3.0 as plain JSON Schema: `nullable` becomes a type. */
const schemaOf = (schema: Node): Node => {
  const kept = Object.entries(schema).filter(
    ([key]) => !prose.has(key) && !key.startsWith("x-") && key !== "nullable" && key !== "deprecated"
  )
  const entries = kept.map(([key, value]): [string, Json] => {
    if (key === "properties" && isNode(value))
      return [key, Object.fromEntries(Object.entries(value).map(([name, one]) => [name, schemaOf(one as Node)]))]
    if ((key === "items" || key === "additionalProperties" || key === "not") && isNode(value))
      return [key, schemaOf(value)]
    if (key === "oneOf" || key === "anyOf" || key === "allOf")
      return [key, (value as ReadonlyArray<Node>).map(schemaOf)]
    return [key, value]
  })
  const plain = Object.fromEntries(entries)
  return schema["nullable"] === true ? { anyOf: [plain, { type: "null" }] } : plain
}

const source = JSON.parse(readFileSync(process.argv[2] ?? "", "utf8")) as {
  readonly info: { readonly version: string }
  readonly paths: Readonly<Record<string, Readonly<Record<string, Node>>>>
  readonly components: Readonly<Record<string, Readonly<Record<string, Node>>>>
}

const resolved = (node: Node): Node => {
  const reference = node["$ref"]
  if (typeof reference !== "string") return node
  const [kind = "", name = ""] = reference.replace("#/components/", "").split("/")
  return source.components[kind]?.[name] ?? {}
}

const jsonOf = (content: Json | undefined): Node | null => {
  const media = isNode(content) ? content["application/json"] : undefined
  return isNode(media) && isNode(media["schema"]) ? schemaOf(media["schema"]) : null
}

/** The list wants accounts that are a person and an enterprise at once; a single installation is described right. */
const corrected: Readonly<Record<string, Node>> = {
  "apps/list-installations 200": { type: "array", items: { $ref: "#/components/schemas/installation" } }
}

const used = Object.entries(source.paths).flatMap(([path, methods]) =>
  Object.entries(methods).flatMap(([method, operation]) => {
    const id = String(operation["operationId"])
    if (!operations.delete(id)) return []
    const parameters = ((operation["parameters"] ?? []) as ReadonlyArray<Node>).map(resolved).map((one) => ({
      name: one["name"] as Json,
      in: one["in"] as Json,
      required: one["required"] === true,
      schema: schemaOf(resolved(one["schema"] as Node))
    }))
    const body = isNode(operation["requestBody"]) ? resolved(operation["requestBody"]) : null
    const responses = Object.entries(operation["responses"] as Readonly<Record<string, Node>>).map(
      ([status, one]) => [status, corrected[`${id} ${status}`] ?? jsonOf(resolved(one)["content"])] as const
    )
    return [
      {
        id,
        method: method.toUpperCase(),
        path,
        parameters,
        body: body === null ? null : { required: body["required"] === true, schema: jsonOf(body["content"]) },
        responses: Object.fromEntries(responses)
      }
    ]
  })
)
if (operations.size > 0) throw new TypeError(`unknown operations: ${[...operations].join(", ")}`)

const schemas = new Map<string, Node>()
const collect = (value: Json): void => {
  if (Array.isArray(value)) return value.forEach((one: Json) => collect(one))
  if (!isNode(value)) return
  const reference = value["$ref"]
  const name = typeof reference === "string" ? reference.replace("#/components/schemas/", "") : ""
  if (name !== "" && !schemas.has(name)) {
    const schema = schemaOf(source.components["schemas"]?.[name] ?? {})
    schemas.set(name, schema)
    collect(schema)
  }
  for (const one of Object.values(value)) collect(one)
}
collect(used)

const lines = (entries: ReadonlyArray<string>) => entries.join(",\n")
writeFileSync(
  join(import.meta.dirname, "fixtures", "openapi.json"),
  `{"package":"@octokit/openapi","version":${JSON.stringify(source.info.version)},"operations":[
${lines(used.map((one) => JSON.stringify(one)))}
],"components":{"schemas":{
${lines([...schemas].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([name, one]) => `${JSON.stringify(name)}:${JSON.stringify(one)}`))}
}}}
`
)
