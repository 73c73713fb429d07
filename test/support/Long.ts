import { inject } from "vitest"
import { isRequired } from "./Optional.ts"

/** Defines tests of rules of which `npm test` has a shorter one: they run in CI and in the long form. */
export const long = (define: () => void): void => {
  if (inject("full") || isRequired) define()
}
