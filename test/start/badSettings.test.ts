import { existsSync } from "node:fs"
import { afterAll, assert, beforeAll, describe, inject, it } from "vitest"
import { long } from "../support/Long.ts"
import { workshop } from "../support/Process.ts"

let shop: ReturnType<typeof workshop>
beforeAll(() => {
  shop = workshop()
})
afterAll(() => shop.close())

describe.concurrent("a start that cannot be", () => {
  it("names every bad setting before anything is started", async () => {
    const bad = { PORT: "abc", DATABASE_URL: "mysql://x", SECRET_KEY: "short", TRUST_PROXY: "maybe", DEMO: "maybe" }
    const dataDir = shop.folder()
    const settings = { ...bad, PUBLIC_URL: "nope", SIGNAL_WEBHOOK_URL: "nope", DATA_DIR: dataDir }
    const { code, err, out } = await shop.node(settings).ended()
    assert.deepStrictEqual([code, out], [1, ""])
    const { DATA_DIR: _, ...named } = settings
    for (const name of Object.keys(named)) assert.match(err, new RegExp(`^${name} must be .+; got .+$`, "m"))
    assert.strictEqual(err.trim().split("\n").length, Object.keys(named).length)
    assert.isFalse(existsSync(dataDir))
  })

  long(() => {
    it("tells scripts the same as JSON", async () => {
      const { code, err, out } = await shop.node({ LOG_LEVEL: "loud" }, "demo", "--json").ended()
      assert.deepStrictEqual([code, out], [1, ""])
      const message = "LOG_LEVEL must be one of debug, info, warn, error; got 'loud'"
      assert.deepStrictEqual(JSON.parse(err), { error: { code: "invalid_setting", message } })
    })
  })

  long(() => {
    it.each(inject("full") ? ["127.0.0.1", "localhost"] : ["localhost"])(
      "says that no database answers at %s, without its password",
      async (host) => {
        const DATABASE_URL = `postgres://user:s3cret@${host}:1/gone`
        const SECRET_KEY = Buffer.alloc(32, 7).toString("base64")
        const { code, err } = await shop.node({ DATABASE_URL, SECRET_KEY, DATABASE_WAIT_SECONDS: "1" }).ended()
        assert.strictEqual(code, 1)
        assert.match(err, new RegExp(`^Cannot connect to the database at ${host}:1/gone: .*ECONNREFUSED`, "m"))
        assert.match(err, /Tried \d+ times within 1 s\./)
        assert.strictEqual(err.match(/waits up to 1 s for the database/g)?.length, 1)
        assert.strictEqual(err.trim().split("\n").length, 2)
        assert.include(err, "Check DATABASE_URL")
        assert.isFalse(err.includes("s3cret"))
      }
    )
  })
})
