import { assert, it } from "@effect/vitest"
import { Effect, FastCheck, Layer, Redacted } from "effect"
import * as Cursors from "../../application/workspace/Cursors.ts"
import { SecretKey } from "../../application/secrets/SecretKey.ts"
import type { WorkspaceId } from "../../domain/workspace/Workspace.ts"
import { anyText } from "../support/Random.ts"

const keyed = (byte: number) =>
  Cursors.layer.pipe(Layer.provide(Layer.succeed(SecretKey, Redacted.make(new Uint8Array(32).fill(byte)))))
const listing: Cursors.Listing = {
  workspace: "5e0e2a8c-39ab-4a0e-9f6e-2f4b0a6b3a11" as WorkspaceId,
  list: "runs",
  filters: { team: "payments", story: null }
}
const seqs = FastCheck.bigInt({ min: 0n, max: 9_223_372_036_854_775_807n })

it.layer(keyed(1))("cursors", (it) => {
  it.effect("give back the sequence number they were made of", () =>
    Effect.gen(function* () {
      const cursors = yield* Cursors.Cursors
      for (const seq of FastCheck.sample(seqs, 50)) {
        const cursor = yield* cursors.encode(listing, seq)
        assert.match(cursor, /^[A-Za-z0-9_-]+$/)
        assert.strictEqual(yield* cursors.decode(listing, cursor), seq)
      }
    })
  )

  it.effect("with any one bit flipped are refused", () =>
    Effect.gen(function* () {
      const cursors = yield* Cursors.Cursors
      const cursor = yield* cursors.encode(listing, 42n)
      for (let at = 0; at < cursor.length; at++)
        for (let bit = 0; bit < 7; bit++) {
          const flipped = String.fromCharCode(cursor.charCodeAt(at) ^ (1 << bit))
          const tampered = cursor.slice(0, at) + flipped + cursor.slice(at + 1)
          assert.strictEqual((yield* Effect.flip(cursors.decode(listing, tampered)))._tag, "InvalidCursor")
        }
    })
  )

  it.effect("are good for one list, one set of filters, one workspace and one key", () =>
    Effect.gen(function* () {
      const cursors = yield* Cursors.Cursors
      const cursor = yield* cursors.encode(listing, 42n)
      const others: ReadonlyArray<Partial<Cursors.Listing>> = [
        { list: "decisions" },
        { filters: { team: "web", story: null } },
        { filters: { team: null, story: "payments" } },
        { filters: { team: "payments", story: "PAY-1" } },
        { workspace: "5e0e2a8c-39ab-4a0e-9f6e-2f4b0a6b3a12" as WorkspaceId }
      ]
      for (const other of others) yield* Effect.flip(cursors.decode({ ...listing, ...other }, cursor))
      const stranger = yield* Effect.provide(Cursors.Cursors, keyed(2))
      yield* Effect.flip(stranger.decode(listing, cursor))
      assert.strictEqual(yield* cursors.decode({ ...listing, filters: { story: null, team: "payments" } }, cursor), 42n)
    })
  )

  it.effect("of any text but ours are refused, without a defect", () =>
    Effect.gen(function* () {
      const cursors = yield* Cursors.Cursors
      for (const text of FastCheck.sample(
        FastCheck.oneof(FastCheck.string(), FastCheck.base64String(), anyText()),
        300
      ))
        assert.strictEqual((yield* Effect.flip(cursors.decode(listing, text)))._tag, "InvalidCursor")
    })
  )
})
