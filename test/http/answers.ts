import { assert } from "vitest"
import type { Answer } from "../support/World.ts"

/** Headers of every response. */
export const assertCommon = (answer: Answer) => {
  assert.strictEqual(answer.headers["x-ratelimit-limit"], "120")
  assert.match(answer.headers["x-ratelimit-remaining"] ?? "", /^\d+$/)
  const reset = Number(answer.headers["x-ratelimit-reset"])
  assert.isTrue(Math.abs(reset - performance.timeOrigin / 1000 - performance.now() / 1000) < 65, `reset ${reset}`)
  assert.match(answer.headers["x-request-id"] ?? "", /^[\w.:-]{1,128}$/)
  assert.strictEqual(answer.headers["cache-control"], "no-store")
  assert.strictEqual(answer.headers["x-content-type-options"], "nosniff")
  assert.isUndefined(answer.headers["access-control-allow-origin"])
}

export const assertRefused = (answer: Answer, status: number, code: string) => {
  assertCommon(answer)
  assert.strictEqual(answer.status, status, answer.text)
  assert.match(answer.headers["content-type"] ?? "", /^application\/json/)
  assert.deepStrictEqual(Object.keys(answer.body), ["error"])
  assert.deepStrictEqual(Object.keys(answer.body.error), ["code", "message"])
  assert.strictEqual(answer.body.error.code, code, answer.text)
  assert.isAbove(answer.body.error.message.length, 20)
}
