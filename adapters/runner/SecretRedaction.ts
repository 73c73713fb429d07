import { Encoding } from "effect"
import { redacted } from "../../domain/value/Redaction.ts"

export type Redact = (text: string) => string

/** A shorter value would hide common words. */
const shortest = 6

/** Replaces known secrets, each of their lines and their base64, and texts that look like a secret. */
export const redactor = (secrets: ReadonlyArray<string>): Redact => {
  const known = secrets
    .flatMap((secret) => [secret, ...secret.split(/\r?\n/), Encoding.encodeBase64(secret)])
    .filter((secret) => secret.trim().length >= shortest)
    .toSorted((a, b) => b.length - a.length)
  return (text) => redacted([...new Set(known)].reduce((rest, secret) => rest.replaceAll(secret, "…"), text))
}
