import { spawnSync } from "node:child_process"
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { folder, programs, versionOf } from "./Installed.ts"

/**
 * Installs the coding agents that tests drive into a cache beside the project. They are no dependency: their licences and
 * sizes are their own, and nobody needs them to run Gatehouse.
 */
const wanted = Object.entries(programs).filter(([name, { version }]) => versionOf(name) !== version)
if (wanted.length > 0) {
  mkdirSync(folder, { recursive: true })
  writeFileSync(`${folder}/package.json`, '{"private":true}\n')
  const packages = Object.values(programs).map(({ name, version }) => `${name}@${version}`)
  const args = ["install", "--no-save", "--no-audit", "--no-fund", "--no-package-lock", ...packages]
  const { status } = spawnSync("npm", args, { cwd: folder, stdio: "inherit" })
  if (status !== 0) process.exit(status ?? 1)
  // npm may not run the script by which Claude Code puts its program into place.
  const placed = spawnSync("node", ["install.cjs"], { cwd: join(folder, "node_modules", programs.claude.name) })
  if (placed.status !== 0) process.exit(placed.status ?? 1)
}
for (const name of Object.keys(programs)) process.stdout.write(`${name} ${versionOf(name) ?? "is not installed"}\n`)
