import { type ChildProcess, spawn, spawnSync } from "node:child_process"
import { existsSync, readdirSync, readFileSync, readlinkSync } from "node:fs"
import { hostname } from "node:os"
import { basename } from "node:path"
import { Effect } from "effect"
import { explain, failed, type EmbeddedPostgresFailed } from "./EmbeddedErrors.ts"

/** The account Postgres runs as when we are root, which it refuses to run as. */
export interface Account {
  readonly uid: number
  readonly gid: number
}

export const env = { PATH: "/usr/bin:/bin:/usr/sbin:/sbin", LC_ALL: "C", TZ: "UTC" }

/** Its own session, so that ^C in a terminal does not reach it. */
export const spawnOptions = (account: Account | undefined) => ({ cwd: "/", detached: true, env, ...account })

/** Runs a program to its end; `output` joins both of its streams. */
export const run = (command: string, args: ReadonlyArray<string>, account: Account | undefined, input = "") =>
  Effect.async<{ readonly code: number | null; readonly output: string }, EmbeddedPostgresFailed>((resume) => {
    const broken = (error: unknown) => resume(failed(`cannot run ${basename(command)}: ${explain(error)}.`))
    try {
      const child = spawn(command, args, { ...spawnOptions(account), stdio: "pipe" })
      let output = ""
      child.stdout.on("data", (chunk) => (output += chunk))
      child.stderr.on("data", (chunk) => (output += chunk))
      child.stdin.on("error", () => {})
      child.stdin.end(input)
      child.once("error", broken)
      child.once("close", (code) => resume(Effect.succeed({ code, output: output.trim() })))
      return Effect.sync(() => child.kill("SIGTERM"))
    } catch (error) {
      broken(error)
    }
  })

const hasProc = existsSync("/proc/self/stat")

const read = (file: string) => {
  try {
    return readFileSync(file, "utf8")
  } catch {
    return ""
  }
}

const linkOf = (path: string) => {
  try {
    return readlinkSync(path)
  } catch {
    return ""
  }
}

/** Boot and pid namespace: a pid identifies a process only within both. */
export const scope = [read("/proc/sys/kernel/random/boot_id").trim(), linkOf("/proc/self/ns/pid")].join(" ")

/** Location of this process, for processes that may not see it. */
export const whereabouts = [String(process.pid), hostname(), scope]

const ps = (pid: number, columns: string) =>
  String(spawnSync("ps", ["-ww", "-o", columns, "-p", String(pid)], { env }).stdout ?? "").trim()

/** A pid is reused after a while, a pid with its start time is not; undefined when no such process lives. */
export const identity = (pid: number): string | undefined => {
  const stat = hasProc ? read(`/proc/${pid}/stat`) : ""
  const fields = hasProc ? stat.slice(stat.lastIndexOf(")") + 2).split(" ") : ps(pid, "stat=,lstart=").split(/\s+/)
  const start = hasProc ? fields[19] : fields.slice(1).join("-")
  return start === undefined || start === "" || /^[ZX]/.test(fields[0] ?? "") ? undefined : `${pid}.${start}`
}

export const isAlive = (id: string) => identity(Number.parseInt(id, 10)) === id.split(".").slice(0, 2).join(".")

const exits = new Map<number, Promise<void>>()

/** Remembers a process of ours, so that its end need not be polled for. */
export const watch = (child: ChildProcess) => {
  const { pid } = child
  if (pid === undefined) return
  const forget = (done: () => void) => () => {
    exits.delete(pid)
    done()
  }
  exits.set(pid, new Promise((done) => child.once("exit", forget(done))))
}

/** The end of a running process that this one started; undefined for others. */
export const exitOf = (pid: number): Promise<void> | undefined => exits.get(pid)

/** As `isAlive`, but cheap enough to poll. */
export const isRunning = (id: string) => (hasProc ? isAlive(id) : kill(Number.parseInt(id, 10), 0))

/** Start of our server's command line, so that no other program is taken for one. */
export const mark = (data: string) => ["-D", data, "-c", "cluster_name=gatehouse"]

/** True when the process is our server of this data folder. */
export const serves = (pid: number, data: string): boolean =>
  hasProc
    ? read(`/proc/${pid}/cmdline`).includes(["", ...mark(data), ""].join("\0"))
    : ` ${ps(pid, "command=")} `.includes(["", ...mark(data), ""].join(" "))

/** True only when the process certainly does not use the data folder: a postmaster's working directory is its own. */
export const isForeign = (pid: number, data: string): boolean => {
  if (identity(pid) === undefined || serves(pid, data)) return false
  if (!hasProc) return !ps(pid, "command=").includes("postgres")
  const folder = linkOf(`/proc/${pid}/cwd`)
  return folder === "" ? !read(`/proc/${pid}/cmdline`).includes("postgres") : folder !== data
}

/** Processes with this working directory and title prefix; none where the system does not show them. */
export const workingIn = (folder: string, title = ""): ReadonlyArray<number> =>
  hasProc
    ? readdirSync("/proc")
        .filter((name) => /^\d+$/.test(name) && linkOf(`/proc/${name}/cwd`) === folder)
        .filter((name) => read(`/proc/${name}/cmdline`).startsWith(title))
        .map(Number)
    : []

export const kill = (pid: number, signal: NodeJS.Signals | 0): boolean => {
  try {
    return process.kill(pid, signal)
  } catch {
    return false
  }
}
