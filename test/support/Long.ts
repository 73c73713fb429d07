import { inject } from "vitest"
import { isRequired } from "./Optional.ts"

/** Defines tests with a shorter version in `npm test`: they run in CI and in the long form. */
export const long = (define: () => void): void => {
  if (inject("full") || isRequired) define()
}
