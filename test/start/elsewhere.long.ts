import { spawn } from "node:child_process"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { apart } from "../support/Apart.ts"
import { canRun } from "../support/Optional.ts"
import * as Prepared from "../support/Prepared.ts"
import { eventually, naming, type Program, readyAddressOf, workshop } from "../support/Process.ts"

const patience = 120_000
const isApart = canRun(apart !== null, "this user may not use unshare(1)")

let shop: ReturnType<typeof workshop>
beforeAll(() => {
  shop = workshop()
})
afterAll(() => shop.close(), patience)

const warm = () => Prepared.fill(shop.folder())

const settings = (dataDir: string) => ({ DATA_DIR: dataDir, PORT: "0", DEMO: "off" })
const here = (dataDir: string) => shop.node(settings(dataDir))

const serves = async (program: Program) => (await readyAddressOf(program)) !== ""

const assertRefused = async (program: Program, dataDir: string) => {
  const { code, err, out } = await program.ended()
  assert.deepStrictEqual([code, out], [1, ""])
  assert.include(err, `has ${join(dataDir, "postgres")} open`)
  assert.match(err, /set DATABASE_URL/)
}

const killAll = async (dataDir: string) => {
  for (const [pid] of naming(dataDir)) process.kill(pid, "SIGKILL")
  await shop.nothingLeft(dataDir)
}

describe("data that a server elsewhere has open", { timeout: patience }, () => {
  it("is refused while that server lives, and no longer", async () => {
    const dataDir = warm()
    const lock = join(dataDir, "postgres", "gatehouse.lock")
    // Replaces a server of another container: a start sees only its lock.
    const other = spawn("flock", [lock, "sleep", "600"], { stdio: "ignore", detached: true })
    try {
      await eventually(
        () => "the lock",
        () => (naming(lock).length > 0 ? true : undefined)
      )
      writeFileSync(lock, "7\nother-host\nother-boot pid:[1]")
      const refused = here(dataDir)
      await assertRefused(refused, dataDir)
      assert.include(refused.err(), "host 'other-host'")
    } finally {
      process.kill(-(other.pid ?? 0), "SIGKILL")
    }
    await shop.nothingLeft(lock)
    const next = here(dataDir)
    assert.isTrue(await serves(next))
    next.signal("SIGTERM")
    const { code, out } = await next.ended()
    assert.strictEqual(code, 0)
    // Without a demo, since DEMO is off.
    assert.notMatch(out, /\btk_/)
  })

  it.runIf(isApart)("is refused in another pid namespace until every process of the first is dead", async () => {
    const dataDir = warm()
    const elsewhere = () => shop.wrapped(apart ?? [], settings(dataDir))
    const first = here(dataDir)
    assert.isTrue(await serves(first))
    await assertRefused(elsewhere(), dataDir)
    assert.isTrue(await serves(first))

    // Its service and watchdog are gone, and Postgres keeps running.
    for (const [pid, command] of naming(dataDir))
      if (command.includes("gatehouse-watchdog")) process.kill(pid, "SIGKILL")
    first.signal("SIGKILL")
    await first.ended()
    await assertRefused(elsewhere(), dataDir)

    await killAll(dataDir)
    const next = elsewhere()
    assert.isTrue(await serves(next))
    next.signal("SIGTERM")
    assert.strictEqual((await next.ended()).code, 0)
    await shop.nothingLeft(dataDir)
  })

  it.runIf(isApart)(
    "is opened by one of two services that start at the same instant in two pid namespaces",
    async () => {
      const dataDir = shop.folder()
      const both = [1, 2].map(() => shop.wrapped(apart ?? [], settings(dataDir)))
      const outcomes = await Promise.all(
        both.map(async (program) => ({ program, isUp: await serves(program).catch(() => false) }))
      )
      const [up, refused] = [outcomes.filter(({ isUp }) => isUp), outcomes.filter(({ isUp }) => !isUp)]
      assert.deepStrictEqual([up.length, refused.length], [1, 1])
      for (const { program } of refused) await assertRefused(program, dataDir)
      // The kernel ends all processes of a namespace with its first one.
      for (const { program } of up) program.signal("SIGKILL")
      await shop.nothingLeft(dataDir)
      const next = shop.wrapped(apart ?? [], settings(dataDir))
      assert.isTrue(await serves(next))
      next.signal("SIGKILL")
      await shop.nothingLeft(dataDir)
    }
  )
})
