import { assert, describe, it } from "@effect/vitest"
import { DateTime, Effect, Redacted } from "effect"
import { vi } from "vitest"
import * as ApiToken from "../../../domain/workspace/ApiToken.ts"

describe("API tokens", () => {
  it.effect("are tk_ and 32 letters or digits, each as likely as the next", () =>
    Effect.gen(function* () {
      const counts = new Map<string, number>()
      for (let turn = 0; turn < 2000; turn++) {
        const token = yield* ApiToken.draw
        assert.isTrue(ApiToken.isWellFormed(token))
        assert.strictEqual(Redacted.value(token).length, 35)
        for (const letter of Redacted.value(token).slice(3)) counts.set(letter, (counts.get(letter) ?? 0) + 1)
      }
      assert.strictEqual(counts.size, 62)
      const expected = (2000 * 32) / 62
      for (const [letter, count] of counts) assert.isBelow(Math.abs(count / expected - 1), 0.25, letter)
    })
  )

  it.effect("are drawn without the bytes that would make some letters likelier", () =>
    Effect.gen(function* () {
      const bytes = Array.from({ length: 48 }, (_, index) => (index < 8 ? 248 + index : index - 8))
      const spy = vi
        .spyOn(crypto, "getRandomValues")
        .mockImplementation((into) => (into instanceof Uint8Array && into.set(bytes), into))
      const token = yield* Effect.ensuring(
        ApiToken.draw,
        Effect.sync(() => spy.mockRestore())
      )
      assert.strictEqual(Redacted.value(token), "tk_ABCDEFGHIJKLMNOPQRSTUVWXYZabcdef")
    })
  )

  it.effect("are stored as SHA-256 and known by their first 11 characters", () =>
    Effect.gen(function* () {
      const token = Redacted.make("tk_00000000000000000000000000000000")
      assert.strictEqual(ApiToken.prefixOf(token), "tk_00000000")
      assert.strictEqual(
        yield* ApiToken.hashOf(token),
        "e2366c11634a7d279d9f07bb46411639555a1cfdbb6097625fc22ef2469a0566"
      )
      assert.notInclude(String(token), "0000")
    })
  )

  it.each(["", "tk_", `tk_${"a".repeat(31)}`, `tk_${"a".repeat(33)}`, `xx_${"a".repeat(32)}`, `tk_${"a".repeat(31)}-`])(
    "'%s' is malformed",
    (text) => assert.isFalse(ApiToken.isWellFormed(Redacted.make(text)))
  )

  it("permissions: admin includes the others, no other does", () => {
    const all = ApiToken.Permission.literals
    for (const held of all)
      for (const needed of all)
        assert.strictEqual(ApiToken.permits([held], needed), held === needed || held === "admin", `${held} → ${needed}`)
    assert.isFalse(ApiToken.permits([], "read"))
  })

  it("live 30 days, 90 days or a year", () => {
    const made = DateTime.unsafeMake("2026-01-01T00:00:00Z")
    const ends = ApiToken.Lifetime.literals.map((lifetime) =>
      DateTime.formatIso(ApiToken.expiry(made, lifetime)).slice(0, 10)
    )
    assert.deepStrictEqual(ends, ["2026-01-31", "2026-04-01", "2027-01-01"])
  })
})
