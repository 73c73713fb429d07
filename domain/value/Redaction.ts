/** Forms of secrets that are hidden even when their value is not known. */
const patterns: ReadonlyArray<readonly [RegExp, string]> = [
  [/\b([tr]k_)[A-Za-z0-9]{32}\b/g, "$1…"],
  [/\bgt[a-z]_[\w-]{20,}/g, "gt…"],
  // Installation tokens of GitHub have the form of a JSON web token.
  [/\b(gh[a-z]_)[\w.-]{16,}/g, "$1…"],
  [/\b(github_pat_|glpat-|sk-|xox[a-z]-)[\w-]{16,}/g, "$1…"],
  [/(\bauthorization["']?\s*[:=]\s*["']?)(?:[A-Za-z]+\s+)?[^\s"',]+/gi, "$1…"],
  // The last letter of the scheme is enough: all of it would take a time that grows with the square of the text.
  [/([\w+.-]:\/\/)[^\s/@:]*:[^\s/@]+@/g, "$1…@"]
]

/** Hides texts that look like a secret. */
export const redacted = (text: string): string =>
  patterns.reduce((rest, [pattern, shown]) => rest.replace(pattern, shown), text)
