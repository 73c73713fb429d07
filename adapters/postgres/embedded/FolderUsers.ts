import { spawn } from "node:child_process"
import { createHash, randomUUID } from "node:crypto"
import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Clock, Effect } from "effect"
import { attempt, codeOf, explain, failed, type EmbeddedPostgresFailed } from "./EmbeddedErrors.ts"
import { ownLikeParent } from "./Folders.ts"
import * as Process from "./Process.ts"
import * as WaitFor from "./WaitFor.ts"
import { script } from "./Watchdog.ts"

const unless = (code: string, operation: () => void) => {
  try {
    operation()
    return true
  } catch (error) {
    if (codeOf(error) === code) return false
    throw error
  }
}

/** Users detect each other by pid, so users of another boot or pid namespace have a folder of their own. */
const folder = (run: string) =>
  join(run, `users.${createHash("sha256").update(Process.scope).digest("hex").slice(0, 8)}`)

/** Removes files that dead users elsewhere left; a living one registers again before it starts a server. */
export const forgetElsewhere = (run: string) =>
  attempt(`clean up ${run}`, () => {
    for (const name of readdirSync(run).filter((entry) => entry.startsWith("users")))
      if (join(run, name) !== folder(run)) rmSync(join(run, name), { recursive: true, force: true })
  })

/** A user is a file. The user that removes the empty folder was the last and stops the server; none can join then. */
const register = (users: string, id: string): { readonly first: boolean } => {
  const first = unless("EEXIST", () => mkdirSync(users))
  const isIn = unless("ENOENT", () => {
    if (first) ownLikeParent(users)
    writeFileSync(join(users, id), "")
  })
  return isIn ? { first } : register(users, id)
}

/** Of users that leave at the same time one is the last: each removes its file before it looks for others. */
const deregister = (users: string, id: string): { readonly last: boolean } => {
  try {
    rmSync(join(users, id), { force: true })
    return { last: !readdirSync(users).some(Process.isAlive) }
  } catch {
    return { last: true }
  }
}

const watch = (args: ReadonlyArray<string>) => {
  const child = spawn("/bin/sh", ["-c", script, "gatehouse-watchdog", ...args], {
    cwd: "/",
    detached: true,
    stdio: ["pipe", "ignore", "ignore"]
  })
  child.stdin.on("error", () => {})
  child.unref()
  return child
}

type Watchdog = ReturnType<typeof watch>

const started = (args: ReadonlyArray<string>) =>
  Effect.async<Watchdog, EmbeddedPostgresFailed>((resume) => {
    const child = watch(args)
    child.once("spawn", () => resume(Effect.succeed(child)))
    child.once("error", (error) => resume(failed(`cannot run /bin/sh: ${explain(error)}.`)))
  })

/** Has the watchdog do the leaving, which stops the server if no other user lives. */
const dismissed = (child: Watchdog) =>
  Effect.async<boolean>((resume) => {
    const ended = () => resume(Effect.succeed(child.exitCode === 0))
    if (child.exitCode !== null || child.signalCode !== null) return ended()
    child.ref()
    child.once("exit", ended)
    child.stdin.end("leave\n")
  })

/**
 * Joins the users of the server for the life of the scope. `first`: no user, alive or dead, had joined it before.
 * `again` registers the user again, in case others have cleaned up.
 */
export const enter = (run: string, data: string) =>
  Effect.suspend(() => {
    const users = folder(run)
    const id = `${Process.identity(process.pid)}.${randomUUID()}`
    const args = [users, id, data]
    const again = attempt(`write to ${users}`, () => register(users, id))
    const arrive = Effect.gen(function* () {
      const { first } = yield* again
      return { first, again, watchdog: yield* started(args) }
    }).pipe(Effect.onError(() => Effect.sync(() => rmSync(join(users, id), { force: true }))))
    const stopServer = (watchdog: Watchdog) =>
      dismissed(watchdog).pipe(
        Effect.filterOrElse(
          (done) => done,
          () => Effect.flatMap(started(args), dismissed)
        ),
        Effect.interruptible,
        Effect.timeout(WaitFor.deadline),
        Effect.ignoreLogged
      )
    const leave = (watchdog: Watchdog) =>
      Effect.suspend(() =>
        deregister(users, id).last ? stopServer(watchdog) : Effect.sync(() => void watchdog.stdin.end("left\n"))
      )
    return Effect.acquireRelease(arrive, ({ watchdog }) => Effect.withClock(leave(watchdog), Clock.make()))
  })

export const isAlone = (run: string) => readdirSync(folder(run)).filter(Process.isAlive).length <= 1
