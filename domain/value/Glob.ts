/** One step of a glob: a literal character or a wildcard. */
type Step = { readonly type: "is"; readonly character: string } | { readonly type: "one" | "some" | "all" | "folders" }

const stepsOf = (glob: string): ReadonlyArray<Step> =>
  glob.split(/(\*\*\/?|\*|\?)/).flatMap((part): ReadonlyArray<Step> => {
    if (part === "**/") return [{ type: "folders" }]
    if (part === "**") return [{ type: "all" }]
    if (part === "*") return [{ type: "some" }]
    if (part === "?") return [{ type: "one" }]
    return Array.from({ length: part.length }, (_, at) => ({ type: "is", character: part.charAt(at) }))
  })

const isSkippable = (step: Step | undefined) =>
  step?.type === "some" || step?.type === "all" || step?.type === "folders"

/**
 * Matches a path against a glob: `**` spans folders, `*` and `?` stay within one. All ways to match are followed at
 * once, so the time grows with the path and not with the number of ways.
 */
export const matches = (glob: string, path: string): boolean => {
  const steps = stepsOf(glob)
  const reach = (into: Set<number>, at: number): void => {
    into.add(at)
    if (isSkippable(steps[at]) && !into.has(at + 1)) reach(into, at + 1)
  }
  let reached = new Set<number>()
  reach(reached, 0)
  // A folder that `**/` has begun must end in a slash before the next step.
  let inFolders = new Set<number>()
  for (let index = 0; index < path.length && (reached.size > 0 || inFolders.size > 0); index++) {
    const character = path.charAt(index)
    const next = new Set<number>()
    const nextIn = new Set<number>()
    const into = (at: number) => {
      nextIn.add(at)
      if (character === "/") reach(next, at + 1)
    }
    for (const at of inFolders) into(at)
    for (const at of reached) {
      const step = steps[at]
      if (step === undefined) continue
      if (step.type === "folders") into(at)
      else if (step.type === "all" || (step.type === "some" && character !== "/")) reach(next, at)
      else if (step.type === "one" ? character !== "/" : step.type === "is" && step.character === character)
        reach(next, at + 1)
    }
    reached = next
    inFolders = nextIn
  }
  return reached.has(steps.length)
}
