import { DateTime } from "effect"
import { createHash } from "node:crypto"

/** A workspace that has all that another has under the same keys, and a word of its own in every free text. */
export interface Twin {
  readonly id: string
  readonly slug: string
  readonly word: string
  /** The token that stands where the original has its bearer. */
  readonly bearer: string
  readonly bearerHash: string
}

/** Fields that hold what people and programs wrote; what rows are looked up by is the same in twins. */
const free = new Set(
  `title description body text subject explanation label note summary error last last_problem lastProblem test_plan
   testPlan return_note returnNote actor_name entity_name acknowledged_by acknowledgedBy resolved_by resolvedBy trouble
   demonstrate repositories answer executor`.split(/\s+/)
)

/** Of these the name is free too. */
const named = new Set(["workspaces", "workspace", "members", "teams", "api_tokens", "tokens", "audit"])

/** A secret that belongs to the twin, where the original has this one. */
export const another = (text: string, { word }: Twin) => createHash("sha256").update(`${word} ${text}`).digest("hex")

/** The same with other texts, told by the name of the field that holds them; nothing of it is shared. */
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

/** Copies what a table holds for a twin, whichever shape it is kept in. */
export const copying = (
  of: { readonly id: string; readonly slug: string; readonly bearerHash: string },
  twin: Twin
) => {
  const copy = <A>(value: A, table: string): A =>
    mapped(value, (text, key) => {
      if (key === "hash") return text === of.bearerHash ? twin.bearerHash : another(text, twin)
      // The address of a source is nobody else's.
      if (key === "token" && /^[A-Za-z0-9]{32}$/.test(text)) return another(text, twin).slice(0, 32)
      const own = text.replaceAll(of.id, twin.id).replaceAll(of.slug, twin.slug)
      if (!free.has(key) && !(key === "name" && named.has(table))) return own
      return own.startsWith("{") ? JSON.stringify(copy(JSON.parse(own) as unknown, table)) : `${own} ${twin.word}`
    })
  return copy
}
