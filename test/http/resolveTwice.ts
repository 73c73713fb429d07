import { assert, describe, it } from "vitest"
import { assertCommon, assertRefused } from "./answers.ts"
import type { visit } from "./asked.ts"

const yes = { optionId: "yes", note: "Go" }
const named = (key: string) => ({ "idempotency-key": key })

export const resolveTwice = ({ read, resolve, tokenOf, workspace }: ReturnType<typeof visit>) =>
  describe("a second time", () => {
    it("is refused without an idempotency key, and told who answered, when and how", async () => {
      const slug = await workspace()
      const first = await resolve("dec-aaaa", yes, { token: await tokenOf(slug) })
      for (const body of [yes, { optionId: "no" }, { optionId: "maybe" }]) {
        const second = await resolve("dec-aaaa", body, { token: await tokenOf(slug, "owner") })
        assertRefused(second, 409, "decision_already_resolved")
        const words = `by Mika Member at ${first.body.resolvedAt} via api with 'Approve'`
        assert.include(second.body.error.message, words)
      }
      const { effects: _, ...decision } = first.body
      assert.deepStrictEqual(await read(slug, "/v1/decisions/dec-aaaa"), decision)
      assert.strictEqual((await read(slug, "/v1/audit?event=decision_resolved")).data.length, 1)
    })

    it("answers as the first did under the same key, and nothing happens twice", async () => {
      const slug = await workspace()
      const token = await tokenOf(slug)
      const headers = named("~!key-1")
      const first = await resolve("dec-aaaa", yes, { token, headers })
      assert.deepStrictEqual([first.status, first.headers["idempotent-replayed"]], [200, undefined])
      const same = [yes, { note: "Go", optionId: "yes", more: 1 }, JSON.stringify(yes, null, 2)]
      for (const [turn, body] of same.entries()) {
        const again = await resolve(turn === 0 ? "DEC-AAAA" : "dec-aaaa", body, { token, headers })
        assert.deepStrictEqual([again.status, again.text], [200, first.text])
        assert.strictEqual(again.headers["idempotent-replayed"], "true")
        assertCommon(again)
      }
      assert.strictEqual((await read(slug, "/v1/audit?event=decision_resolved")).data.length, 1)
      assert.strictEqual((await read(slug, "/v1/audit?event=run_state_changed&run=run-aaaa")).data.length, 2)
    })

    it("takes an absent note for null, but not for an empty one", async () => {
      const slug = await workspace()
      const token = await tokenOf(slug)
      const headers = named("k")
      const first = await resolve("dec-fre1", { optionId: "yes" }, { token, headers })
      assert.deepStrictEqual(first.body.resolution, { optionId: "yes", note: null })
      const again = await resolve("dec-fre1", { optionId: "yes", note: null }, { token, headers })
      assert.strictEqual(again.text, first.text)
      const empty = await resolve("dec-fre1", { optionId: "yes", note: "" }, { token, headers })
      assertRefused(empty, 409, "idempotency_key_reused")
    })

    it("is refused under the same key for another answer or another decision", async () => {
      const slug = await workspace()
      const token = await tokenOf(slug)
      const headers = named("k".repeat(255))
      assert.strictEqual((await resolve("dec-fre1", yes, { token, headers })).status, 200)
      for (const [key, body] of [
        ["dec-fre1", { optionId: "no", note: "Go" }],
        ["dec-fre1", { optionId: "yes" }],
        ["dec-fre1", { optionId: "maybe", note: "Go" }],
        ["dec-fre2", yes],
        ["dec-d0ne", yes]
      ] as const) {
        const answer = await resolve(key, body, { token, headers })
        assertRefused(answer, 409, "idempotency_key_reused")
        assert.include(answer.body.error.message, "k".repeat(255))
      }
      assert.strictEqual((await read(slug, "/v1/decisions/dec-fre2")).status, "pending")
    })

    it("a key belongs to its token", async () => {
      const slug = await workspace()
      const headers = named("k")
      assert.strictEqual((await resolve("dec-fre1", yes, { token: await tokenOf(slug), headers })).status, 200)
      const other = await tokenOf(slug)
      assertRefused(await resolve("dec-fre1", yes, { token: other, headers }), 409, "decision_already_resolved")
      assert.strictEqual((await resolve("dec-fre2", yes, { token: other, headers })).status, 200)
    })

    it("a key that only met refusals is still free", async () => {
      const slug = await workspace()
      const token = await tokenOf(slug)
      const headers = named("k")
      assertRefused(await resolve("dec-fre1", { optionId: "maybe" }, { token, headers }), 400, "unknown_option")
      assertRefused(await resolve("dec-wner", yes, { token, headers }), 403, "insufficient_authority")
      assertRefused(await resolve("dec-d0ne", yes, { token, headers }), 409, "decision_already_resolved")
      assertRefused(await resolve("dec-1ate", yes, { token, headers }), 409, "decision_expired")
      assertRefused(await resolve("dec-0000", yes, { token, headers }), 404, "decision_not_found")
      const answer = await resolve("dec-fre1", yes, { token, headers })
      assert.deepStrictEqual([answer.status, answer.headers["idempotent-replayed"]], [200, undefined])
    })

    it.each([
      ["an empty key", ""],
      ["a blank in it", "a b"],
      ["256 characters", "k".repeat(256)],
      ["an accent", "\u00e9"],
      ["a tab", "a\tb"]
    ])("%s is refused", async (_, key) => {
      const slug = await workspace()
      const answer = await resolve("dec-fre1", yes, { token: await tokenOf(slug), headers: named(key) })
      assertRefused(answer, 400, "invalid_parameter")
      assert.match(answer.body.error.message, /^Idempotency-Key must be 1 to 255 visible characters/)
      assert.strictEqual((await read(slug, "/v1/decisions/dec-fre1")).status, "pending")
    })
  })
