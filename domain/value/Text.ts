import { Schema } from "effect"

const isStorable = (text: string) => !text.includes("\0") && !/\p{Surrogate}/u.test(text)

/** Postgres stores neither NUL nor half of a surrogate pair. */
export const Text = Schema.String.pipe(
  Schema.filter((text) => isStorable(text) || "must not hold NUL or lone surrogate characters")
)

/** Sequences by which programs colour text, move the cursor, set titles and make links. */
// oxlint-disable-next-line no-control-regex
const sequences = /(?:\u001B\[|\u009B)[0-?]*[ -/]*[@-~]|\u001B\][^\u0007\u001B\u009C]*(?:\u0007|\u001B\\|\u009C)/g

/** Characters that steer a terminal or turn the direction of text, and those that Postgres does not store. */
const steering = /(?![\n\t])[\p{Cc}\p{Bidi_Control}\p{Zl}\p{Zp}\p{Surrogate}]/gu

/** Text of foreign programs and people, safe to store and to print: of all controls, line breaks and tabs stay. */
export const printable = (text: string): string =>
  text.replace(sequences, "").replace(/\r\n?/g, "\n").replace(steering, "\uFFFD")

/** The same for JSON, whose strings keep their value. */
export const printableJson = (json: string): string =>
  json.replace(steering, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`)

/** Cuts text to a length without splitting a surrogate pair. */
export const cut = (text: string, most: number): string =>
  text.length <= most ? text : `${text.slice(0, most - 1).replace(/\p{Surrogate}$/u, "")}…`

/** Puts foreign text on one line, so that it cannot look like our own lines. */
export const oneLine = (text: string): string => text.replace(/\s+/g, " ")

/** Non-empty text for one line. */
export const Line = (maximum: number) => Text.pipe(Schema.minLength(1), Schema.maxLength(maximum))

const hidden = /[\p{Cc}\p{Zl}\p{Zp}\u202A-\u202E\u2066-\u2069]/u

/** A character that leaves a mark on the screen. */
const visible = /[^\p{C}\p{Z}\p{M}\p{Default_Ignorable_Code_Point}\u2800]/u

/** True when text is on one line, keeps its direction and shows something. */
export const isPlainLine = (text: string): boolean => !hidden.test(text) && visible.test(text)

/** The reason why text is no name; null for a name. */
export const nameProblem = (text: string): string | null =>
  isPlainLine(text)
    ? null
    : `must be on one line, with a visible character, without control characters or changes of direction; got ${printableJson(JSON.stringify(cut(text, 100)))}`

/** Non-empty text for a new name: it looks the same in the middle of any line, such as the subject of a mail. */
export const Name = (maximum: number) => Line(maximum).pipe(Schema.filter((text) => nameProblem(text) ?? true))

/** Foreign text as a name; `otherwise` when nothing of it can be seen. */
export const nameFrom = (text: string, maximum: number, otherwise: string): string => {
  const line = oneLine(printable(text)).trim()
  return cut(isPlainLine(line) ? line : otherwise, maximum)
}

/** `URL.canParse` of Node 20 refuses valid addresses with non-ASCII letters once it has been called often. */
export const parseUrl = (text: string): URL | null => {
  try {
    return new URL(text)
  } catch {
    return null
  }
}

/** Removes the slashes at the end of an address. */
export const withoutSlashes = (address: string): string => {
  let end = address.length
  while (address.charAt(end - 1) === "/") end--
  return address.slice(0, end)
}

export const WebAddress = Line(2000).pipe(
  Schema.filter((text) => (parseUrl(text) !== null && /^https?:/.test(text)) || "must be an http or https address")
)

export const Slug = Schema.String.pipe(
  Schema.maxLength(64),
  Schema.pattern(/^[a-z0-9]+(-[a-z0-9]+)*$/, { message: () => "must be lowercase words joined by hyphens" })
)

export const snakeCase = (name: string): string => name.replace(/(?<!^)[A-Z]/g, (letter) => `_${letter}`).toLowerCase()
