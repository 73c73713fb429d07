import { Effect } from "effect"
import { spawn } from "node:child_process"
import { valuesOf } from "./Environment.ts"

/** How agents and gates are kept apart from the runner. */
export interface Isolation {
  /** The user they run as; undefined is the runner's own. */
  readonly account: { readonly uid: number; readonly gid: number } | undefined
  /** Command that gives them process ids of their own, so that they see no other process; empty where it is not allowed. */
  readonly prefix: ReadonlyArray<string>
}

/**
 * The first process of a namespace ignores SIGTERM, so a shell is it, which ends with the command and takes all others
 * along. A command in the background has no standard input in sh, unless it gets it by another descriptor.
 */
const namespace = [
  "unshare",
  "--user",
  "--map-current-user",
  "--pid",
  "--fork",
  "--kill-child=KILL",
  "--mount-proc",
  "/bin/sh",
  "-c",
  'exec 3<&0; "$@" <&3 3<&- & wait $!',
  "sh"
]

/** Runs a short command and returns its output; undefined unless it succeeds. */
export const outputOf = (argv: ReadonlyArray<string>, account: Isolation["account"], cwd = "/") =>
  Effect.async<string | undefined>((resume) => {
    const [file = "", ...args] = argv
    const child = spawn(file, args, { cwd, env: valuesOf(["PATH"]), stdio: ["ignore", "pipe", "ignore"], ...account })
    let output = ""
    child.once("error", () => resume(Effect.succeed(undefined)))
    // Where no process could be made there may be no streams either.
    if (child.pid === undefined) return Effect.void
    child.stdout.on("data", (chunk) => (output += String(chunk)))
    child.once("close", (code) => resume(Effect.succeed(code === 0 ? output.trim() : undefined)))
    return Effect.sync(() => child.kill("SIGKILL"))
  })

/** The strongest isolation that this machine allows; undefined when there is no such user. */
export const find = Effect.fn("Isolation.find")(function* (user: string) {
  const isRoot = process.getuid?.() === 0
  const ids = isRoot
    ? [yield* outputOf(["id", "-u", user], undefined), yield* outputOf(["id", "-g", user], undefined)]
    : []
  const [uid, gid] = ids.map(Number)
  if (isRoot && (ids.includes(undefined) || uid === 0)) return undefined
  const account = uid === undefined || gid === undefined ? undefined : { uid, gid }
  const isAllowed = process.platform === "linux" && (yield* outputOf([...namespace, "true"], account)) !== undefined
  return { account, prefix: isAllowed ? namespace : [] } satisfies Isolation
})
