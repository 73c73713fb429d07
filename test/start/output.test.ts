// @effect-diagnostics processEnv:off
import { spawnSync } from "node:child_process"
import { closeSync, openSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "vitest"

const root = join(import.meta.dirname, "../..")
const { HOME = "", PATH = "" } = process.env
const env = { HOME, PATH }

const toFullDisk = (...words: ReadonlyArray<string>) => {
  const full = openSync("/dev/full", "w")
  const ended = spawnSync(process.execPath, [join(root, "dist/main.js"), ...words], {
    env,
    encoding: "utf8",
    stdio: ["ignore", full, "pipe"]
  })
  closeSync(full)
  return ended
}

const lost =
  "The output could not be written: ENOSPC: no space left on device, write. What the command changed stays changed; revoke a token whose secret is lost, and create another."

describe("output that is long", () => {
  it("reaches a slow reader whole", () => {
    const command = `"${process.execPath}" dist/main.js --completions bash | dd bs=16 2>/dev/null`
    const { stdout } = spawnSync("sh", ["-c", command], { cwd: root, env, encoding: "utf8" })
    assert.isAbove(stdout.length, 2 ** 16, "more than a pipe holds")
    assert.match(stdout, /\ncomplete -F \w+ .*gatehouse\n*$/)
  })
})

describe("output that cannot be written", () => {
  it("a full disk is told on stderr with exit code 1", () => {
    const { status, stderr } = toFullDisk("--help")
    assert.deepStrictEqual([status, stderr], [1, `${lost}\n`])
  })

  it("a script reads the reason as JSON", () => {
    const { status, stderr } = toFullDisk("mcp", "--print", "codex", "--json")
    assert.deepStrictEqual([status, JSON.parse(stderr)], [1, { error: { code: "output_lost", message: lost } }])
  })

  it("a command whose output is closed does nothing", () => {
    const { status, stderr } = spawnSync("sh", ["-c", "./gatehouse --help >&-"], { cwd: root, env, encoding: "utf8" })
    assert.deepStrictEqual(
      [status, stderr],
      [1, "Standard output is closed, so nothing was done. Redirect it to a file, a pipe or /dev/null.\n"]
    )
  })

  it("a reader that leaves early is no failure", () => {
    const { status, stderr } = spawnSync("sh", ["-c", `"${process.execPath}" dist/main.js --help | true`], {
      cwd: root,
      env,
      encoding: "utf8"
    })
    assert.deepStrictEqual([status, stderr], [0, ""])
  })
})
