import { spawn } from "node:child_process"
import { resolve } from "node:path"

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

/** CI also looks for wrong dependencies and unused code. */
const check = process.env["OPTIONAL_TESTS"] === "required" ? "check" : "check:quick"

/** Runs the checks beside the tests; the first to fail ends the other. */
const parts = [start("npm", ["run", "-s", check], true), start("npx", ["vitest", "run"], false)]
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
process.exitCode = codes.find((code) => code !== 0) ?? 0
