import { Either } from "effect"
import { UnreadableAlert } from "../../domain/oncall/Signal.ts"

const deepest = 64

const [quote, backslash] = [0x22, 0x5c]
const opening = new Set([0x5b, 0x7b])
const closing = new Set([0x5d, 0x7d])

/** True when brackets outside of strings nest deeper than `most`; one pass that reads no character twice. */
export const isNestedDeeper = (text: Pick<string, "length" | "charCodeAt">, most: number): boolean => {
  let depth = 0
  let isString = false
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (isString) {
      if (code === backslash) at++
      else if (code === quote) isString = false
    } else if (code === quote) isString = true
    else if (opening.has(code)) {
      if (++depth > most) return true
    } else if (closing.has(code)) depth--
  }
  return false
}

const utf8 = new TextDecoder("utf-8", { fatal: true })

/** Parses JSON regardless of the content type, with or without a byte order mark. */
export const parse = (body: Uint8Array): Either.Either<unknown, UnreadableAlert> => {
  const unreadable = (problem: string) => new UnreadableAlert({ problem })
  const decoded = Either.try({ try: () => utf8.decode(body), catch: () => unreadable("the body is not UTF-8") })
  return Either.flatMap(decoded, (text) => {
    if (text.trim() === "") return Either.left(unreadable("the body is empty"))
    if (isNestedDeeper(text, deepest)) return Either.left(unreadable(`the body is nested over ${deepest} deep`))
    return Either.try({ try: (): unknown => JSON.parse(text), catch: () => unreadable("the body is not JSON") })
  })
}
