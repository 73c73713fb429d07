// @effect-diagnostics processEnv:off
import { spawnSync } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, assert, beforeAll, inject, it } from "vitest"
import { isRequired } from "../support/Optional.ts"

const root = join(import.meta.dirname, "../..")
let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "gh-v-"))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

it.each([
  { on: "Node", command: [process.execPath, join(root, "dist/main.js")] },
  ...(inject("full") || isRequired
    ? [{ on: "Deno", command: [join(root, "node_modules/.bin/deno"), "run", "-A", join(root, "main.ts")] }]
    : [])
])(
  "--version prints the version of the package on $on, in whatever folder",
  ({ command: [program = "", ...words] }) => {
    const { PATH = "" } = process.env
    const env = { PATH, HOME: folder, DENO_DIR: folder }
    const { status, stdout } = spawnSync(program, [...words, "--version"], { cwd: folder, env, encoding: "utf8" })
    const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"))
    assert.deepStrictEqual([status, stdout.trim()], [0, version])
  }
)
