import { Duration, Effect, Either } from "effect"
import { spawn } from "node:child_process"
import { randomUUID } from "node:crypto"
import type { Isolation } from "./Isolation.ts"
import { splitter } from "./Lines.ts"
import { identityOf, type Marked, markVariable, signal, watch } from "./Survivors.ts"

export type Clock = "start" | "silence" | "total"

export interface Command {
  readonly argv: readonly [string, ...ReadonlyArray<string>]
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  readonly input: string
  readonly isolation: Isolation
  readonly clocks: Readonly<Partial<Record<Clock, Duration.Duration>>>
  readonly onLine: (line: string, stream: "stdout" | "stderr") => void
  /** Called with the process as soon as it runs, so that a later start of the runner can end it; an error ends it at once. */
  readonly onStart: (marked: Marked) => void
}

export type Ending =
  | { readonly type: "exited"; readonly code: number | null; readonly signal: string | null }
  | { readonly type: "clock"; readonly clock: Clock; readonly limit: Duration.Duration }
  | { readonly type: "flooded" }
  | { readonly type: "not_started"; readonly problem: string }

/** Output after which a command is stopped. */
export const mostOutput = 268_435_456

/** Output that is read in a tenth of a second: a flood must not keep the runner from renewing leases. */
const mostAtOnce = 4_194_304

/** Time between the request to end and the end. */
export const grace = Duration.seconds(10)

interface Running {
  readonly ended: Promise<Ending>
  readonly alive: () => ReadonlyArray<number>
  readonly close: () => void
}

const start = (command: Command): Running => {
  const mark = randomUUID()
  const [file, ...args] = [...command.isolation.prefix, ...command.argv]
  const child = spawn(file ?? "", args, {
    cwd: command.cwd,
    env: { ...command.env, [markVariable]: mark },
    detached: true,
    stdio: "pipe",
    ...command.isolation.account
  })
  const pid = child.pid ?? 0
  const identity = Either.try(() => (pid === 0 ? undefined : identityOf(pid)))
  const marked: Marked = { pid, identity: Either.getOrUndefined(identity), mark }
  const recorded = Either.flatMap(identity, () => Either.try(() => pid !== 0 && command.onStart(marked)))
  const found = watch(marked, command.isolation.account?.uid)
  const alive = () => {
    if (pid === 0) return []
    try {
      return found()
    } catch (error) {
      if (child.exitCode === null && child.signalCode === null) return [-pid]
      throw error
    }
  }
  const began = performance.now()
  let [last, bytes, room] = [began, 0, mostAtOnce]
  const timers: Array<NodeJS.Timeout> = []
  const ended = new Promise<Ending>((resolve, reject) => {
    child.on("error", (error) => resolve({ type: "not_started", problem: error.message }))
    // Where no process could be made there may be no streams either.
    if (pid === 0) return
    if (Either.isLeft(recorded)) {
      signal([-pid], "SIGKILL")
      reject(recorded.left)
      return
    }
    const lines = (["stdout", "stderr"] as const).map((name) => {
      const split = splitter((line) => command.onLine(line, name))
      child[name].on("data", (chunk: Buffer) => {
        last = performance.now()
        bytes += chunk.length
        room -= chunk.length
        if (room < 0) child[name].pause()
        if (bytes > mostOutput) resolve({ type: "flooded" })
        else split.push(chunk)
      })
      child[name].on("error", () => {})
      return split
    })
    const check = () => {
      const now = performance.now()
      room = mostAtOnce
      for (const name of ["stdout", "stderr"] as const) child[name].resume()
      const passed: Record<Clock, number> = {
        start: bytes === 0 ? now - began : 0,
        silence: bytes === 0 ? 0 : now - last,
        total: now - began
      }
      for (const clock of ["total", "start", "silence"] as const) {
        const limit = command.clocks[clock]
        if (limit !== undefined && passed[clock] > Duration.toMillis(limit)) resolve({ type: "clock", clock, limit })
      }
    }
    timers.push(setInterval(check, 100))
    // Processes that leave a namespace end with it; others are found again only if they were seen before they left.
    if (command.isolation.prefix.length === 0) timers.push(setInterval(() => Either.try(alive), 1000))
    child.on("exit", (code, signal) => {
      const end = () => {
        for (const split of lines) split.end()
        resolve({ type: "exited", code, signal })
      }
      child.on("close", end)
      // A child that was left behind may keep the streams open.
      timers.push(setTimeout(end, 1000))
    })
    child.stdin.on("error", () => {})
    child.stdin.end(command.input)
  })
  return {
    ended,
    alive,
    close: () => {
      for (const timer of timers) clearTimeout(timer)
      if (pid !== 0) for (const stream of [child.stdin, child.stdout, child.stderr]) stream.destroy()
    }
  }
}

const untilGone = (alive: () => ReadonlyArray<number>, name: NodeJS.Signals, limit: Duration.Duration) =>
  Effect.gen(function* () {
    const deadline = performance.now() + Duration.toMillis(limit)
    for (;;) {
      const began = performance.now()
      const left = Either.try(alive)
      if (Either.isRight(left) && left.right.length === 0) return true
      if (Either.isRight(left)) signal(left.right, name)
      const now = performance.now()
      if (now > deadline) return false
      // Where there are so many processes that it takes long to find them, other work has its turn in between.
      yield* Effect.sleep(Math.max(50, 4 * (now - began)))
    }
  })

/** Ends processes: a request first, then force; returns once none is left or force did not help either. */
export const end = (alive: () => ReadonlyArray<number>) =>
  Effect.flatMap(untilGone(alive, "SIGTERM", grace), (isGone) =>
    isGone ? Effect.succeed(true) : untilGone(alive, "SIGKILL", grace)
  )

/** Runs a command to its end; no process of it is left afterwards, also when it is interrupted. */
export const run = (command: Command): Effect.Effect<Ending> =>
  Effect.acquireUseRelease(
    Effect.sync(() => start(command)),
    ({ ended }) => Effect.promise(() => ended),
    ({ alive, close }) => Effect.ensuring(end(alive), Effect.sync(close))
  )

const secondsOf = (limit: Duration.Duration) => `${Math.round(Duration.toSeconds(limit))} s`

/** Says how a command ended, for people. */
export const described = (ending: Ending): string => {
  if (ending.type === "flooded") return `it printed more than ${mostOutput / 1_048_576} MB`
  if (ending.type === "not_started") return `it could not be started: ${ending.problem}`
  if (ending.type === "clock")
    return {
      start: `it printed nothing within ${secondsOf(ending.limit)}`,
      silence: `it was silent for ${secondsOf(ending.limit)}`,
      total: `it did not end within ${secondsOf(ending.limit)}`
    }[ending.clock]
  return ending.signal === null ? `exit code ${ending.code}` : `it was ended by ${ending.signal}`
}
