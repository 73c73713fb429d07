import { Effect } from "effect"
import { copyFile, mkdir, rename, rm, writeFile } from "node:fs/promises"
import { dirname, join } from "node:path"
import { erase } from "../process/Folder.ts"
import { type Isolation, outputOf } from "../process/Isolation.ts"
import { environment, git, GitFailed } from "./Git.ts"
import { on } from "./Mirror.ts"
import * as Stage from "./Stage.ts"

export type Tree = Stage.Tree

const inTree = (tree: Tree, args: readonly [string, ...ReadonlyArray<string>]) =>
  on(tree.mirror, args, { GIT_WORK_TREE: tree.path, GIT_INDEX_FILE: tree.index })

const broken = (problem: string) => new GitFailed({ command: "commit", problem })

export const head = (tree: Tree) =>
  Effect.map(on(tree.mirror, ["rev-parse", "--verify", `${tree.ref}^{commit}`]), (text) => text.trim())

/** The repository that the agent sees: the same objects and files, with no remote and no settings. */
const agentRepository = (tree: Tree, commit: string, branch: string, base: string, baseCommit: string) =>
  Effect.gen(function* () {
    const folder = join(tree.path, ".git")
    const clone = git({
      args: ["clone", "--quiet", "--local", "--bare", "--no-tags", "--single-branch", "--template="].concat([
        `--branch=${tree.ref.slice("refs/heads/".length)}`,
        "--",
        tree.mirror.folder,
        folder
      ]) as [string, ...Array<string>],
      env: environment(tree.mirror.tokens, null)
    })
    // Other slots write to the mirror meanwhile: a temporary file that is gone before it is linked fails the copy.
    yield* Effect.retry(clone, { times: 2 })
    const put = async (name: string, text: string) => {
      await mkdir(dirname(join(folder, name)), { recursive: true })
      await writeFile(join(folder, name), text)
    }
    yield* Effect.promise(async () => {
      await rm(join(folder, "packed-refs"), { force: true })
      await put("config", "[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = false\n")
      await put(`refs/remotes/origin/${base}`, `${baseCommit}\n`)
      await put(`refs/heads/${branch}`, `${commit}\n`)
      await put("HEAD", `ref: refs/heads/${branch}\n`)
      await copyFile(tree.index, join(folder, "index"))
    })
  })

export interface Checkout {
  readonly commit: string
  /** Tree of the files, where it is not that of the commit. */
  readonly files?: string
  readonly branch: string
  readonly base: string
  readonly baseCommit: string
}

/** Gives all files of a folder to the agents' user. Objects are shared with the mirror by hard links, so they keep their owner. */
const giveAll = Effect.fn("Tree.giveAll")(function* (path: string, { account }: Isolation) {
  if (account === undefined) return
  const own = ["-exec", "chown", "-h", `${account.uid}:${account.gid}`, "{}", "+"]
  const argv = ["find", path, "!", "(", "-type", "f", "-links", "+1", ")", ...own]
  if ((yield* outputOf(argv, undefined)) === undefined)
    return yield* broken(`${path} cannot be given to user ${account.uid}`)
})

/** Checks a commit out. Agents cannot reach the files before they are all there and belong to their user. */
export const create = Effect.fn("Tree.create")(function* (tree: Tree, wanted: Checkout) {
  const { base, baseCommit, branch, commit } = wanted
  const draft: Tree = { ...tree, path: `${tree.index}.files` }
  yield* erase(draft.path)
  yield* Effect.promise(async () => {
    await rm(tree.index, { force: true })
    await mkdir(draft.path, { mode: 0o700 })
  })
  yield* on(tree.mirror, ["update-ref", tree.ref, commit])
  yield* inTree(draft, ["read-tree", wanted.files ?? commit])
  yield* inTree(draft, ["checkout-index", "--all", "--force", "--quiet", "-u"])
  yield* agentRepository(draft, commit, branch, base, baseCommit)
  yield* giveAll(draft.path, tree.isolation)
  yield* erase(tree.path)
  yield* Effect.promise(() => rename(draft.path, tree.path))
})

/** Brings the index to the state of the files; returns the paths that differ from the head. */
export const stage = (tree: Tree) => Effect.flatMap(head(tree), (commit) => Stage.stage(tree, commit))

/** Files of a folder that are not the staged ones. */
export const alteredIn = Stage.alteredIn

export interface Author {
  readonly name: string
  readonly email: string
}

/** Writes a commit to the mirror; no ref has it yet. */
export const writeCommit = (
  mirror: Tree["mirror"],
  object: string,
  parents: ReadonlyArray<string>,
  message: string,
  author: Author
) =>
  Effect.suspend(() => {
    const by = { NAME: author.name, EMAIL: author.email }
    const env = Object.fromEntries(
      ["AUTHOR", "COMMITTER"].flatMap((role) => Object.entries(by).map(([key, value]) => [`GIT_${role}_${key}`, value]))
    )
    const before = parents.flatMap((parent) => ["-p", parent])
    const written = on(mirror, ["commit-tree", ...before, "-F", "-", object], env, { input: message })
    return Effect.map(written, (text) => text.trim())
  })

const commitTree = (tree: Tree, object: string, message: string, author: Author, merged: ReadonlyArray<string> = []) =>
  Effect.gen(function* () {
    const parent = yield* head(tree)
    const commit = yield* writeCommit(tree.mirror, object, [parent, ...merged], message, author)
    yield* on(tree.mirror, ["update-ref", tree.ref, commit, parent])
    return commit
  })

/** Commits the staged state, as a merge of the given commits if there are any. */
export const commit = Effect.fn("Tree.commit")(function* (
  tree: Tree,
  message: string,
  author: Author,
  merged: ReadonlyArray<string>
) {
  return yield* commitTree(tree, (yield* inTree(tree, ["write-tree"])).trim(), message, author, merged)
})

/** Commits one folder of the staged state, or of another commit, and nothing else; null when the folder is empty there. */
export const commitFolder = Effect.fn("Tree.commitFolder")(function* (
  tree: Tree,
  folder: string,
  message: string,
  author: Author,
  from?: string
) {
  const source = from ?? (yield* inTree(tree, ["write-tree"])).trim()
  const object = yield* folderOf(tree, source, folder)
  if (object === null) return null
  const draft: Tree = { ...tree, index: `${tree.index}.folder` }
  yield* inTree(draft, ["read-tree", yield* head(tree)])
  yield* inTree(draft, ["rm", "-r", "--cached", "--quiet", "--ignore-unmatch", "--", folder])
  yield* inTree(draft, ["read-tree", `--prefix=${folder}/`, object])
  const whole = (yield* inTree(draft, ["write-tree"])).trim()
  yield* Effect.promise(() => rm(draft.index, { force: true }))
  return yield* commitTree(tree, whole, message, author)
})

/** The tree hash of a folder in a commit; null when it has none. */
export const folderOf = (tree: Tree, commit: string, folder: string) =>
  Effect.map(on(tree.mirror, ["ls-tree", "-d", "-z", commit, folder]), (output) => {
    const [, object] = /^040000 tree ([0-9a-f]+)\t/.exec(output) ?? []
    return object ?? null
  })

/** Moves the head back, for a commit that did not prove itself. */
export const reset = (tree: Tree, commit: string) => on(tree.mirror, ["update-ref", tree.ref, commit])
