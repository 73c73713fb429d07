// @effect-diagnostics processEnv:off
import { execFile } from "node:child_process"
import { readdirSync } from "node:fs"
import { mkdtemp, readFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"

export const root = resolve(import.meta.dirname, "../..")

export interface Report {
  readonly testResults: ReadonlyArray<{
    readonly name: string
    readonly status: string
    readonly assertionResults: ReadonlyArray<{
      readonly fullName: string
      readonly status: string
      readonly duration?: number
      readonly meta?: { readonly figures?: string }
    }>
  }>
}

/** The whole suite, or parts of it, in the long form. */
export const suite = async (...parts: ReadonlyArray<string>): Promise<Report> => {
  const file = join(await mkdtemp(join(tmpdir(), "gatehouse-prove-")), "report.json")
  await new Promise<void>((done) => {
    const env = { ...process.env, PROVE: "full" }
    execFile("npx", ["vitest", "run", ...parts, "--reporter=json", `--outputFile=${file}`], { cwd: root, env }, () =>
      done()
    )
  })
  return JSON.parse(await readFile(file, "utf8")) as Report
}

const files = readdirSync(join(root, "test"), { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(".test.ts"))
  .map((name) => join(root, "test", name))

/** What the tests of these files and names say; null when not all of the files were run. */
export const tally = (report: Report, file: RegExp, name = /./): string | null => {
  const run = new Set(report.testResults.map((result) => result.name))
  const wanted = files.filter((path) => file.test(path))
  if (wanted.some((path) => !run.has(path))) return null
  const tests = report.testResults
    .filter((result) => file.test(result.name))
    .flatMap((result) => result.assertionResults)
    .filter((test) => name.test(test.fullName))
  const passed = tests.filter((test) => test.status === "passed").length
  const time = tests.reduce((sum, test) => sum + (test.duration ?? 0), 0) / 1000
  if (tests.length === 0) throw new Error(`no test matches ${file} ${name}`)
  const figures = tests.flatMap((test) => test.meta?.figures ?? [])
  return [`${passed} of ${tests.length} passed in ${time.toFixed(1)} s`, ...figures].join("; ")
}

/** Whether something failed; what, is told. */
export const failed = (report: Report): boolean => {
  const bad = report.testResults
    .flatMap((result) => result.assertionResults)
    .filter(({ status }) => status === "failed")
  for (const test of bad) process.stderr.write(`failed: ${test.fullName}\n`)
  return bad.length > 0 || report.testResults.some(({ status }) => status === "failed")
}
