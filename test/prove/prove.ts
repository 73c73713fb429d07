import { readFile, writeFile } from "node:fs/promises"
import { arch, cpus, platform } from "node:os"
import { join } from "node:path"
import { freshClone } from "./FreshClone.ts"
import { proofsOf } from "./Claims.ts"
import { commit, type Proof, rowsOf } from "./Page.ts"
import { failures, type Report, root, suite } from "./Suite.ts"

/** With folders or files of tests as arguments, or README.md, only the rows that these cover are measured again. */
const parts = process.argv.slice(2)
const tests = parts.filter((part) => part !== "README.md")
const isWhole = parts.length === 0
const report: Report = isWhole || tests.length > 0 ? await suite(...tests) : { testResults: [] }
const clones: Proof["tallies"] = isWhole || parts.includes("README.md") ? await freshClone() : [null]

const pagePath = "docs/reports/proofs.md"
const page = join(root, pagePath)
const before = await readFile(page, "utf8")
const present = commit(pagePath)
const lines = [
  "# Proofs",
  "",
  "`npm run prove` writes this page: it runs every test in its long form and follows the README in fresh clones. With folders or files of tests as arguments, or `README.md` for the clones, it measures the rows that they cover and keeps the others. Each row names the commit it was measured at; † marks a commit other than the newest on this page. The mutation score has [its own page](mutation.md).",
  "",
  `The newest rows were measured at ${present}, on ${cpus().length} cores, ${platform()} ${arch()}, Node ${process.versions.node}; a row with † may be from another machine.`,
  "",
  "| Claim | Figures | Commit |",
  "|---|---|---|",
  ...rowsOf(proofsOf(report, clones), before, present),
  ""
]
await writeFile(page, lines.join("\n"))
process.stdout.write(lines.join("\n"))
const found = failures(report)
for (const failure of found) process.stderr.write(`${failure}\n\n`)
process.exitCode = found.length > 0 || clones.some((one) => one?.isGreen === false) ? 1 : 0
