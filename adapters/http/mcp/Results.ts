import { type Cause, Effect } from "effect"
import { cut, snakeCase } from "../../../domain/value/Text.ts"
import { refusal } from "../server/JsonErrors.ts"
import type { Notes } from "../server/RequestNotes.ts"

/** Characters of a result, well below the 25,000 tokens that clients accept. */
const longest = 60_000

/** Lengths to which texts and lists are cut, one after the other, until the result is short enough. */
const cuts = [
  [8000, 500],
  [2000, 200],
  [500, 100],
  [200, 100],
  [80, 50],
  [40, 20]
] as const

const shortened = (value: unknown, texts: number, items: number): unknown => {
  if (typeof value === "string")
    return value.length <= texts ? value : `${value.slice(0, texts)}… (${value.length - texts} characters cut)`
  if (Array.isArray(value)) {
    const kept = value.slice(0, items).map((one) => shortened(one, texts, items))
    return value.length <= items ? kept : [...kept, `… (${value.length - items} items cut)`]
  }
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, shortened(one, texts, items)]))
}

/** The JSON of a result, cut where it is too long for a model to read. */
export const bounded = (result: string | object): string => {
  const whole = typeof result === "string" ? result : JSON.stringify(result)
  if (whole.length <= longest) return whole
  const parsed = JSON.parse(whole) as Record<string, unknown>
  for (const [texts, items] of cuts) {
    // A page keeps its items, since the next one begins after the last.
    const text = JSON.stringify(shortened(parsed, texts, "nextCursor" in parsed ? 100 : items))
    if (text.length <= longest) return text
  }
  return JSON.stringify({ error: "The result is too long. Ask for fewer items with limit." })
}

/** The JSON of a result, or the text of a refusal. */
export interface Settled {
  readonly text: string
  readonly isError: boolean
}

/** The same information twice: clients show a model one of them. */
export const resultOf = ({ isError, text }: Settled) => {
  const content = [{ type: "text" as const, text }]
  return isError ? { content, isError } : { content, structuredContent: JSON.parse(text) as Record<string, unknown> }
}

/** Places that messages name for clients of the API and the command line, as tools. */
const asTools: ReadonlyArray<readonly [RegExp, string]> = [
  [/GET \/v1\/teams\/\{team\}\/stories lists/g, "list_stories lists"],
  [/GET \/v1\/(teams|runs|decisions) lists/g, "list_$1 lists"],
  [/'gatehouse incident list' shows/g, "list_incidents shows"],
  [/ with 'gatehouse run stop --run [^']*'/g, " with stop_run"],
  [/ with 'gatehouse story approve --story [^']*'/g, " with approve_draft"],
  [/; 'token list' shows what there is/g, ""]
]

interface Refused {
  readonly _tag: string
  readonly message: string
}

/** Values that a refusal quotes are the caller's own. */
const withoutLongValues = (message: string) => cut(message.replace(/'([^']{200})[^']+'/g, "'$1…'"), 4000)

const failureOf = ({ _tag, message }: Refused): Settled => {
  const words = asTools.reduce((text, [from, to]) => text.replace(from, to), withoutLongValues(message))
  return { text: `${snakeCase(_tag)}: ${words}`, isError: true }
}

const hasTag = (error: unknown): error is Refused =>
  typeof error === "object" && error !== null && "_tag" in error && "message" in error

/** A refusal of a use case is a result, so that the model reads it; a defect is logged and has no details. */
export const settled = <R>(effect: Effect.Effect<string | object, Refused, R>, exchange: Notes) =>
  Effect.map(effect, (result): Settled => ({ text: bounded(result), isError: false })).pipe(
    Effect.catchAll((error) => Effect.succeed(failureOf(error))),
    Effect.catchAllCause((cause: Cause.Cause<never>) =>
      Effect.map(refusal(cause, { ...exchange, headers: {} }, "POST", "/mcp"), ({ error }) =>
        failureOf(hasTag(error) ? error : { _tag: "InternalError", message: String(error) })
      )
    )
  )
