import { constants } from "node:fs"
import { open, readdir } from "node:fs/promises"
import { join } from "node:path"
import { splitter } from "./Lines.ts"

/** Bytes that are read at a time: what is left has its turn later. */
const mostAtOnce = 1_048_576

const find = async (folder: string, ending: string): Promise<string | undefined> => {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => [])
  const file = entries.find((entry) => entry.isFile() && entry.name.endsWith(ending))
  return file === undefined ? undefined : join(file.parentPath, file.name)
}

/** Opens a file of a user: what a link, a pipe or another owner would show is not read. */
const opened = async (path: string, uid: number | undefined) => {
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  const stat = await file.stat()
  if (stat.isFile() && (uid === undefined || stat.uid === uid)) return file
  await file.close()
  return undefined
}

/** Reads the lines that a program has appended to a file since the last call; the file is found by how its name ends. */
export const followed = (
  folder: string,
  ending: string,
  uid: number | undefined,
  onLine: (line: string) => void
): (() => Promise<void>) => {
  const split = splitter(onLine)
  let path: string | undefined
  let position = 0
  return async () => {
    path ??= await find(folder, ending)
    const file = path === undefined ? undefined : await opened(path, uid).catch(() => undefined)
    if (file === undefined) return
    try {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(mostAtOnce), 0, mostAtOnce, position)
      position += bytesRead
      split.push(buffer.subarray(0, bytesRead))
    } finally {
      await file.close()
    }
  }
}
