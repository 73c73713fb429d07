// @effect-diagnostics processEnv:off globalDate:off
import { spawn } from "node:child_process"
import { resolve } from "node:path"
import * as Turns from "./support/Turns.ts"

const cwd = resolve(import.meta.dirname, "..")

interface Part {
  readonly name: string
  readonly code: Promise<number>
  readonly stop: (signal: NodeJS.Signals) => void
}

/** Starts a command in its own process group, so that a stop reaches all its processes. */
const start = (name: string, command: string, args: ReadonlyArray<string>, isQuiet: boolean): Part => {
  const output = isQuiet ? "pipe" : "inherit"
  const child = spawn(command, args, { cwd, detached: true, stdio: ["ignore", output, "inherit"] })
  const chunks: Array<Buffer> = []
  child.stdout?.on("data", (chunk: Buffer) => chunks.push(chunk))
  let hasEnded = false
  const stop = (signal: NodeJS.Signals) => {
    if (hasEnded || child.pid === undefined) return
    try {
      process.kill(-child.pid, signal)
    } catch {
      // None of its processes is left.
    }
  }
  return {
    name,
    stop,
    code: new Promise((done) =>
      child
        .on("error", () => done(1))
        .on("exit", () => {
          // A worker outlives a vitest that was killed.
          stop("SIGKILL")
          hasEnded = true
        })
        .on("close", (code) => {
          if (code !== 0) process.stderr.write(Buffer.concat(chunks))
          done(code ?? 1)
        })
    )
  }
}

/** CI also looks for wrong dependencies and unused code, and runs the tests of every day. */
const isLong = process.env["OPTIONAL_TESTS"] === "required" || process.env["PROVE"] === "full"
const check = isLong ? "check" : "check:quick"

const today = () => {
  try {
    return Turns.day()
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
    process.exit(1)
  }
}

// Set here for all tests, which also draw their shares by it: a run may last past midnight.
const day = today()
process.env["DAY"] = String(day)
const others = isLong ? [] : Turns.notOn(day)

/** Runs the checks beside the tests; the first to fail ends the other. */
const parts = [
  start(`The checks (npm run ${check})`, "npm", ["run", "-s", check], true),
  start("The tests", "vitest", ["run", ...others.flatMap((file) => ["--exclude", file])], false)
]
let end: string | undefined
const stop = (reason: string) => {
  end ??= reason
  for (const part of parts) part.stop("SIGINT")
}
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => stop("npm test was stopped."))
const codes = await Promise.all(
  parts.map(async ({ code, name }) => {
    const ended = await code
    if (ended !== 0) stop(`${name} failed.`)
    return ended
  })
)
if (others.length > 0)
  process.stdout.write(
    `${others.length} test files are left to other days and to CI. This was DAY=${day}; DAY=${day + 1} npm test runs others.\n`
  )
process.stdout.write(`${end ?? `The checks (npm run ${check}) and the tests passed.`}\n`)
process.exitCode = codes.find((code) => code !== 0) ?? 0
