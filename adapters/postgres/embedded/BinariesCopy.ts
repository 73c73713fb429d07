import { chmodSync, copyFileSync, lstatSync, mkdirSync, mkdtempSync, readFileSync, readdirSync } from "node:fs"
import { readlinkSync, renameSync, rmSync, symlinkSync } from "node:fs"
import { basename, join } from "node:path"
import { attempt } from "./EmbeddedErrors.ts"
import { look } from "./Folders.ts"

/** Makes the copy readable for all users, regardless of the umask at the package's installation. */
const copyTree = (from: string, to: string) => {
  mkdirSync(to, { recursive: true })
  chmodSync(to, 0o755)
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)]
    if (entry.isDirectory()) copyTree(source, target)
    else if (entry.isSymbolicLink()) symlinkSync(readlinkSync(source), target)
    else {
      copyFileSync(source, target)
      chmodSync(target, basename(from) === "bin" ? 0o755 : 0o644)
    }
  }
}

/** Cleaners of temp folders delete single files. */
const isComplete = (native: string, copy: string) =>
  readdirSync(native, { recursive: true, encoding: "utf8" }).every((name) => {
    const found = look(join(copy, name))
    return found !== undefined && (!found.isFile() || found.size === lstatSync(join(native, name)).size)
  })

/** The version of a package of Postgres programs. */
export const versionOf = (native: string): string =>
  JSON.parse(readFileSync(join(native, "..", "package.json"), "utf8")).version

/** Copies the programs and their libraries, once per version. */
export const copyInto = (area: string, native: string) =>
  attempt(`copy the Postgres programs to ${area}`, () => {
    const copy = join(area, `postgres-${versionOf(native)}`)
    if (isComplete(native, copy)) return copy
    const draft = mkdtempSync(`${copy}.`)
    try {
      copyTree(native, draft)
      // An incomplete copy is moved away.
      if (look(copy) !== undefined && !isComplete(native, copy)) renameSync(copy, `${draft}.old`)
      renameSync(draft, copy)
    } catch (error) {
      // Another process may have finished first.
      if (!isComplete(native, copy)) throw error
    } finally {
      for (const left of [draft, `${draft}.old`]) rmSync(left, { recursive: true, force: true })
    }
    return copy
  })
