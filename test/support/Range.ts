import { isLong } from "./Long.ts"

/** The numbers from 0 on. */
export const range = (count: number) => Array.from({ length: count }, (_, index) => index)

/** Repetitions of a race, of which the short form makes the first two. */
export const rounds = (count: number) => range(isLong ? count : 2)
