import { inject } from "vitest"
import { isRequired } from "./Optional.ts"

/** True in CI and in the long form. */
export const isLong = inject("full") || isRequired

/** Defines tests with a shorter version in `npm test`: they run in CI and in the long form. */
export const long = (define: () => void): void => {
  if (isLong) define()
}
