import { Either, Encoding } from "effect"
import { redacted } from "../../domain/value/Redaction.ts"

export type Redact = (text: string) => string

/** A shorter value would hide common words. */
const shortest = 6

/** Forms in which programs print a value. */
const forms = (secret: string) => [
  secret,
  Encoding.encodeBase64(secret),
  JSON.stringify(secret).slice(1, -1),
  Either.getOrElse(Encoding.encodeUriComponent(secret), () => secret)
]

/** Replaces known secrets, their lines and their usual encodings, and texts that look like a secret. */
export const redactor = (secrets: ReadonlyArray<string>): Redact => {
  const known = secrets
    .flatMap((secret) => [secret, ...secret.split(/\r?\n/)].flatMap(forms))
    .filter((secret) => secret.trim().length >= shortest)
    .toSorted((a, b) => b.length - a.length)
  return (text) => redacted([...new Set(known)].reduce((rest, secret) => rest.replaceAll(secret, "…"), text))
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
