// @effect-diagnostics processEnv:off
import { assert } from "vitest"

/** Set in CI. */
export const isRequired = process.env["OPTIONAL_TESTS"] === "required"

/** True when a test can run here; with `OPTIONAL_TESTS=required`, as in CI, it fails instead of skipping the test. */
export const canRun = (isPossible: boolean, needs: string): boolean => {
  if (isRequired) assert.isTrue(isPossible, `OPTIONAL_TESTS=required, but ${needs}`)
  return isPossible
}
