import { execFileSync } from "node:child_process"
import { chmodSync, closeSync, mkdirSync, mkdtempSync, openSync, rmSync, writeSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, inject, it } from "vitest"
import * as Idle from "../support/Idle.ts"
import { canRun } from "../support/Optional.ts"
import * as Prepared from "../support/Prepared.ts"
import { disturb, pair, patience } from "./Disturbance.ts"

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

/** A small disk of its own, or null where this user may not create one. */
const disk = (megabytes: number) => {
  const path = mkdtempSync(join(tmpdir(), "gh-d-"))
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", `size=${megabytes}m`, "tmpfs", path], { stdio: "ignore" })
    return { path, close: () => execFileSync("umount", ["--lazy", path]) }
  } catch {
    return null
  } finally {
    chmodSync(path, 0o755)
  }
}

const megabytesOf = (folder: string) =>
  Number(execFileSync("du", ["-sm", folder], { encoding: "utf8" }).split("\t")[0] ?? 0)

/** Fills the remaining space to the last byte. */
const fill = (file: string) => {
  const out = openSync(file, "w")
  for (let size = 1 << 20; size >= 512;)
    try {
      writeSync(out, Buffer.alloc(size))
    } catch {
      size /= 2
    }
  closeSync(out)
}

const isAllowed = (() => {
  const tried = disk(1)
  tried?.close()
  return tried !== null
})()

it(
  "a disk that is full is a 503, and once there is room again everything goes on",
  async ({ skip, task }) => {
    if (!canRun(isAllowed, "this user may not mount a small disk")) return skip("this user may not mount a small disk")
    const small = disk(megabytesOf(inject("prepared")) + 64)
    assert.isNotNull(small)
    const folder = join(small.path, "data")
    try {
      mkdirSync(folder)
      Prepared.fill(folder)
      const here = await pair(folder)
      try {
        await disturb(here, task, async (people) => {
          await people.until(50)
          const ballast = join(small.path, "ballast")
          fill(ballast)
          const full = performance.now()
          const isRefused = () => people.refused.some((one) => one.at > full && one.status === 503)
          while (!isRefused()) await pause(20)
          await pause(inject("full") ? 10_000 : 500)
          const meanwhile = people.refused.filter((one) => one.at > full)
          rmSync(ballast)
          await here.at.restartDatabase()
          const back = performance.now()
          await people.until(20)
          const recovery = performance.now() - back
          assert.deepStrictEqual(new Set(meanwhile.map(({ status }) => status)), new Set([503]))
          Idle.isBelow(recovery, 10_000)
          return `${meanwhile.length} answers of 503 while the disk was full; served again ${recovery.toFixed(0)} ms after`
        })
      } finally {
        await here.close()
      }
    } finally {
      small.close()
      rmSync(small.path, { recursive: true, force: true })
    }
  },
  patience
)
