import { spawnSync } from "node:child_process"
import {
  chmodSync,
  chownSync,
  existsSync,
  lchownSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  statSync,
  type Stats
} from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { Effect, Schedule } from "effect"
import { attempt, codeOf, failed } from "./EmbeddedErrors.ts"
import { spawnOptions, type Account } from "./Process.ts"

export const ownUid = () => process.getuid?.() ?? 0

export const isRoot = () => ownUid() === 0

export const look = (path: string): Stats | undefined => lstatSync(path, { throwIfNoEntry: false })

/** Tries access instead of reading modes, which ignore ACLs and mounts. */
export const canReach = (account: Account | undefined, folder: string) =>
  account === undefined
    ? existsSync(folder)
    : spawnSync("/bin/sh", ["-c", 'cd -- "$1"', "sh", folder], { ...spawnOptions(account), stdio: "ignore" }).status ===
      0

/** Gives files that root creates to the owner of the folder, so that the owner can continue without root. */
export const ownLikeParent = (path: string) => {
  if (!isRoot()) return
  const { uid, gid } = statSync(dirname(path))
  chownSync(path, uid, gid)
}

const makeOne = (folder: string, mode?: number) => {
  try {
    mkdirSync(folder, { mode })
    return true
  } catch (error) {
    if (codeOf(error) === "EEXIST" && statSync(folder).isDirectory()) return false
    throw error
  }
}

/** Node's own recursive mkdir reports a read-only file system as "no such file". */
const makeAll = (folder: string): void => {
  if (existsSync(folder) && statSync(folder).isDirectory()) return
  makeAll(dirname(folder))
  // The account must be able to pass folders that root creates, regardless of root's umask.
  if (makeOne(folder) && isRoot()) chmodSync(folder, statSync(folder).mode | 0o111)
}

export const make = (folder: string) => attempt(`create the folder ${folder}`, () => makeAll(folder))

/** Trusts a folder in a place where others may write only when it is exactly as we would have created it. */
export const verify = (path: string, uid: number, mode: number) =>
  Effect.suspend(() => {
    const found = look(path)
    if (found?.isDirectory() === true && found.uid === uid && (found.mode & 0o777) === mode) return Effect.void
    return failed(
      `${path} is not a folder which only user id ${uid} can use (mode ${mode.toString(8)}). Look who made it, then remove it.`
    )
  })

const ensure = (path: string, account: Account | undefined, mode: number) =>
  attempt(`create the folder ${path}`, () => {
    if (!makeOne(path, mode)) return
    chmodSync(path, mode)
    if (account !== undefined) chownSync(path, account.uid, account.gid)
  }).pipe(
    // Another process may be creating it.
    Effect.zipRight(
      Effect.retry(
        verify(path, account?.uid ?? ownUid(), mode),
        Schedule.spaced("20 millis").pipe(Schedule.upTo("100 millis"))
      )
    )
  )

/** One folder per user of the machine that no other user can write to; the account may pass through root's. */
export const privateArea = (account: Account | undefined, candidates: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const parent = candidates.find((folder) => canReach(account, folder))
    if (parent === undefined)
      return yield* failed(`user id ${account?.uid} can reach none of ${candidates.join(", ")}.`)
    const area = join(parent, `gatehouse-${ownUid()}`)
    yield* ensure(area, undefined, isRoot() ? 0o711 : 0o700)
    return area
  })

/** The path of a unix socket has at most 103 bytes on macOS, 107 on Linux. */
export const shortTemp = () => [tmpdir(), "/tmp", "/var/tmp"].filter((folder) => Buffer.byteLength(folder) <= 55)

/** Many systems empty /tmp when they boot. */
export const lastingTemp = () => (tmpdir() === "/tmp" ? ["/var/tmp", "/tmp"] : [tmpdir(), "/var/tmp", "/tmp"])

export const privateFolder = (area: string, name: string, account: Account | undefined) => {
  const path = join(area, name)
  return Effect.as(ensure(path, account, 0o700), path)
}

/** Postgres starts only on data that it owns and that is closed to others. */
export const giveTo = (account: Account, folder: string): void => {
  for (const name of readdirSync(folder, { recursive: true, encoding: "utf8" }))
    lchownSync(join(folder, name), account.uid, account.gid)
  lchownSync(folder, account.uid, account.gid)
  chmodSync(folder, 0o700)
}
