// @effect-diagnostics processEnv:off
import { assert } from "vitest"

/** Whether a test can run here; with `OPTIONAL_TESTS=required`, as in CI, one that cannot fails instead of being skipped. */
export const canRun = (isPossible: boolean, needs: string): boolean => {
  if (process.env["OPTIONAL_TESTS"] === "required") assert.isTrue(isPossible, `OPTIONAL_TESTS=required, but ${needs}`)
  return isPossible
}
