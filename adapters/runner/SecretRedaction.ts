import { Either, Encoding } from "effect"
import { redacted } from "../../domain/value/Redaction.ts"

export type Redact = (text: string) => string

/** A shorter value would hide common words. */
const shortest = 6

/** Characters of base64 that depend on the secret alone, for each number of bytes that may come before it. */
const insideBase64 = (bytes: Uint8Array) =>
  [0, 1, 2].map((before) => {
    const whole = Encoding.encodeBase64(new Uint8Array([...new Uint8Array(before), ...bytes]))
    const bits = 8 * (before + bytes.length)
    return whole.slice(Math.ceil((8 * before) / 6), Math.floor(bits / 6))
  })

/** Forms in which programs print a value. */
const forms = (secret: string) => {
  const bytes = new TextEncoder().encode(secret)
  const inside = bytes.length < shortest ? [] : insideBase64(bytes)
  const hex = Encoding.encodeHex(bytes)
  return [
    secret,
    Encoding.encodeBase64(secret),
    ...inside,
    ...inside.map((text) => text.replaceAll("+", "-").replaceAll("/", "_")),
    hex,
    hex.toUpperCase(),
    JSON.stringify(secret).slice(1, -1),
    Either.getOrElse(Encoding.encodeUriComponent(secret), () => secret)
  ]
}

/** Replaces known secrets, their lines and their usual encodings, and texts that look like a secret. */
export const redactor = (secrets: ReadonlyArray<string>): Redact => {
  const all = secrets
    .flatMap((secret) => [secret, ...secret.split(/\r?\n/)].flatMap(forms))
    .filter((secret) => secret.trim().length >= shortest)
  const known = [...new Set(all)].toSorted((a, b) => b.length - a.length)
  return (text) => redacted(known.reduce((rest, secret) => rest.replaceAll(secret, "…"), text))
}

/** Characters that a secret may have at the end of a text that is cut before it is redacted. */
const longest = 4096

/** Redacts the beginning of a text that may be very long, without an end that may be a part of a secret. */
export const redactStart = (redact: Redact, text: string, most: number): string => {
  const window = most + 2 * longest
  return (text.length <= window ? redact(text) : redact(text.slice(0, window)).slice(0, -longest)).slice(0, most)
}

/** Cuts before the word that does not fit, so that no part of a secret is left. */
export const cutWords = (text: string, most: number): string =>
  text.length <= most ? text : `${text.slice(0, Math.max(0, text.lastIndexOf(" ", most)))}…`
