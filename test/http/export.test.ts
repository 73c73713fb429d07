import { Effect } from "effect"
import { spawnSync } from "node:child_process"
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { afterAll, assert, beforeAll, describe, inject, it } from "vitest"
import * as Idle from "../support/Idle.ts"
import { isLong } from "../support/Long.ts"
import * as ManyEntries from "../support/ManyEntries.ts"
import { addressOf, workshop } from "../support/Process.ts"
import * as Seed from "../support/Seed.ts"
import * as TestPostgres from "../support/TestPostgres.ts"
import { ask, start, type World } from "../support/World.ts"

const entries = inject("full") ? 1_000_000 : 5001

/** Starts to watch a process; the returned function gives the largest growth of its memory in MB. */
const watch = (pid: number) => {
  const reset = `/proc/${pid}/clear_refs`
  const peak = () =>
    existsSync(reset)
      ? Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1])
      : Number(spawnSync("ps", ["-o", "rss=", "-p", String(pid)], { encoding: "utf8" }).stdout)
  if (existsSync(reset)) writeFileSync(reset, "5")
  const before = peak()
  return () => (peak() - before) / 1024
}

describe("the export of a long audit log", () => {
  const shop = workshop()
  let pid = process.pid
  /** The short form starts no process. */
  let world: World | undefined
  let url = ""
  let token = ""
  beforeAll(async () => {
    const database = await Effect.runPromise(TestPostgres.addressed)
    token = await Effect.runPromise(
      Effect.gen(function* () {
        const { id, slug } = yield* Seed.workspace
        yield* ManyEntries.write(id, entries)
        return (yield* Seed.token(slug)).value
      }).pipe(Effect.provide(database.layer))
    )
    if (!isLong) return void ({ url } = world = await start(database.layer))
    const secret = Buffer.alloc(32, 7).toString("base64")
    const service = shop.node({ DATABASE_URL: database.url, SECRET_KEY: secret, PORT: "0" })
    pid = service.pid
    url = await addressOf(service)
  }, 600_000)
  afterAll(async () => {
    await world?.close()
    await shop.close()
  })

  it.for(["csv", "json"])("as %s holds 5,000 entries", async (format, { task }) => {
    const few = await ask(url, `/v1/audit/export?format=${format}&run=run-0007`, { token })
    assert.strictEqual(few.headers["x-service-export-count"], "20")
    const grown = watch(pid)
    const before = performance.now()
    const file = await ask(url, `/v1/audit/export?format=${format}`, { token })
    const [seconds, megabytes] = [(performance.now() - before) / 1000, grown()]
    assert.deepStrictEqual(
      [file.status, file.headers["x-service-export-count"], file.headers["x-service-export-truncated"]],
      [200, "5000", "true"]
    )
    Idle.isBelow(seconds, 2)
    Idle.isBelow(megabytes, 64)
    task.meta.figures = `${format} of ${entries.toLocaleString("en")} entries: ${seconds.toFixed(2)} s, ${megabytes.toFixed(0)} MB`
  })
})
