// @effect-diagnostics processEnv:off globalDate:off globalTimers:off
import { appendFileSync, readFileSync, utimesSync } from "node:fs"
import { join, relative } from "node:path"
import { it, type Test } from "vitest"
import { getFn } from "vitest/suite"
import { filesOf, root } from "./Mutants.ts"
import type { Line, Outcome } from "./Outcome.ts"
import { namespace, recorded } from "./Recorded.ts"

/** Loaded after all tests: runs each mutant against the tests that pass it, the quickest first, until one fails. */

// Loads the files that no test loads, so that mutants they reach while loading count as static.
for (const file of filesOf("domain")) await import(join(root, file))

const share = process.env["MUTATE_SHARE"] ?? ""
const wanted = JSON.parse(readFileSync(`${share}.json`, "utf8")) as ReadonlyArray<string>
const write = (line: Line) => appendFileSync(`${share}.jsonl`, `${JSON.stringify(line)}\n`)
/** The command that started this process ends it when it shows no sign of life. */
const alive = () => utimesSync(`${share}.jsonl`, Date.now() / 1000, Date.now() / 1000)

const nameOf = (test: Test) => `${relative(root, test.file.filepath)}: ${test.name}`

const within = (limit: number, work: Promise<unknown>) => {
  let timer: NodeJS.Timeout | undefined
  const end = new Promise((_, fail) => (timer = setTimeout(() => fail(new Error("time is up")), limit)))
  return Promise.race([work, end]).finally(() => clearTimeout(timer))
}

/** Why the test fails; null when it passes. */
const failure = async (test: Test, limit: number): Promise<string | null> => {
  alive()
  try {
    await within(limit, Promise.resolve(getFn(test)()))
    return null
  } catch (error) {
    return String(error)
  }
}

interface Candidate {
  readonly test: Test
  readonly hits: number
  readonly time: number
}

/** Tests that pass a mutant to be judged. */
const concerned = () => recorded.filter(({ hits }) => wanted.some((id) => hits.has(id)))

/** Tests that pass twice, by the mutants that they pass. */
const candidates = async (): Promise<ReadonlyMap<string, ReadonlyArray<Candidate>>> => {
  const found = new Map<string, Array<Candidate>>()
  for (const { hits, test } of concerned()) {
    const start = performance.now()
    const error = test.result?.state === "fail" ? "it fails" : await failure(test, 600_000)
    const time = performance.now() - start
    if (error !== null) write({ type: "unfit", test: nameOf(test), after: null, error })
    else
      for (const [id, count] of hits) {
        const known = found.get(id)
        const candidate = { test, hits: count, time }
        if (known === undefined) found.set(id, [candidate])
        else known.push(candidate)
      }
  }
  for (const tests of found.values()) tests.sort((one, other) => one.time - other.time)
  return found
}

const judge = async (id: string, tests: ReadonlyArray<Candidate>): Promise<Outcome> => {
  for (const { hits, test, time } of tests) {
    namespace.activeMutant = id
    namespace.hitCount = 0
    namespace.hitLimit = hits * 100 + 10_000
    const error = await failure(test, time * 50 + 5_000)
    namespace.activeMutant = undefined
    if (error === null) continue
    const clean = await failure(test, 600_000)
    if (clean !== null) write({ type: "unfit", test: nameOf(test), after: id, error: clean })
    return { status: "killed", by: nameOf(test) }
  }
  return { status: "survived" }
}

it("mutants", { timeout: 0x7fffffff }, async () => {
  const atLoad = namespace.mutantCoverage?.static ?? {}
  const passed = new Set(Object.keys(atLoad))
  const tests = await candidates()
  for (const id of wanted) {
    const some = tests.get(id)
    if (some === undefined) {
      write({ type: "ended", id, outcome: { status: passed.has(id) ? "static" : "unreached" } })
      continue
    }
    write({ type: "started", id })
    write({ type: "ended", id, outcome: await judge(id, some) })
    // Lets the reports of this process out.
    await new Promise((done) => setImmediate(done))
  }
  for (const { test } of concerned()) {
    const error = await failure(test, 600_000)
    if (error !== null) write({ type: "unfit", test: nameOf(test), after: "the last", error })
  }
  write({ type: "done" })
})
