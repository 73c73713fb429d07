import { Effect } from "effect"
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

/** Lines added and removed between two commits; a binary file counts as a file only. */
export const diffNumbers = (mirror: Mirror, from: string, to: string) =>
  Effect.map(
    on(mirror, ["diff-tree", "-r", "-z", "--numstat", "--no-renames", "--no-ext-diff", "--no-textconv", from, to]),
    (output): DiffNumbers => {
      const rows = fields(output, "\0").map((row) => row.split("\t"))
      const sum = (at: number) => rows.reduce((total, row) => total + (Number(row[at]) || 0), 0)
      return { files: rows.length, additions: sum(0), deletions: sum(1) }
    }
  )

/** A file of a commit that is read, in bytes. */
const mostText = 262_144

/** The text of a regular file in a commit; null when there is none, or it is a link or too long. */
export const textAt = Effect.fn("History.textAt")(function* (mirror: Mirror, commit: string, path: string) {
  const entry = yield* on(mirror, ["ls-tree", "-z", "-l", commit, path])
  const [, object, size] = /^100(?:644|755) blob ([0-9a-f]+) +(\d+)\t/.exec(entry) ?? []
  if (object === undefined || Number(size) > mostText) return null
  return yield* on(mirror, ["cat-file", "blob", object])
})

/** Executable files in a folder of a commit, in order. */
export const executables = (mirror: Mirror, commit: string, folder: string) =>
  Effect.map(on(mirror, ["ls-tree", "-r", "-z", commit, `${folder}/`]), (output) =>
    fields(output, "\0").flatMap((row) => (row.startsWith("100755 ") ? [row.slice(row.indexOf("\t") + 1)] : []))
  )
