import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, assert, beforeAll, describe, inject, it } from "vitest"
import { count } from "../../adapters/postgres/embedded/Supervise.ts"
import * as Prepared from "../support/Prepared.ts"
import { addressOf, eventually, type Program, workshop } from "../support/Process.ts"
import { ask } from "../support/World.ts"
import { long } from "../support/Long.ts"

const patience = 120_000

let shop: ReturnType<typeof workshop>
beforeAll(() => {
  shop = workshop()
})
afterAll(() => shop.close(), patience)

const begin = async () => {
  const dataDir = Prepared.fill(shop.folder())
  const program = shop.node({ DATA_DIR: dataDir, PORT: "0" })
  const url = await addressOf(program)
  const [token = ""] = await program.says(/\btk_[A-Za-z0-9]{32}\b/)
  const postmaster = () => Number(readFileSync(join(dataDir, "postgres", "postmaster.pid"), "utf8").split("\n")[0])
  return { dataDir, program, url, token, postmaster }
}

const logged = (program: Program, pattern: RegExp) =>
  eventually(
    () => `${pattern} — ${program.err()}`,
    () => pattern.exec(program.err()) ?? undefined,
    60
  )

describe.concurrent("the Postgres of a service", { timeout: patience }, () => {
  long(() => {
    it.each(inject("full") ? (["SIGKILL", "SIGINT"] as const) : (["SIGKILL"] as const))(
      "that %s ends is started again, with all that was confirmed",
      async (signal) => {
        const { postmaster, program, token, url } = await begin()
        const answered = await ask(url, "/v1/decisions/dec-h6k3/resolve", {
          method: "POST",
          token,
          body: JSON.stringify({ optionId: "merge" }),
          headers: { "content-type": "application/json" }
        })
        assert.strictEqual(answered.status, 200)
        const before = postmaster()
        process.kill(before, signal)
        await logged(program, new RegExp(`started again: process ${before} ended`))
        const [, after = ""] = await logged(program, /runs again as process (\d+)/)
        assert.strictEqual(postmaster(), Number(after))
        const { body, status } = await ask(url, "/v1/decisions/dec-h6k3", { token })
        assert.deepStrictEqual([status, body.status], [200, "resolved"])
        assert.strictEqual((await ask(url, "/readyz")).status, 200)
        // All background tasks fail meanwhile, and log at most one line.
        assert.isAtMost(program.err().match(/cannot be reached/g)?.length ?? 0, 1, program.err())
        assert.notMatch(program.err(), /\\n +at /)
        program.signal("SIGTERM")
        assert.strictEqual((await program.ended()).code, 0)
      }
    )
  })

  long(() => {
    it("is given up after five deaths within a minute, and the service ends with the reason", async () => {
      const { dataDir, postmaster, program } = await begin()
      writeFileSync(join(dataDir, "postgres", "postgresql.auto.conf"), "no_such_setting = 1\n")
      process.kill(postmaster(), "SIGKILL")
      const { code, err } = await program.ended()
      assert.strictEqual(code, 1)
      assert.strictEqual(err.match(/is started again/g)?.length, 4)
      assert.match(err, /^The embedded Postgres cannot be used: it ended 5 times within a minute/m)
      assert.include(err, 'unrecognized configuration parameter \\"no_such_setting\\"')
      assert.include(err, "set DATABASE_URL")
      await shop.nothingLeft(dataDir)
    })
  })

  it.each([
    { deaths: [], isHopeless: false },
    { deaths: [70_000, 80_000, 90_000], isHopeless: false },
    { deaths: [70_000, 80_000, 90_000, 95_000], isHopeless: true },
    { deaths: [40_000, 80_000, 90_000, 95_000], isHopeless: false },
    { deaths: [40_001, 80_000, 90_000, 95_000], isHopeless: true }
  ])("that ended at $deaths and again at 100000 is given up: $isHopeless", ({ deaths, isHopeless }) => {
    assert.strictEqual(count(deaths, 100_000).isHopeless, isHopeless)
  })
})
