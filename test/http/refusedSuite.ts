import { inboxOf } from "../support/OnCall.ts"
import { Effect } from "effect"
import { gzipSync } from "node:zlib"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { SignalStore } from "../../application/ports/SignalStore.ts"
import { signed, source } from "../support/Source.ts"
import { ask, type World } from "../support/World.ts"
import { assertRefused } from "./answers.ts"

type Source = Effect.Effect.Success<ReturnType<typeof source>>

const limit = 524_288
const alert = JSON.stringify({ title: "Checkout is down", severity: "critical" })

interface Kept {
  readonly status: number
  readonly code: string
  readonly message: string
  readonly body: string | null
}

/** Compressed posts, and refused posts that are kept. */
export const refusedSuite = (name: string, open: () => Promise<World>) =>
  describe(`POST /signals/{source}, packed or refused (${name})`, () => {
    let world: World
    beforeAll(async () => {
      world = await open()
    })
    afterAll(() => world.close())

    const post = ({ path, secret }: Source, body: string | Buffer, headers: Record<string, string> = {}) =>
      ask(world.url, path, { method: "POST", body, headers: { ...signed(secret, body), ...headers } })

    const packed = (at: Source, body: string, headers: Record<string, string> = {}) =>
      post(at, gzipSync(body), { "content-encoding": "gzip", ...headers })

    const refusedOf = async ({ source: { id }, workspace }: Source) => {
      const { items } = await world.run(
        Effect.flatMap(SignalStore, (store) => store.refusedLedger(workspace, id, { limit: 50, before: null }))
      )
      return JSON.parse(items) as ReadonlyArray<Kept>
    }

    it("reads a body that is packed with gzip, signed as it was sent", async () => {
      const at = await world.run(source())
      assert.strictEqual((await packed(at, alert)).status, 202)
      assert.strictEqual((await packed(at, alert, { "content-encoding": "GZIP" })).status, 202)
      const unpackedSignature = signed(at.secret, alert)
      assertRefused(await packed(at, alert, unpackedSignature), 401, "invalid_proof")
    })

    it("takes 524,288 bytes unpacked, and not one more, however little was sent", async () => {
      const at = await world.run(source())
      const padded = (bytes: number) => JSON.stringify({ title: "Large", more: "m".repeat(bytes - 27) })
      assert.strictEqual(padded(limit).length, limit)
      assert.strictEqual((await packed(at, padded(limit))).status, 202)
      assertRefused(await packed(at, padded(limit + 1)), 413, "payload_too_large")
      const bomb = gzipSync(Buffer.alloc(64 * 1024 * 1024))
      assertRefused(await post(at, bomb, { "content-encoding": "gzip" }), 413, "payload_too_large")
    })

    it("refuses what is not gzip, and any other encoding by its name", async () => {
      const at = await world.run(source())
      assertRefused(await post(at, alert, { "content-encoding": "gzip" }), 400, "unreadable_alert")
      assert.strictEqual((await post(at, alert, { "content-encoding": "identity" })).status, 202)
      for (const encoding of ["br", "deflate", "gzip, gzip"]) {
        const answer = await post(at, alert, { "content-encoding": encoding })
        assertRefused(answer, 415, "unsupported_media_type")
        assert.include(answer.text, `Content-Encoding: ${encoding}`)
        assert.include(answer.text, "gzip")
      }
    })

    it("keeps every kind of refusal with its code, and the body's beginning without secrets", async () => {
      const at = await world.run(source())
      const other = await world.run(source())
      await post(at, '{"title": "half", "password": "hunter2", "api_key": ["hunter2"')
      await post({ ...at, secret: "other" }, `${alert.slice(0, -1)},"token":"hunter2","more":"${"m".repeat(9000)}"}`)
      await post(at, "m".repeat(limit + 1))
      await post(at, alert, { "content-encoding": "br" })
      const kept = await refusedOf(at)
      assert.deepStrictEqual(
        kept.map(({ code, status }) => [status, code]),
        [
          [415, "unsupported_media_type"],
          [413, "payload_too_large"],
          [401, "invalid_proof"],
          [400, "unreadable_alert"]
        ]
      )
      assert.notInclude(JSON.stringify(kept), "hunter2")
      assert.include(kept.at(-1)?.body, '{"title": "half"')
      assert.include(kept.at(-1)?.message, "not JSON")
      for (const { body } of kept) assert.isAtMost(body?.length ?? 0, 2100)
      assert.deepStrictEqual(await refusedOf(other), [])
    })

    it("tells the owner once, however many are refused", async () => {
      const at = await world.run(source())
      await Promise.all(Array.from({ length: 30 }, () => post(at, "nonsense")))
      const told = await world.run(inboxOf(at.workspace, at.owner.member.id))
      assert.lengthOf(told, 1)
      assert.include(told[0], "400 unreadable_alert")
      assert.include(told[0], "delivery list --source tool --refused")
    })
  })
