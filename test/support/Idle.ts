import { assert, inject } from "vitest"

/** Limits of time, rate and memory that only an idle machine keeps; asserted by `npm run prove`, not by `npm test`. */
export const isBelow = (actual: number, limit: number, message?: string) => {
  if (inject("full")) assert.isBelow(actual, limit, message)
}
