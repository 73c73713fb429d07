import { Predicate } from "effect"
import { oneLine } from "../../../domain/value/Text.ts"
import { cutWords } from "../SecretRedaction.ts"

export const textOf = (value: unknown): string =>
  typeof value === "string" ? value : value === undefined || value === null ? "" : JSON.stringify(value)

/** Fields that say the most about a call of a tool. */
const telling = ["file_path", "path", "command", "pattern", "url", "question", "text", "decision", "description"]

/** A call of a tool in one line: its name and the field that says the most. */
export const callWords = (tool: string, input: unknown): string => {
  const fields = Predicate.isRecord(input) ? input : {}
  const name = telling.find((field) => typeof fields[field] === "string")
  return name === undefined ? tool : `${tool}: ${cutWords(oneLine(String(fields[name])), 300)}`
}
