import type { Signal } from "./Signal.ts"
import { type SignalSource, toolNames } from "./SignalSource.ts"

/** Adds the tool's unknown word for the severity to an explanation. */
export const guessed = (words: string, { severity, unknownSeverity }: Signal, { kind }: SignalSource): string => {
  if (unknownSeverity === undefined) return words
  const guess = ` Severity '${unknownSeverity}' is not known to ${toolNames[kind]} sources; read as ${severity}.`
  return words.endsWith(guess) ? words : words + guess
}
