import { Console, DateTime, Effect } from "effect"
import { oneLine, printable, printableJson } from "../../domain/value/Text.ts"
import type { Redact } from "./SecretRedaction.ts"

/** Prints an event: its fields for programs, its words for people. */
export type Say = (
  event: string,
  words: string,
  fields?: Readonly<Record<string, string | number | null | ReadonlyArray<string>>>
) => Effect.Effect<void>

/** Lines for people, or one JSON object a line for programs. */
export const output = (isJson: boolean, redact: Redact): Say =>
  Effect.fn(function* (event, words, fields = {}) {
    const time = DateTime.formatIso(yield* DateTime.now)
    const line = isJson
      ? printableJson(JSON.stringify({ time, event, ...fields, message: words }))
      : [time.slice(11, 19), fields["run"], oneLine(printable(words))].filter((part) => part !== undefined).join("  ")
    yield* Console.log(redact(line))
  })
