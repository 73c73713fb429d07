import { Effect } from "effect"
import { fields } from "./Git.ts"
import { changedPaths } from "./History.ts"
import { type Mirror, on } from "./Mirror.ts"

export interface Merged {
  /** The tree; files that conflict have markers in it. */
  readonly tree: string
  readonly conflicts: ReadonlyArray<string>
}

/** Merges two commits without a working tree. */
export const mergeTrees = (mirror: Mirror, ours: string, theirs: string) => {
  const options = ["--write-tree", "--name-only", "--no-messages", "-z"]
  return Effect.map(on(mirror, ["merge-tree", ...options, ours, theirs], {}, { answer: 1 }), (output): Merged => {
    const [tree = "", ...conflicts] = fields(output, "\0")
    return { tree, conflicts: [...new Set(conflicts)] }
  })
}

/** Git labels the sides of a conflict with the commits that were merged. */
const marker = "^(<<<<<<<|>>>>>>>) [0-9a-f]{40,64}"

/** Merges of the base into a branch that are looked at, the newest first. */
const mostMerges = 10

const merges = (mirror: Mirror, base: string, head: string) =>
  Effect.map(
    on(mirror, ["rev-list", "--parents", "--first-parent", "--merges", "-n", `${mostMerges}`, `${base}..${head}`]),
    (output) => fields(output).map((row) => row.split(" ").slice(1))
  )

/**
 * Files that conflicted and are as the merge left them: one side deleted, renamed or replaced them, which leaves no
 * marker. Keeping them so may be right, so they are named and no failure.
 */
export const untouched = Effect.fn("Merge.untouched")(function* (mirror: Mirror, base: string, head: string) {
  const found = yield* Effect.forEach(yield* merges(mirror, base, head), ([ours = "", theirs = ""]) =>
    Effect.gen(function* () {
      const { conflicts, tree } = yield* mergeTrees(mirror, ours, theirs)
      if (conflicts.length === 0) return []
      const changed = new Set(yield* changedPaths(mirror, tree, head))
      return conflicts.filter((path) => !changed.has(path))
    })
  )
  return found.flat()
})

/** Changed files in which markers of a merge are left. */
export const unresolved = Effect.fn("Merge.unresolved")(function* (mirror: Mirror, base: string, head: string) {
  if ((yield* merges(mirror, base, head)).length === 0) return []
  const found = yield* on(mirror, ["grep", "-l", "-z", "-E", marker, head], {}, { answer: 1 })
  const marked = new Set(fields(found, "\0").map((row) => row.slice(head.length + 1)))
  return (yield* changedPaths(mirror, base, head)).filter((path) => marked.has(path))
})
