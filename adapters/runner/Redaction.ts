import { Encoding } from "effect"

export type Redact = (text: string) => string

/** Forms of secrets that are hidden even when their value is not known. */
const patterns: ReadonlyArray<readonly [RegExp, string]> = [
  [/\b([tr]k_)[A-Za-z0-9]{32}\b/g, "$1…"],
  [/\bgt[a-z]_[\w-]{20,}/g, "gt…"],
  [/\b(gh[a-z]_|github_pat_|glpat-|sk-|xox[a-z]-)[\w-]{16,}/g, "$1…"],
  [/(\bauthorization["']?\s*[:=]\s*["']?)(?:[A-Za-z]+\s+)?[^\s"',]+/gi, "$1…"],
  [/(\b[a-z][a-z0-9+.-]*:\/\/)[^\s/@:]*:[^\s/@]+@/gi, "$1…@"]
]

/** A shorter value would hide common words. */
const shortest = 6

/** Replaces known secrets, each of their lines and their base64, and texts that look like a secret. */
export const redactor = (secrets: ReadonlyArray<string>): Redact => {
  const known = secrets
    .flatMap((secret) => [secret, ...secret.split(/\r?\n/), Encoding.encodeBase64(secret)])
    .filter((secret) => secret.trim().length >= shortest)
    .toSorted((a, b) => b.length - a.length)
  return (text) =>
    patterns.reduce(
      (rest, [pattern, shown]) => rest.replace(pattern, shown),
      [...new Set(known)].reduce((rest, secret) => rest.replaceAll(secret, "…"), text)
    )
}
