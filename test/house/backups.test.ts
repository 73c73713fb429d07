// @effect-diagnostics processEnv:off
import { execFileSync } from "node:child_process"
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, it } from "vitest"
import { fileURLToPath } from "node:url"

const page = (name: string) =>
  readFileSync(fileURLToPath(new URL(`../../docs/operators/${name}`, import.meta.url)), "utf8")

it("the documented lines for backups write files that nobody else can read", () => {
  const place = mkdtempSync(join(tmpdir(), "gh-b-"))
  try {
    mkdirSync(join(place, ".data", "postgres"), { recursive: true })
    writeFileSync(join(place, ".data", "postgres", "postmaster.pid"), "1\n2\n3\n4\n/run\n")
    writeFileSync(join(place, ".data", "secret-key"), "key")
    // Replaces the client program, which may be missing: only the mode of its file matters.
    writeFileSync(join(place, "pg_dump"), '#!/bin/sh\nwhile [ "$1" != -f ]; do shift; done\necho dump >"$2"\n')
    chmodSync(join(place, "pg_dump"), 0o755)
    const pages = ["run.md", "upgrade.md"].map(page).join("\n")
    const lines = pages.match(/(?<=^|`)[^`\n]*\b(tar -C .data -c|pg_dump -)[^`\n]*/gm) ?? []
    assert.strictEqual(lines.length, 3)
    const env = { PATH: `${place}:${process.env["PATH"]}` }
    for (const line of lines) {
      execFileSync("sh", ["-c", `umask 022; ${line}`], { cwd: place, env })
      const made = readdirSync(place).find((name) => name.startsWith("gatehouse")) ?? ""
      assert.strictEqual(statSync(join(place, made)).mode & 0o077, 0, line)
      rmSync(join(place, made))
    }
  } finally {
    rmSync(place, { recursive: true, force: true })
  }
})
