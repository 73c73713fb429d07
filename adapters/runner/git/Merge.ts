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

/** Changed files in which markers of a merge are left. */
export const unresolved = Effect.fn("Merge.unresolved")(function* (mirror: Mirror, base: string, head: string) {
  const merges = yield* on(mirror, ["rev-list", "--first-parent", "--merges", "-n", "1", `${base}..${head}`])
  if (merges === "") return []
  const found = yield* on(mirror, ["grep", "-l", "-z", "-E", marker, head], {}, { answer: 1 })
  const marked = new Set(fields(found, "\0").map((row) => row.slice(head.length + 1)))
  return (yield* changedPaths(mirror, base, head)).filter((path) => marked.has(path))
})
