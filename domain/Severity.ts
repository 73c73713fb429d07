import { Schema } from "effect"

/** Worst first. */
export const Severity = Schema.Literal("critical", "high", "medium", "low", "info")
export type Severity = typeof Severity.Type

const rank = (severity: Severity): number => Severity.literals.indexOf(severity)

export const atLeast = (severity: Severity, minimum: Severity): boolean => rank(severity) <= rank(minimum)

export const worst = (a: Severity, b: Severity): Severity => (rank(a) <= rank(b) ? a : b)

/** A tool's own words for severities, as `plain` makes them. */
export type Words = Readonly<Record<string, Severity>>

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
const plain = (text: string): string => text.toLowerCase().replace(/[\s_-]+/g, "")

/** What a tool's word means; its own words go before those all tools share, and nobody's word is Medium. */
export const read = (value: unknown, own: Words = {}): Severity => {
  const word = typeof value === "string" || typeof value === "number" ? plain(String(value)) : ""
  return (Object.hasOwn(own, word) ? own[word] : Object.hasOwn(common, word) ? common[word] : undefined) ?? "medium"
}
