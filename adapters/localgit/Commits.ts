import { Context, Effect } from "effect"
import { HostFailed, MergeConflict } from "../../application/ports/codehost/CodeHost.ts"
import type { CommitId } from "../../domain/codehost/PullRequestRecord.ts"
import { unexpected } from "./Git.ts"
import { type LocalRepository, printed } from "./LocalRepository.ts"

/** Author of the service's commits. */
export class Author extends Context.Tag("adapters/localgit/Author")<Author, { readonly email: string }>() {}

/** Id of a tree; only its form is that of a commit. */
type TreeId = CommitId

/** The object that an expression such as `<commit>:path` names; null when there is none. */
export const lookUp = (repository: LocalRepository, expression: string) =>
  Effect.gen(function* () {
    const ran = yield* repository.objects(["rev-parse", "--verify", "--quiet", "--end-of-options", expression])
    return ran.code === 0 ? yield* printed("rev-parse", ran) : null
  })

/** The object that must be there. */
const present = (repository: LocalRepository, expression: string) =>
  Effect.flatMap(lookUp(repository, expression), (found) =>
    found === null
      ? new HostFailed({ reason: `${expression} is missing in ${repository.path}.`, isFinal: true })
      : Effect.succeed(found)
  )

export const treeOf = (repository: LocalRepository, commit: CommitId) => present(repository, `${commit}^{tree}`)

export const parentsOf = (repository: LocalRepository, commit: CommitId) =>
  Effect.gen(function* () {
    const ran = yield* repository.objects(["rev-list", "--parents", "-n", "1", commit])
    if (ran.code !== 0) return yield* unexpected("rev-list", ran)
    return ran.output.trim().split(" ").slice(1) as unknown as ReadonlyArray<CommitId>
  })

export const messageOf = (repository: LocalRepository, commit: CommitId) =>
  Effect.gen(function* () {
    const ran = yield* repository.objects(["log", "-1", "--no-show-signature", "--format=%B", commit], {
      most: 100_000
    })
    return ran.code === 0 || ran.isCut ? ran.output : yield* unexpected("log", ran)
  })

export const isAncestor = (repository: LocalRepository, one: CommitId, of: CommitId) =>
  Effect.map(repository.objects(["merge-base", "--is-ancestor", one, of]), ({ code }) => code === 0)

/** The commit that two histories share; null when there is none. */
export const forkOf = (repository: LocalRepository, one: CommitId, other: CommitId) =>
  Effect.gen(function* () {
    const ran = yield* repository.objects(["merge-base", one, other])
    return ran.code === 0 ? yield* printed("merge-base", ran) : null
  })

/** Writes a commit and returns its id. No branch has it yet. */
export const writeCommit = (
  repository: LocalRepository,
  tree: TreeId,
  parents: ReadonlyArray<CommitId>,
  message: string
) =>
  Effect.gen(function* () {
    const { email } = yield* Author
    const ran = yield* repository.objects(["commit-tree", tree, ...parents.flatMap((parent) => ["-p", parent])], {
      input: `${message.trim()}\n`,
      env: {
        GIT_AUTHOR_NAME: "Gatehouse",
        GIT_AUTHOR_EMAIL: email,
        GIT_COMMITTER_NAME: "Gatehouse",
        GIT_COMMITTER_EMAIL: email
      }
    })
    return yield* printed("commit-tree", ran)
  })

/** The tree of two merged histories. Conflicts name their files. */
export const mergeTrees = (repository: LocalRepository, ours: CommitId, theirs: CommitId, base: string) =>
  Effect.gen(function* () {
    const ran = yield* repository.objects([
      "merge-tree",
      "--write-tree",
      "--name-only",
      "--no-messages",
      "-z",
      ours,
      theirs
    ])
    const [tree = "", ...files] = ran.output.split("\0").filter((part) => part !== "")
    if (ran.code === 0) return yield* printed("merge-tree", { ...ran, output: tree })
    if (ran.code === 1 && files.length > 0) return yield* new MergeConflict({ base, files: [...new Set(files)] })
    if (/unrelated histories/.test(ran.errors))
      return yield* new HostFailed({ reason: `It has no history in common with ${base}.`, isFinal: true })
    if (ran.code === 129)
      return yield* new HostFailed({
        reason: "git on the machine of the service is too old: 2.38 is needed.",
        isFinal: false
      })
    return yield* unexpected("merge-tree", ran)
  })
