import { assert, it } from "@effect/vitest"
import type * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import { Effect, Either, Fiber, TestClock } from "effect"
import { PassThrough } from "node:stream"
import { arrival, read } from "../../adapters/http/web/Forms.ts"
import { statusOfPage } from "../../adapters/http/web/Page.ts"

const sent = (headers: Record<string, string> = { "content-type": "application/x-www-form-urlencoded" }) => {
  const source = Object.assign(new PassThrough(), { headers })
  return { source, request: { source, headers } as unknown as HttpServerRequest.HttpServerRequest }
}

it.effect(
  "a form that does not arrive in time is refused for that reason, and the answer waits for it until then",
  () =>
    Effect.gen(function* () {
      const { request, source } = sent()
      source.write("title=")
      const reading = yield* Effect.fork(Effect.either(read(request)))
      yield* TestClock.adjust("59 seconds")
      assert.isNotNull(arrival(request))
      yield* TestClock.adjust("1 seconds")
      const refused = Either.getOrThrow(Either.flip(yield* Fiber.join(reading)))
      assert.strictEqual(statusOfPage(refused), 408)
      assert.include(refused.message, "did not arrive within 60 seconds")
      assert.isNull(arrival(request))
    })
)

it.effect("a form of 100,000 letters of any script is read", () =>
  Effect.gen(function* () {
    const { request, source } = sent()
    const text = "世".repeat(100_000)
    source.end(new URLSearchParams({ text }).toString())
    const form = yield* read(request)
    assert.strictEqual(form.get("text"), text)
    assert.isNull(arrival(request))
  })
)
