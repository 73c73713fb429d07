/** The longest JSON object at the beginning of a text. */
const objectIn = (text: string): { readonly object: unknown; readonly length: number } | null => {
  for (let end = text.lastIndexOf("}"); end > 0; end = text.lastIndexOf("}", end - 1)) {
    try {
      return { object: JSON.parse(text.slice(0, end + 1)), length: end + 1 }
    } catch {
      // A shorter part may be JSON.
    }
  }
  return null
}

/** The payloads to paste among the steps of a set-up; an object that holds the secret is headers. */
export const payloadsIn = (steps: string, secret: string): ReadonlyArray<unknown> => {
  const at = steps.indexOf("{")
  if (at === -1) return []
  const found = objectIn(steps.slice(at))
  const rest = payloadsIn(steps.slice(at + (found?.length ?? 1)), secret)
  return found === null || JSON.stringify(found.object).includes(secret) ? rest : [found.object, ...rest]
}

/** A variable of a tool, such as `$ALERT_ID` or `{EVENT.ID}`. */
const variable = /^(\$[A-Z_]+|\{[A-Z_.]+\})$/

/** The payload with the sample's values for the tool's variables; a variable that the sample lacks is empty. */
export const filled = (payload: unknown, sample: unknown): unknown => {
  if (typeof payload === "string") return variable.test(payload) ? (sample ?? "") : payload
  if (typeof payload !== "object" || payload === null) return payload
  const values = Object(sample) as Readonly<Record<string, unknown>>
  return Object.fromEntries(Object.entries(payload).map(([name, value]) => [name, filled(value, values[name])]))
}
