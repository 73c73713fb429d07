import { Effect } from "effect"
import { HostFailed, type Restore } from "../../application/ports/codehost/CodeHost.ts"
import type { BranchName, CommitId } from "../../domain/codehost/PullRequestRecord.ts"
import { forkOf, treeOf, writeCommit } from "./Commits.ts"
import { unexpected } from "./Git.ts"
import { branchOf, type LocalRepository, printed, setBranch, untilSet, writableBranch } from "./LocalRepository.ts"

/** Names in a tree are bytes, and need not be UTF-8: Latin-1 keeps each byte as one character. */
const encoding = "latin1"

/** Entries of a tree as `ls-tree -z` prints them. */
const entriesOf = (repository: LocalRepository, tree: CommitId | null) =>
  Effect.gen(function* () {
    if (tree === null) return []
    const ran = yield* repository.objects(["ls-tree", "-z", tree], { encoding })
    if (ran.code !== 0) return yield* unexpected("ls-tree", ran)
    return ran.output.split("\0").filter((line) => line !== "")
  })

const nameOf = (line: string) => line.slice(line.indexOf("\t") + 1)

/** The tree of a folder in a commit or tree; null when there is none. */
const folderIn = (repository: LocalRepository, within: CommitId, path: string) =>
  Effect.gen(function* () {
    const ran = yield* repository.objects(["ls-tree", "-d", "-z", "--full-tree", within, "--", path])
    const [entry = ""] = ran.output.split("\t")
    if (ran.code !== 0) return yield* unexpected("ls-tree", ran)
    return entry.startsWith("040000 tree ") ? yield* printed("ls-tree", { ...ran, output: entry.slice(12) }) : null
  })

/** The tree with another folder at a path; null removes it, and the folders that this leaves empty. */
const withFolder = (
  repository: LocalRepository,
  tree: CommitId | null,
  [step = "", ...rest]: ReadonlyArray<string>,
  folder: CommitId | null
): Effect.Effect<CommitId | null, HostFailed> =>
  Effect.gen(function* () {
    const entries = yield* entriesOf(repository, tree)
    const inner = tree === null ? null : yield* folderIn(repository, tree, step)
    const next = rest.length === 0 ? folder : yield* withFolder(repository, inner, rest, folder)
    const name = Buffer.from(step).toString(encoding)
    const others = entries.filter((line) => nameOf(line) !== name)
    const all = next === null ? others : [...others, `040000 tree ${next}\t${name}`]
    if (all.length === 0) return null
    const ran = yield* repository.objects(["mktree", "-z"], {
      input: all.map((line) => `${line}\0`).join(""),
      encoding
    })
    return yield* printed("mktree", ran)
  })

/** The branch's first commit after its fork from the base; null when it has none. */
const firstOf = (repository: LocalRepository, head: CommitId, base: CommitId) =>
  Effect.gen(function* () {
    const fork = yield* forkOf(repository, base, head)
    const range = fork === null ? [head] : [head, `^${fork}`]
    const ran = yield* repository.objects(["rev-list", "--reverse", "--first-parent", ...range])
    if (ran.code !== 0) return yield* unexpected("rev-list", ran)
    const [first = ""] = ran.output.split("\n")
    return first === "" ? null : yield* printed("rev-list", { ...ran, output: first })
  })

export const restore = (
  repository: LocalRepository,
  base: BranchName,
  { branch, folder, message }: Omit<Restore, "base">
) => {
  const turn = Effect.gen(function* () {
    const found = yield* writableBranch(repository, branch)
    if (found === null) return null
    const target = yield* branchOf(repository, base)
    if (target === null)
      return yield* new HostFailed({ reason: `There is no branch ${base} in ${repository.path}.`, isFinal: true })
    const first = yield* firstOf(repository, found.head, target.head)
    if (first === null) return null
    const wanted = yield* folderIn(repository, first, folder)
    if (wanted === (yield* folderIn(repository, found.head, folder))) return null
    const tree = yield* withFolder(repository, yield* treeOf(repository, found.head), folder.split("/"), wanted)
    const empty = Effect.flatMap(repository.objects(["mktree"]), (ran) => printed("mktree", ran))
    const head = yield* writeCommit(repository, tree ?? (yield* empty), [found.head], message)
    return (yield* setBranch(repository, { branch, head, old: found.head, reason: `restore ${folder}` })) && head
  })
  return untilSet(branch, turn)
}
