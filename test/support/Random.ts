import { FastCheck } from "effect"
import { inject } from "vitest"

/** Numbers from 0 to 1 drawn from the seed of the run, in place of `Math.random` (mulberry32). */
export const random = (() => {
  let state = inject("seed")
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
})()

/** Any text. `string({ unit: "binary" })` first makes a table of all code points, which takes a second. */
export const anyText = (limits: { readonly minLength?: number; readonly maxLength?: number } = {}) =>
  FastCheck.fullUnicodeString(limits)
