import { closeSync, constants, fstatSync, openSync, readSync, renameSync } from "node:fs"
import { attempt } from "./EmbeddedErrors.ts"
import { look, ownLikeParent } from "./Folders.ts"

const limit = 1_000_000

/** Opens the server's log for appending; renames one that has grown too large. */
export const open = (path: string) =>
  attempt(`write ${path}`, () => {
    const size = look(path)?.size ?? 0
    if (size > limit) renameSync(path, `${path}.old`)
    const { O_APPEND, O_CREAT, O_NOFOLLOW, O_WRONLY } = constants
    const descriptor = openSync(path, O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW, 0o600)
    ownLikeParent(path)
    return { descriptor, from: fstatSync(descriptor).size }
  })

/** The last lines written since `from`, as the end of an error message. */
export const tail = (path: string, from = 0, lines = 10): string => {
  try {
    const descriptor = openSync(path, "r")
    const size = fstatSync(descriptor).size
    const start = Math.max(from, size - 4000)
    const buffer = Buffer.alloc(Math.max(0, size - start))
    readSync(descriptor, buffer, 0, buffer.length, start)
    closeSync(descriptor)
    const text = buffer.toString().trim().split("\n").slice(-lines).join("\n")
    return text === "" ? `Its log ${path} is empty.` : `The end of its log ${path}:\n${text}`
  } catch {
    return `It left no log in ${path}.`
  }
}
