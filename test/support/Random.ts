import { FastCheck } from "effect"
import { inject } from "vitest"

let state = 0

/** Each file draws from the beginning, since the files of one worker share this module. */
export const reseed = () => {
  state = inject("seed")
}

/** Numbers from 0 to 1 drawn from the seed of the run, in place of `Math.random` (mulberry32). */
export const random = () => {
  state = (state + 0x6d2b79f5) | 0
  let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
  mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
  return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
}

/** Any text. `string({ unit: "binary" })` first makes a table of all code points, which takes a second. */
export const anyText = (limits: { readonly minLength?: number; readonly maxLength?: number } = {}) =>
  FastCheck.fullUnicodeString(limits)
