import { DateTime } from "effect"
import { assert, it } from "vitest"
import { retryAfter } from "../../../domain/workspace/RateLimit.ts"

it.each([
  [60_000, 60],
  [59_001, 60],
  [59_000, 59],
  [1001, 2],
  [1000, 1],
  [1, 1],
  [0, 1],
  [-5000, 1]
])("%i ms before the window ends a caller waits %i s: whole seconds, never too few", (millis, seconds) =>
  assert.strictEqual(retryAfter(DateTime.unsafeMake(0), DateTime.unsafeMake(millis)), seconds)
)
