import { spawnSync } from "node:child_process"
import { closeSync, constants, ftruncateSync, openSync, readFileSync, writeSync } from "node:fs"
import { codeOf } from "./EmbeddedErrors.ts"
import { ownLikeParent } from "./Folders.ts"
import * as Process from "./Process.ts"

const { O_CREAT, O_NOFOLLOW, O_NONBLOCK, O_RDWR } = constants

/** A flag of open(2) that only BSD and macOS have, where flock(1) is missing. */
const O_EXLOCK = 0x20

const openLocked = (path: string): number | undefined => {
  try {
    return openSync(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_EXLOCK, 0o600)
  } catch (error) {
    if (["EAGAIN", "EWOULDBLOCK"].includes(codeOf(error))) return undefined
    throw error
  }
}

/** flock(1) locks the open file it inherits, which is ours too. */
const openThenLock = (path: string): number | undefined => {
  const descriptor = openSync(path, O_RDWR | O_CREAT | O_NOFOLLOW, 0o600)
  const { error, status, stderr } = spawnSync("flock", ["-n", "3"], {
    env: Process.env,
    stdio: ["ignore", "ignore", "pipe", descriptor]
  })
  if (status === 0) return descriptor
  closeSync(descriptor)
  if (status === 1) return undefined
  throw codeOf(error) === "ENOENT" ? new Error("the program flock (of util-linux) is missing") : new Error(`${stderr}`)
}

/**
 * Locks a file and returns its descriptor; undefined while another process, in any container, holds the lock. The
 * kernel frees the lock when the last process with the descriptor ends, so a dead holder never blocks.
 */
export const take = (path: string): number | undefined => {
  const descriptor = process.platform === "darwin" ? openLocked(path) : openThenLock(path)
  if (descriptor === undefined) return undefined
  ownLikeParent(path)
  ftruncateSync(descriptor)
  writeSync(descriptor, Process.whereabouts.join("\n"))
  return descriptor
}

/** The process that took the lock last or still holds it. */
export const holder = (path: string) => {
  try {
    const [pid = "", host = "", scope = ""] = readFileSync(path, "utf8").split("\n")
    return { pid, host, isHere: scope === Process.scope }
  } catch {
    return { pid: "", host: "", isHere: true }
  }
}
