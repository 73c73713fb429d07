import { failures, suite } from "./Suite.ts"

/** Runs one part of the suite in its long form; prints each test with its figures, and each failure with its message. */
const report = await suite(...process.argv.slice(2))
for (const { assertionResults } of report.testResults)
  for (const { duration = 0, fullName, meta, status } of assertionResults) {
    const words = [status.padEnd(7), `${(duration / 1000).toFixed(1).padStart(6)} s`, fullName]
    process.stdout.write(
      `${words.join("  ")}\n${meta?.figures === undefined ? "" : `${" ".repeat(18)}${meta.figures}\n`}`
    )
  }
const found = failures(report)
for (const failure of found) process.stderr.write(`\n${failure}\n`)
process.exitCode = found.length > 0 ? 1 : 0
