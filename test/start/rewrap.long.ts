import { assert, it } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import { inject } from "vitest"
import * as Tools from "../../adapters/alerting/Tools.ts"
import { SecretKey } from "../../application/secrets/SecretKey.ts"
import * as Sealing from "../../application/secrets/Sealing.ts"
import { isRequired } from "../support/Optional.ts"
import { addressOf, scopedWorkshop } from "../support/Process.ts"
import { signed, source } from "../support/Source.ts"
import * as TestPostgres from "../support/TestPostgres.ts"
import { ask } from "../support/World.ts"

const bytes = (byte: number) => new Uint8Array(32).fill(byte)
const keyOf = (byte: number) => Buffer.from(bytes(byte)).toString("base64")
const sealing = Sealing.layer.pipe(Layer.provide(Layer.succeed(SecretKey, Redacted.make(bytes(1)))))

it.scopedLive(
  "the secret key can be changed, and a service with a wrong one does not start",
  () =>
    Effect.gen(function* () {
      const shop = yield* scopedWorkshop
      const database = yield* TestPostgres.addressed
      const { path, secret } = yield* Effect.provide(source(), Layer.mergeAll(database.layer, sealing, Tools.layer))
      const body = JSON.stringify({ title: "Down" })

      const service = (settings: Record<string, string>) =>
        shop.node({ DATABASE_URL: database.url, PORT: "0", ...settings })
      const refusal = (settings: Record<string, string>) => Effect.promise(() => service(settings).ended())
      /** The answer to a delivery from a service with these keys, and its log. */
      const deliver = (settings: Record<string, string>) =>
        Effect.promise(async () => {
          const running = service(settings)
          const url = await addressOf(running)
          const { status } = await ask(url.replace("localhost", "127.0.0.1"), path, {
            method: "POST",
            body,
            headers: signed(secret, body)
          })
          running.signal("SIGTERM")
          const { code, err, out } = await running.ended()
          assert.strictEqual(code, 0)
          return { status, said: out + err }
        })

      const refused = yield* refusal({ SECRET_KEY: keyOf(2) })
      assert.strictEqual(refused.code, 1)
      const [, lost = ""] = /set SECRET_KEY_LOST=([0-9a-f]{8}) and/.exec(refused.err) ?? []
      assert.match(refused.err, /^SECRET_KEY does not open the secrets in this database/)
      assert.notInclude(refused.err, keyOf(2))

      if (inject("full") || isRequired) {
        assert.strictEqual((yield* deliver({ SECRET_KEY: keyOf(1) })).status, 202)
        assert.strictEqual((yield* deliver({ SECRET_KEY: keyOf(2), SECRET_KEY_LOST: lost })).status, 503)
      }
      const changed = yield* deliver({ SECRET_KEY: keyOf(2), SECRET_KEY_OLD: `${keyOf(3)}, ${keyOf(1)}` })
      assert.strictEqual(changed.status, 202)
      assert.include(changed.said, "secrets sealed anew with SECRET_KEY: 1;")
      if (inject("full") || isRequired) {
        assert.strictEqual((yield* refusal({ SECRET_KEY: keyOf(1) })).code, 1)
        assert.strictEqual((yield* deliver({ SECRET_KEY: keyOf(2) })).status, 202)
      }
    }),
  120_000
)
