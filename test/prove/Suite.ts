// @effect-diagnostics processEnv:off
import { execFile } from "node:child_process"
import { readdirSync } from "node:fs"
import { mkdtemp, readFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { basename, join, resolve } from "node:path"

export const root = resolve(import.meta.dirname, "../..")

export interface Report {
  readonly testResults: ReadonlyArray<{
    readonly name: string
    readonly status: string
    /** Why the file as a whole failed, where no test did. */
    readonly message?: string
    readonly assertionResults: ReadonlyArray<{
      readonly fullName: string
      readonly status: string
      readonly duration?: number
      readonly failureMessages?: ReadonlyArray<string>
      readonly meta?: { readonly figures?: string }
    }>
  }>
}

/** Runs the whole suite, or parts of it, in its long form. */
export const suite = async (...parts: ReadonlyArray<string>): Promise<Report> => {
  const file = join(await mkdtemp(join(tmpdir(), "gatehouse-prove-")), "report.json")
  const vitest = ["vitest", "run", ...parts, "--reporter=json", `--outputFile=${file}`]
  const env = { ...process.env, PROVE: "full" }
  const { isGreen, output } = await new Promise<{ readonly isGreen: boolean; readonly output: string }>((done) =>
    execFile("npx", vitest, { cwd: root, env, maxBuffer: 1 << 28 }, (failed, out, err) =>
      done({ isGreen: failed === null, output: `${out}${err}` })
    )
  )
  const text = await readFile(file, "utf8").catch(() => {
    throw new Error(`vitest wrote no report:\n${output}`)
  })
  const report = JSON.parse(text) as Report
  // An error outside of every test is in no result.
  if (!isGreen && failures(report).length === 0) throw new Error(`vitest failed outside of the tests:\n${output}`)
  return report
}

/** Test files of the checkout. */
const files = readdirSync(join(root, "test"), { recursive: true, encoding: "utf8" })
  .filter((name) => /\.(test|long)\.tsx?$/.test(name))
  .map((name) => join(root, "test", name))

/** Figures of a row: green when every test passed, red when one failed, was skipped or its file did not load. */
export interface Tally {
  readonly isGreen: boolean
  readonly figures: string
}

/** Tallies the tests of these files and names; null unless every file ran. */
export const tally = (report: Report, file: RegExp, name = /./, all = files): Tally | null => {
  if (!all.some((path) => file.test(path))) throw new Error(`no file matches ${file}`)
  const results = report.testResults.filter((result) => file.test(result.name))
  const ran = new Set(results.map((result) => result.name))
  if (all.some((path) => file.test(path) && !ran.has(path))) return null
  const unloaded = results.filter(
    ({ assertionResults, status }) => status !== "passed" && assertionResults.length === 0
  )
  const tests = results.flatMap((result) => result.assertionResults).filter((test) => name.test(test.fullName))
  if (tests.length === 0 && unloaded.length === 0) throw new Error(`no test matches ${file} ${name}`)
  const passed = tests.filter((test) => test.status === "passed").length
  const skipped = tests.filter((test) => test.status !== "passed" && test.status !== "failed").length
  const time = tests.reduce((sum, test) => sum + (test.duration ?? 0), 0) / 1000
  return {
    isGreen: passed === tests.length && unloaded.length === 0,
    figures: [
      `${passed} of ${tests.length} passed in ${time.toFixed(1)} s`,
      ...(skipped > 0 ? [`${skipped} skipped`] : []),
      ...unloaded.map((result) => `${basename(result.name)} did not load`),
      ...tests.flatMap((test) => test.meta?.figures ?? [])
    ].join("; ")
  }
}

const longestMessage = 20_000

/** Every failure of a run, with its message. */
export const failures = (report: Report): ReadonlyArray<string> =>
  report.testResults.flatMap(({ assertionResults, message, name, status }) => {
    const failed = assertionResults.filter((test) => test.status !== "passed")
    if (failed.length === 0) return status === "passed" ? [] : [`${name} did not load: ${message ?? ""}`]
    return failed.map((test) =>
      [`${test.status}: ${test.fullName}`, ...(test.failureMessages ?? [])].join("\n").slice(0, longestMessage)
    )
  })
