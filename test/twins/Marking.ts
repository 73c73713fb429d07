import { DateTime } from "effect"
import { createHash } from "node:crypto"

/** A workspace with all objects of another under the same keys, and its own word in every free text. */
export interface Twin {
  readonly id: string
  readonly slug: string
  readonly word: string
  /** The token in place of the original's bearer. */
  readonly bearer: string
  readonly bearerHash: string
}

/** Fields with text by people and programs; fields that rows are looked up by are equal in twins. */
const free = new Set(
  `title description body text subject explanation label note summary error last last_problem lastProblem test_plan
   testPlan return_note returnNote actor_name entity_name acknowledged_by acknowledgedBy resolved_by resolvedBy trouble
   demonstrate repositories repository answer executor arch`.split(/\s+/)
)

/** Tables whose name is free too. */
const named = new Set(["workspaces", "workspace", "members", "teams", "api_tokens", "tokens", "audit"])

/** A secret of the twin in place of the original's. */
export const another = (text: string, { word }: Twin) => createHash("sha256").update(`${word} ${text}`).digest("hex")

/** Copies a value and maps its texts by the name of their field; nothing of it is shared. */
export const mapped = <A>(value: A, text: (value: string, key: string) => string): A => {
  const copy = (one: unknown, key: string): unknown => {
    if (typeof one === "string") return text(one, key)
    if (typeof one !== "object" || one === null || DateTime.isDateTime(one)) return one
    if (Array.isArray(one)) return one.map((item) => copy(item, key))
    if (one instanceof Map) return new Map([...one].map(([name, item]) => [name, copy(item, String(name))] as const))
    const fields = Object.entries(one).map(([name, item]) => [name, copy(item, name)])
    return Object.assign(Object.create(Object.getPrototypeOf(one)) as object, Object.fromEntries(fields))
  }
  return copy(value, "") as A
}

/** Copies the rows of a table for a twin, in any storage form. */
export const copying = (
  of: { readonly id: string; readonly slug: string; readonly bearerHash: string },
  twin: Twin
) => {
  const copy = <A>(value: A, table: string): A =>
    mapped(value, (text, key) => {
      if (key === "hash") return text === of.bearerHash ? twin.bearerHash : another(text, twin)
      // The credential of a run is unique.
      if (key === "credential") return another(text, twin)
      // The address of a source is unique.
      if (key === "token" && /^[A-Za-z0-9]{32}$/.test(text)) return another(text, twin).slice(0, 32)
      const own = text.replaceAll(of.id, twin.id).replaceAll(of.slug, twin.slug)
      if (own === "" || (!free.has(key) && !(key === "name" && named.has(table)))) return own
      return own.startsWith("{") ? JSON.stringify(copy(JSON.parse(own) as unknown, table)) : `${own} ${twin.word}`
    })
  return copy
}
