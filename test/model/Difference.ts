import { assert } from "@effect/vitest"

const isBranch = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null

/** Describes the first difference of two values; null when they are equal. */
const difference = (left: unknown, right: unknown, path = ""): string | null => {
  if (!isBranch(left) || !isBranch(right))
    return Object.is(left, right) ? null : `${path}: ${JSON.stringify(left)} is not ${JSON.stringify(right)}`
  for (const key of new Set([...Object.keys(left), ...Object.keys(right)])) {
    const found = difference(left[key], right[key], `${path}.${key}`)
    if (found !== null) return found
  }
  return null
}

export const same = (what: string, left: unknown, right: unknown) => {
  const found = difference(left, right)
  if (found !== null) assert.fail(`${what}${found}`)
}
