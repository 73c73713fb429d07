// @effect-diagnostics processEnv:off
import { assert } from "vitest"

/** Set in CI. */
export const isRequired = process.env["OPTIONAL_TESTS"] === "required"

/** Whether a test can run here; with `OPTIONAL_TESTS=required`, as in CI, one that cannot fails instead of being skipped. */
export const canRun = (isPossible: boolean, needs: string): boolean => {
  if (isRequired) assert.isTrue(isPossible, `OPTIONAL_TESTS=required, but ${needs}`)
  return isPossible
}
