import { Effect } from "effect"
import type { ChangedFile, Difference } from "../../application/ports/codehost/CodeHost.ts"
import type { PullRequestRecord } from "../../domain/codehost/PullRequestRecord.ts"
import { forkOf, lookUp } from "./Commits.ts"
import { unexpected } from "./Git.ts"
import { branchOf, type LocalRepository } from "./LocalRepository.ts"

const mostText = 200_000
const mostFiles = 500

const plain = ["--no-color", "--no-ext-diff", "--no-textconv", "--find-renames", "--src-prefix=a/", "--dst-prefix=b/"]

/** `added TAB deleted TAB path NUL`; of a renamed file the path is empty and the old and the new one follow. */
const filesOf = (output: string): ReadonlyArray<ChangedFile> => {
  const parts = output.split("\0")
  const files: Array<ChangedFile> = []
  for (let index = 0; index < parts.length - 1; index++) {
    const [added = "", deleted = "", ...rest] = parts[index]?.split("\t") ?? []
    const path = rest.join("\t")
    const lines = added === "-" ? null : { added: Number(added), deleted: Number(deleted) }
    files.push({ path: path === "" ? `${parts[index + 1]} → ${parts[index + 2]}` : path, lines })
    if (path === "") index += 2
  }
  return files
}

/** The changes that a pull request brings, or brought, to its base. */
export const difference = (repository: LocalRepository, { base, head, mergeCommit }: PullRequestRecord) =>
  Effect.gen(function* () {
    const before = mergeCommit === null ? null : yield* lookUp(repository, `${mergeCommit}^1^{commit}`)
    const target = before ?? (yield* branchOf(repository, base))?.head ?? null
    const fork = target === null ? null : yield* forkOf(repository, target, head)
    if (fork === null) return { files: [], text: "", isCut: false } satisfies Difference
    const counted = yield* repository.objects(["diff", ...plain, "--numstat", "-z", fork, head], { most: mostText })
    if (counted.code !== 0 && !counted.isCut) return yield* unexpected("diff", counted)
    const shown = yield* repository.objects(["diff", ...plain, fork, head], { most: mostText })
    if (shown.code !== 0 && !shown.isCut) return yield* unexpected("diff", shown)
    const files = filesOf(counted.output)
    const found: Difference = {
      files: files.slice(0, mostFiles),
      text: shown.output,
      isCut: shown.isCut || counted.isCut || files.length > mostFiles
    }
    return found
  })
