import { Effect, Either } from "effect"
import { dirname } from "node:path"
import { fields } from "./Git.ts"
import { type Mirror, on } from "./Mirror.ts"

/** The commit that both have last in common. */
export const commonBase = (mirror: Mirror, one: string, other: string) =>
  Effect.map(on(mirror, ["merge-base", one, other]), (text) => text.trim())

/** Paths that differ between two commits; a renamed file is both of its paths. */
export const changedPaths = (mirror: Mirror, from: string, to: string) =>
  Effect.map(on(mirror, ["diff-tree", "-r", "-z", "--name-only", "--no-renames", from, to]), (output) =>
    fields(output, "\0")
  )

/** Commits after `from` up to `to`, the oldest first. */
export const commits = (mirror: Mirror, from: string, to: string) =>
  Effect.map(on(mirror, ["rev-list", "--reverse", "--first-parent", `${from}..${to}`]), (output) => fields(output))

export interface DiffNumbers {
  readonly files: number
  readonly additions: number
  readonly deletions: number
}

/** Bytes of a binary file that count as a line. */
const binaryLine = 50

/** Sizes of the old and new versions of binary files, in lines. */
const binaryLines = Effect.fn("History.binaryLines")(function* (
  mirror: Mirror,
  from: string,
  to: string,
  paths: ReadonlySet<string>
) {
  const raw = fields(
    yield* on(mirror, ["diff-tree", "-r", "-z", "--raw", "--no-abbrev", "--no-renames", from, to]),
    "\0"
  )
  const versions = raw.flatMap((row, index) =>
    row.startsWith(":") && paths.has(raw[index + 1] ?? "") ? [row.split(" ").slice(2, 4)] : []
  )
  // The side that a file is missing on has no object, and no size.
  const sizes = yield* on(
    mirror,
    ["cat-file", "--batch-check=%(objectsize)"],
    {},
    {
      input: versions
        .flat()
        .map((object) => `${object}\n`)
        .join("")
    }
  )
  const lines = fields(sizes).map((size) => Math.ceil((Number(size) || 0) / binaryLine))
  const sum = (side: number) => lines.reduce((total, count, index) => (index % 2 === side ? total + count : total), 0)
  return { additions: sum(1), deletions: sum(0) }
})

/** Lines added and removed between two commits; a binary file counts by the size of both versions. */
export const diffNumbers = Effect.fn("History.diffNumbers")(function* (mirror: Mirror, from: string, to: string) {
  const options = ["-r", "-z", "--numstat", "--no-renames", "--no-ext-diff", "--no-textconv"]
  const rows = fields(yield* on(mirror, ["diff-tree", ...options, from, to]), "\0").map((row) => row.split("\t"))
  const sum = (at: number) => rows.reduce((total, row) => total + (Number(row[at]) || 0), 0)
  const paths = new Set(rows.flatMap(([added, , ...path]) => (added === "-" ? [path.join("\t")] : [])))
  const binary = paths.size === 0 ? { additions: 0, deletions: 0 } : yield* binaryLines(mirror, from, to, paths)
  const numbers: DiffNumbers = {
    files: rows.length,
    additions: sum(0) + binary.additions,
    deletions: sum(1) + binary.deletions
  }
  return numbers
})

/** A file of a commit that is read, in bytes. */
const mostText = 262_144

/** The text of a file in a commit, or the reason that it is not read; null when there is none. */
export const fileAt = Effect.fn("History.fileAt")(function* (mirror: Mirror, commit: string, path: string) {
  const folder = dirname(path)
  const listed = fields(
    yield* on(mirror, ["ls-tree", "-z", "-l", commit, ...(folder === "." ? [] : [folder]), path]),
    "\0"
  )
  const entryOf = (name: string) => listed.find((row) => row.endsWith(`\t${name}`))
  // A link in the place of the folder hides the file from git.
  if (entryOf(folder)?.startsWith("040000 ") === false) return Either.left(`${folder} is no folder`)
  const entry = entryOf(path)
  if (entry === undefined) return null
  const [, object, size] = /^100(?:644|755) blob ([0-9a-f]+) +(\d+)\t/.exec(entry) ?? []
  if (object === undefined) return Either.left("it is no regular file")
  if (Number(size) > mostText) return Either.left(`it has ${size} bytes; at most ${mostText} are read`)
  return Either.right(yield* on(mirror, ["cat-file", "blob", object]))
})

/** The text of a regular file in a commit; null when there is none, or it is a link or too long. */
export const textAt = (mirror: Mirror, commit: string, path: string) =>
  Effect.map(fileAt(mirror, commit, path), (file) => (file === null ? null : Either.getOrNull(file)))

/** Executable files in a folder of a commit, in order. */
export const executables = (mirror: Mirror, commit: string, folder: string) =>
  Effect.map(on(mirror, ["ls-tree", "-r", "-z", commit, `${folder}/`]), (output) =>
    fields(output, "\0").flatMap((row) => (row.startsWith("100755 ") ? [row.slice(row.indexOf("\t") + 1)] : []))
  )
