// @effect-diagnostics processEnv:off
import { spawn } from "node:child_process"
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, assert, beforeEach, describe, it } from "vitest"
import { long } from "../support/Long.ts"

const dist = join(import.meta.dirname, "../../dist")
const { version } = JSON.parse(readFileSync(join(dist, "../package.json"), "utf8"))

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "gh-launch-"))
  writeFileSync(join(folder, "package.json"), '{"type":"module"}')
  for (const name of ["main.js", "commands.cjs"]) cpSync(join(dist, name), join(folder, name))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const said = (...words: ReadonlyArray<string>) =>
  new Promise<string>((resolve) => {
    const { PATH = "" } = process.env
    const program = spawn(process.execPath, [join(folder, "main.js"), ...words], { cwd: folder, env: { PATH } })
    const parts: Array<string> = []
    for (const stream of [program.stdout, program.stderr]) stream.on("data", (part) => parts.push(String(part)))
    program.on("close", (code) => resolve(`${code} ${parts.join("").trim()}`))
  })

const file = (name: string) => join(folder, name)
const names = () => readdirSync(folder).toSorted()
const works = async () => assert.strictEqual(await said("--version"), `0 ${version}`)

describe("a command keeps its compiled code beside the bundle", () => {
  long(() => {
    it("once, also when two begin at the same time", async () => {
      await Promise.all([works(), works()])
      assert.deepStrictEqual(names(), ["commands.cache", "commands.cjs", "main.js", "package.json"])
      const { ino } = statSync(file("commands.cache"))
      await works()
      assert.strictEqual(statSync(file("commands.cache")).ino, ino)
    })
  })

  long(() => {
    it("and replaces code that is damaged or cut", async () => {
      await works()
      const good = readFileSync(file("commands.cache"))
      const flipped = good.with(good.length >> 1, 255 - (good[good.length >> 1] ?? 0))
      for (const bad of [
        flipped,
        good.subarray(0, good.length >> 1),
        good.subarray(0, 3),
        new Uint8Array(good.length)
      ]) {
        writeFileSync(file("commands.cache"), bad)
        await works()
        const sum = readFileSync(file("commands.cache"))
        assert.isAbove(sum.length, good.length >> 1)
        assert.isFalse(sum.equals(bad))
      }
    })
  })

  long(() => {
    it("and leaves a failed one's alone", async () => {
      assert.match(await said("token", "list", "--workspace", "acme"), /^1 /)
      assert.notInclude(names(), "commands.cache")
    })
  })

  it("and never runs the code of another bundle, of whatever length", async () => {
    await works()
    const bundle = readFileSync(file("commands.cjs"), "latin1")
    const other = version.replace(/\d+$/, (last: string) => `${(Number(last) + 1) % 10}`)
    writeFileSync(file("commands.cjs"), bundle.replaceAll(`"${version}"`, `"${other}"`), "latin1")
    assert.strictEqual(statSync(file("commands.cjs")).size, bundle.length)
    assert.strictEqual(await said("--version"), `0 ${other}`)
  })

  long(() => {
    it("and does without where it cannot be written", async () => {
      mkdirSync(file("commands.cache"))
      await works()
      assert.deepStrictEqual(names(), ["commands.cache", "commands.cjs", "main.js", "package.json"])
    })
  })
})
