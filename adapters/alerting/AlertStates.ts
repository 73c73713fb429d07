import { Either } from "effect"
import type { Signal } from "../../domain/oncall/Signal.ts"
import { storable, unreadable } from "./PayloadFields.ts"

type Status = Signal["status"]

/** Describes a value in a refusal, in a few words. */
export const shown = (value: unknown): string => {
  if (typeof value === "string") return `'${storable(value, 60)}'`
  if (value === undefined) return "nothing"
  if (Array.isArray(value)) return "an array"
  return typeof value === "object" && value !== null ? "an object" : String(value)
}

/** Maps a tool's word for a state, in any case; refuses an unknown word instead of guessing. */
export const status = (field: string, value: unknown, words: Readonly<Record<string, Status>>) => {
  const word = typeof value === "string" ? value.trim().toLowerCase() : ""
  const found = Object.hasOwn(words, word) ? words[word] : undefined
  return found === undefined
    ? Either.left(unreadable(`${field} must be one of ${Object.keys(words).join(", ")}; got ${shown(value)}`))
    : Either.right(found)
}
