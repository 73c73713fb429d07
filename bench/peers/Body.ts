import { unreadable } from "./intake/Alerts.ts"

/** Parses the bytes of a post; does not limit the nesting, as the real service does. */
export const parse = (body: Buffer): unknown => {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(body))
  } catch {
    throw unreadable("the body is not JSON in UTF-8")
  }
}

const secretNames =
  /pass(word|wd)?|secret|token|authorization|api[-_]?key|credential|subscribeurl|signature|routing_key/i

/** Redacts the values of fields that are named like secrets. */
export const redacted = (value: unknown, name = ""): unknown => {
  if (typeof value === "string" || typeof value === "number") return secretNames.test(name) ? "<redacted>" : value
  if (Array.isArray(value)) return value.map((item: unknown) => redacted(item, name))
  if (typeof value === "object" && value !== null)
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, redacted(inner, key)]))
  return value
}
