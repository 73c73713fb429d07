import { Schema } from "effect"
import { cut, oneLine } from "./Text.ts"

/** Worst first. */
export const Severity = Schema.Literal("critical", "high", "medium", "low", "info")
export type Severity = typeof Severity.Type

const rank = (severity: Severity): number => Severity.literals.indexOf(severity)

export const atLeast = (severity: Severity, minimum: Severity): boolean => rank(severity) <= rank(minimum)

export const worst = (a: Severity, b: Severity): Severity => (rank(a) <= rank(b) ? a : b)

/** Severities by word; the words are normalised by `plain`. */
export const Words = Schema.Record({ key: Schema.String, value: Severity })
export type Words = typeof Words.Type

const common: Words = {
  critical: "critical",
  p1: "critical",
  sev1: "critical",
  majoroutage: "critical",
  high: "high",
  error: "high",
  p2: "high",
  partialoutage: "high",
  medium: "medium",
  warning: "medium",
  p3: "medium",
  degradedperformance: "medium",
  low: "low",
  minor: "low",
  p4: "low",
  info: "info",
  p5: "info",
  maintenance: "info",
  undermaintenance: "info"
}

/** `SEV-1`, `sev 1` and ` Sev_1 ` are one word. */
export const plain = (text: string): string => text.toLowerCase().replace(/[\s_-]+/g, "")

/** A severity as a tool sent it, with the tool's word when no vocabulary has it. */
export interface Said {
  readonly severity: Severity
  readonly unknown: string | null
}

/** Maps a tool's word to a severity. The given vocabularies go before the shared one; an unknown word is Medium. */
export const read = (value: unknown, ...vocabularies: ReadonlyArray<Words | undefined>): Said => {
  const text = typeof value === "string" || typeof value === "number" ? String(value).trim() : ""
  const word = plain(text)
  const known = [...vocabularies, common].find((words) => words !== undefined && Object.hasOwn(words, word))
  const severity = known?.[word]
  return severity === undefined
    ? { severity: "medium", unknown: text === "" ? null : cut(oneLine(text), 60) }
    : { severity, unknown: null }
}
