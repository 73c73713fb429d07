// @effect-diagnostics globalFetch:off
// @effect-diagnostics processEnv:off
import { Effect } from "effect"
import { spawn, spawnSync } from "node:child_process"
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

const root = join(import.meta.dirname, "../..")

/** The service in one file, as `npm start` runs it. */
const main = join(root, "dist/main.js")

/** Polls until `look` returns a value. */
export const eventually = async <A>(what: () => string, look: () => A | undefined, seconds = 60): Promise<A> => {
  const deadline = performance.now() + seconds * 1000
  for (;;) {
    const found = look()
    if (found !== undefined) return found
    if (performance.now() > deadline) throw new Error(`not within ${seconds} s: ${what()}`)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

/** Every process with its command line, the arguments separated by spaces. */
export const commands = (): ReadonlyArray<readonly [pid: number, command: string]> => {
  if (!existsSync("/proc/self/cmdline"))
    return spawnSync("ps", ["-ww", "-Ao", "pid=,args="], { encoding: "utf8" })
      .stdout.split("\n")
      .map((line) => [Number.parseInt(line, 10), line])
  return readdirSync("/proc").flatMap((name) => {
    try {
      return /^\d+$/.test(name)
        ? [[Number(name), readFileSync(`/proc/${name}/cmdline`, "utf8").replaceAll("\0", " ")] as const]
        : []
    } catch {
      return []
    }
  })
}

/** Processes whose command line names a path below the folder, as our Postgres always does. */
export const naming = (folder: string): ReadonlyArray<readonly [pid: number, command: string]> =>
  commands().filter(([, command]) => command.includes(folder))

/** False when there is no such process. */
export const signal = (pid: number, name: NodeJS.Signals | 0) => {
  try {
    return process.kill(pid, name)
  } catch (error) {
    // It belongs to another user.
    return error instanceof Error && "code" in error && error.code === "EPERM"
  }
}

export interface Ended {
  readonly code: number | null
  readonly out: string
  readonly err: string
  readonly seconds: number
}

export interface Program {
  readonly pid: number
  readonly out: () => string
  readonly err: () => string
  /** Waits until the output matches; fails with all of the output when the program ends before. */
  readonly says: (pattern: RegExp, seconds?: number) => Promise<ReadonlyArray<string>>
  /** Signals all its processes, as a terminal does. */
  readonly signal: (name: NodeJS.Signals) => void
  readonly ended: (seconds?: number) => Promise<Ended>
}

export type Settings = Readonly<Record<string, string>>

/** The address of a service, as it prints it. */
export const addressOf = async (service: Program) => (await service.says(/^Gatehouse is at (http:\S+)/m))[1] ?? ""

/** The address of a service, once it is ready; a busy machine's database may take longer than one look allows. */
export const readyAddressOf = async (program: Program) => {
  const url = await addressOf(program)
  const deadline = performance.now() + 60_000
  for (;;) {
    const { status } = await fetch(`${url}/readyz`)
    if (status === 200) return url
    if (performance.now() > deadline) throw new Error(`not ready within 60 s: ${status}`)
  }
}

/** A folder for processes of the service, all of which end with it. */
export const workshop = () => {
  // Short and open, so that the path of a socket fits and an unprivileged Postgres can pass.
  const base = mkdtempSync(join(tmpdir(), "gh-"))
  chmodSync(base, 0o1777)
  const groups = new Set<number>()

  /** Runs in the checkout, with only the environment that programs need. */
  const launch = (command: string, args: ReadonlyArray<string>, settings: Settings = {}): Program => {
    const { HOME = base, PATH = "" } = process.env
    const began = performance.now()
    const env = { HOME, PATH, TMPDIR: base, ...settings }
    const child = spawn(command, args, { cwd: root, env, detached: true, stdio: ["ignore", "pipe", "pipe"] })
    const pid = child.pid ?? 0
    groups.add(pid)
    let [out, err]: [string, string] = ["", ""]
    let end: Ended | undefined
    child.stdout.setEncoding("utf8").on("data", (chunk) => (out += String(chunk)))
    child.stderr.setEncoding("utf8").on("data", (chunk) => (err += String(chunk)))
    child.on("error", (error) => (err += error.message))
    child.on("close", (code) => (end = { code, out, err, seconds: (performance.now() - began) / 1000 }))
    const all = () => `${[command, ...args].join(" ")} said:\n${out}${err}`
    return {
      pid,
      out: () => out,
      err: () => err,
      says: async (pattern, seconds = 60) => {
        const match = await eventually(
          () => `${pattern} — ${all()}`,
          () => pattern.exec(out) ?? (end === undefined ? undefined : null),
          seconds
        )
        if (match === null) throw new Error(`it ended without ${pattern} — ${all()}`)
        return match
      },
      signal: (name) => void signal(-pid, name),
      ended: (seconds = 60) =>
        eventually(
          () => `the end — ${all()}`,
          () => end,
          seconds
        )
    }
  }

  const nothingNames = (folder: string, seconds = 60) =>
    eventually(
      () => `an end of ${naming(folder).map(([pid, command]) => `${pid} ${command}`)}`,
      () => (naming(folder).length === 0 ? true : undefined),
      seconds
    )

  return {
    base,
    launch,
    /** The service, or one of its commands, on Node. */
    node: (settings: Settings, ...words: ReadonlyArray<string>) => launch(process.execPath, [main, ...words], settings),
    /** A program of the tests that works on jobs, once it does. */
    worker: async (name: string, settings: Settings) => {
      const program = launch(process.execPath, [`dist/workers/${name}.js`], settings)
      await program.says(/working/)
      return program
    },
    /** The service after a command prefix, such as one that puts it in its own namespace. */
    wrapped: ([command = "", ...words]: ReadonlyArray<string>, settings: Settings) =>
      launch(command, [...words, process.execPath, main], settings),
    /** A data folder that does not exist yet. */
    folder: () => {
      const parent = mkdtempSync(join(base, "f-"))
      chmodSync(parent, 0o755)
      return join(parent, "data")
    },
    /** Waits until no process uses the folder. */
    nothingLeft: (folder: string) => nothingNames(folder),
    /** Waits until none of the program's own processes runs. */
    gone: async ({ pid }: Program, seconds = 60) => {
      await eventually(
        () => `the end of process group ${pid}`,
        () => (signal(-pid, 0) ? undefined : true),
        seconds
      )
      // Another process may have the number when the workshop closes.
      groups.delete(pid)
    },
    close: async () => {
      for (const pid of groups) signal(-pid, "SIGKILL")
      try {
        // Their watchdogs stop the servers they leave behind.
        await nothingNames(base)
      } finally {
        for (const [pid] of naming(base)) signal(pid, "SIGKILL")
        rmSync(base, { recursive: true, force: true })
      }
    }
  }
}

/** The same until a scope ends. */
export const scopedWorkshop = Effect.acquireRelease(Effect.sync(workshop), ({ close }) => Effect.promise(close))
