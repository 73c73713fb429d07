// @effect-diagnostics processEnv:off globalDate:off globalTimers:off
import { spawn } from "node:child_process"
import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { cache, root } from "./Mutants.ts"
import type { Line, Outcome } from "./Outcome.ts"

/** Longest time without a sign of life: the slowest test on a busy machine, and the start of vitest. */
const patience = 300_000

const linesOf = (file: string): ReadonlyArray<Line> =>
  existsSync(file)
    ? readFileSync(file, "utf8")
        .split("\n")
        .filter((line) => line.endsWith("}"))
        .map((line) => JSON.parse(line) as Line)
    : []

/** Runs vitest once; it is ended when it stands still, as in a loop that a mutant made endless. */
const vitest = (share: string): Promise<string> =>
  new Promise((done) => {
    const args = ["vitest", "run", "--config", "test/mutate/vitest.config.ts", "--reporter=dot"]
    const env = { ...process.env, MUTATE_SHARE: share }
    const child = spawn("npx", args, { cwd: root, detached: true, env, stdio: ["ignore", "pipe", "pipe"] })
    const output: Array<Buffer> = []
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk: Buffer) => output.push(chunk))
    const stop = () => {
      if (child.exitCode === null && child.pid !== undefined) process.kill(-child.pid, "SIGKILL")
    }
    const look = setInterval(() => {
      if (Date.now() - statSync(`${share}.jsonl`).mtimeMs > patience) stop()
    }, 5_000)
    process.once("exit", stop)
    child.on("close", () => {
      clearInterval(look)
      process.off("exit", stop)
      done(Buffer.concat(output).toString())
    })
  })

export interface Work {
  readonly outcomes: ReadonlyMap<string, Outcome>
  readonly unfit: ReadonlyArray<string>
}

/** Has one process at a time work through the mutants; one that ends early is followed by another for the rest. */
export const work = async (
  name: string,
  ids: ReadonlyArray<string>,
  save: (outcomes: ReadonlyMap<string, Outcome>) => void
): Promise<Work> => {
  const share = join(cache, name)
  const outcomes = new Map<string, Outcome>()
  const unfit = new Set<string>()
  for (;;) {
    const left = ids.filter((id) => !outcomes.has(id))
    if (left.length === 0) return { outcomes, unfit: [...unfit] }
    writeFileSync(`${share}.json`, JSON.stringify(left))
    writeFileSync(`${share}.jsonl`, "")
    const saving = setInterval(() => {
      const lines = linesOf(`${share}.jsonl`)
      save(new Map(lines.flatMap((line) => (line.type === "ended" ? [[line.id, line.outcome]] : []))))
    }, 30_000)
    const output = await vitest(share)
    clearInterval(saving)
    const lines = linesOf(`${share}.jsonl`)
    const last = lines.at(-1)
    for (const line of lines) {
      if (line.type === "ended") outcomes.set(line.id, line.outcome)
      if (line.type === "unfit")
        unfit.add(`${line.test}${line.after === null ? "" : ` (after mutant ${line.after})`}: ${line.error}`)
    }
    save(outcomes)
    if (last?.type === "started") outcomes.set(last.id, { status: "endless" })
    else if (last?.type !== "done" && !lines.some((line) => line.type === "ended"))
      throw new Error(`vitest judged no mutant:\n${output}`)
  }
}
