// @effect-diagnostics processEnv:off globalDate:off
import { spawn } from "node:child_process"
import { resolve } from "node:path"
import * as Turns from "./support/Turns.ts"

const cwd = resolve(import.meta.dirname, "..")

interface Part {
  readonly code: Promise<number>
  readonly stop: () => void
}

/** Starts a command in its own process group, so that a stop reaches all its processes. */
const start = (command: string, args: ReadonlyArray<string>, isQuiet: boolean): Part => {
  const output = isQuiet ? "pipe" : "inherit"
  const child = spawn(command, args, { cwd, detached: true, stdio: ["ignore", output, output] })
  const chunks: Array<Buffer> = []
  for (const stream of [child.stdout, child.stderr]) stream?.on("data", (chunk: Buffer) => chunks.push(chunk))
  return {
    stop: () => {
      const hasEnded = child.exitCode !== null || child.signalCode !== null
      if (!hasEnded && child.pid !== undefined) process.kill(-child.pid, "SIGINT")
    },
    code: new Promise((done) =>
      child
        .on("error", () => done(1))
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

// Set here for all tests, which also draw their shares by it: a run may last past midnight.
const day = (process.env["DAY"] ??= String(Math.floor(Date.now() / 86_400_000)))
if (!/^\d{1,9}$/.test(day))
  throw new Error(`DAY is "${day}", and must be a whole number, such as the one that npm test prints.`)
const others = isLong ? [] : Turns.notOn(Number(day))

/** Runs the checks beside the tests; the first to fail ends the other. */
const parts = [
  start("npm", ["run", "-s", check], true),
  start("vitest", ["run", ...others.flatMap((file) => ["--exclude", file])], false)
]
const stop = () => {
  for (const part of parts) part.stop()
}
process.on("SIGINT", stop).on("SIGTERM", stop)
const codes = await Promise.all(
  parts.map(async (part) => {
    const code = await part.code
    if (code !== 0) stop()
    return code
  })
)
if (others.length > 0)
  process.stdout.write(`${others.length} test files run on other days (this is DAY=${day}), and all of them in CI.\n`)
process.exitCode = codes.find((code) => code !== 0) ?? 0
