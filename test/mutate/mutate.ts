// @effect-diagnostics globalDate:off
import { execFileSync } from "node:child_process"
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { commit } from "../prove/Page.ts"
import { cache, filesOf, hash, instrument, type Mutant, root, textOf } from "./Mutants.ts"
import type { Outcome } from "./Outcome.ts"
import { type Judged, least, onTerminal, page, scoreOf } from "./Report.ts"
import { work } from "./Workers.ts"

/** With folders or files of the domain as arguments, only their mutants; with `--fresh`, no outcome is reused. */
const parts = process.argv.slice(2).filter((part) => part !== "--fresh")
const isFresh = process.argv.includes("--fresh")

// Ends the processes that judge, too.
process.on("SIGINT", () => process.exit(130)).on("SIGTERM", () => process.exit(143))

mkdirSync(cache, { recursive: true })
if (!existsSync(join(import.meta.dirname, "node_modules")))
  execFileSync("npm", ["ci", "--no-audit", "--no-fund"], { cwd: import.meta.dirname, stdio: "inherit" })

const start = performance.now()
const domain = await instrument()
writeFileSync(join(cache, "domain.json"), JSON.stringify(domain))
const mutants = domain.mutants.filter(({ file }) => parts.length === 0 || parts.some((part) => file.startsWith(part)))

/** Outcomes of earlier runs, each with what it depends on beside the mutant and its file. */
type Known = Record<string, { readonly outcome: Outcome; readonly on: string }>
const knownFile = join(cache, "known.json")
const known: Known = existsSync(knownFile) ? JSON.parse(readFileSync(knownFile, "utf8")) : {}
if (isFresh) for (const { key } of mutants) delete known[key]

const tests = new Map(filesOf("test/domain").map((name) => [name, textOf(name)]))
const allTests = hash(...[...tests].flat())
const helpers = hash(...[...tests].filter(([name]) => !name.endsWith(".test.ts")).flat())

/** A kill depends on the test that did it, any other outcome on all tests. */
const dependence = (outcome: Outcome): string => {
  if (outcome.status !== "killed") return allTests
  const [file = ""] = outcome.by.split(": ")
  return hash(helpers, file, tests.get(file) ?? "")
}

const outcomeOf = ({ key }: Mutant): Outcome | undefined => {
  const found = known[key]
  return found !== undefined && found.on === dependence(found.outcome) ? found.outcome : undefined
}

const byId = new Map(mutants.map((mutant) => [mutant.id, mutant]))
const save = (outcomes: ReadonlyMap<string, Outcome>) => {
  for (const [id, outcome] of outcomes) {
    const mutant = byId.get(id)
    if (mutant !== undefined) known[mutant.key] = { outcome, on: dependence(outcome) }
  }
  writeFileSync(knownFile, JSON.stringify(known))
}

const left = mutants.filter((mutant) => outcomeOf(mutant) === undefined)
process.stdout.write(`${mutants.length} mutants, ${left.length} of them to judge\n`)
/** One process takes about half a minute to start. */
const processes = left.length > 200 ? 2 : 1
const shares = Array.from({ length: processes }, (_, share) => left.filter((_, index) => index % processes === share))
const works = await Promise.all(
  shares
    .filter((share) => share.length > 0)
    .map((share, index) =>
      work(
        `share-${index}`,
        share.map(({ id }) => id),
        save
      )
    )
)
for (const { outcomes } of works) save(outcomes)

const judged = mutants.flatMap((mutant): ReadonlyArray<Judged> => {
  const outcome = outcomeOf(mutant)
  return outcome === undefined ? [] : [{ ...mutant, outcome }]
})
process.stdout.write(onTerminal(judged))
const unfit = [...new Set(works.flatMap((one) => one.unfit))]
for (const test of unfit) process.stdout.write(`does not pass without a mutant: ${test}\n`)
process.stdout.write(`in ${((performance.now() - start) / 1000).toFixed(0)} s\n`)
const pagePath = "docs/reports/mutation.md"
if (parts.length === 0) writeFileSync(join(root, pagePath), page(judged, commit(pagePath)))
process.exitCode = scoreOf(judged).percent < least || unfit.length > 0 ? 1 : 0
