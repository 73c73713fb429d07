import { Effect } from "effect"
import { lchown, lstat, mkdir } from "node:fs/promises"
import { type Isolation, outputOf } from "./Isolation.ts"

/** Makes a folder for the agents' user. Its parent belongs to the runner, so that no agent can put a link in its place. */
export const give = (path: string, { account }: Isolation) =>
  Effect.promise(async () => {
    const isThere = await mkdir(path, { mode: 0o700 }).then(
      () => false,
      (error: NodeJS.ErrnoException) => (error.code === "EEXIST" ? true : Promise.reject(error))
    )
    if (isThere && !(await lstat(path)).isDirectory()) throw new Error(`${path} is not a folder`)
    if (account !== undefined) await lchown(path, account.uid, account.gid)
    return path
  })

/** Removes a folder by rm, which never follows a link that another process puts there meanwhile. */
export const erase = Effect.fn("Folder.erase")(function* (path: string) {
  const remove = outputOf(["rm", "-rf", "--", path], undefined)
  if ((yield* remove) !== undefined) return
  // Caches of some tools are read-only folders.
  yield* outputOf(["chmod", "-R", "u+rwX", path], undefined)
  yield* remove
})
