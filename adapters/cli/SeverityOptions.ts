import { Schema } from "effect"
import { plain, Severity, type Words } from "../../domain/value/Severity.ts"

const shape = /^[^=]{1,60}=[a-z]*$/

/** `page=critical`; a word without a severity is removed. */
export const SeverityWord = Schema.transform(
  Schema.String.pipe(Schema.filter((text) => shape.test(text) && plain(text.split("=")[0] ?? "") !== "")),
  Schema.Tuple(Schema.String, Schema.NullOr(Severity)),
  {
    strict: false,
    decode: (text) => {
      const [word, severity] = text.split("=")
      return [word, severity === "" ? null : severity]
    },
    encode: ([word, severity]) => `${word}=${severity ?? ""}`
  }
)

/** The words of a source on one line. */
export const wordsShown = (severities: Words): ReadonlyArray<string> => {
  const words = Object.entries(severities).map(([word, severity]) => `${word} is ${severity}`)
  return words.length === 0 ? [] : [`Its words for severities: ${words.join(", ")}.`]
}
