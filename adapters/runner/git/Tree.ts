import { Effect } from "effect"
import { chmod, copyFile, lstat, mkdir, rm, writeFile } from "node:fs/promises"
import { dirname, join } from "node:path"
import type { Isolation } from "../process/Isolation.ts"
import { outputOf } from "../process/Isolation.ts"
import { environment, fields, git, GitFailed } from "./Git.ts"
import { type Mirror, on } from "./Mirror.ts"

/** A working tree. Its index and head are the runner's own: the .git folder that the agent sees is a copy, and is never read. */
export interface Tree {
  readonly mirror: Mirror
  readonly path: string
  readonly index: string
  /** The ref in the mirror that holds its commits. */
  readonly ref: string
}

const inTree = (tree: Tree, args: readonly [string, ...ReadonlyArray<string>], input?: string) =>
  on(tree.mirror, args, { GIT_WORK_TREE: tree.path, GIT_INDEX_FILE: tree.index }, input)

/** Largest file that a commit may add. */
export const mostFile = 104_857_600

const broken = (problem: string) => new GitFailed({ command: "commit", problem })

export const head = (tree: Tree) =>
  Effect.map(on(tree.mirror, ["rev-parse", "--verify", `${tree.ref}^{commit}`]), (text) => text.trim())

/** The repository that the agent sees: the same objects and files, with no remote and no settings. */
const agentRepository = (tree: Tree, commit: string, branch: string, base: string, baseCommit: string) =>
  Effect.gen(function* () {
    const folder = join(tree.path, ".git")
    yield* git({
      args: ["clone", "--quiet", "--local", "--bare", "--no-tags", "--single-branch", "--template="].concat([
        `--branch=${tree.ref.slice("refs/heads/".length)}`,
        "--",
        tree.mirror.folder,
        folder
      ]) as [string, ...Array<string>],
      env: environment(tree.mirror.tokens, null)
    })
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

export interface NewTree {
  readonly path: string
  readonly index: string
  readonly key: string
  readonly commit: string
  readonly branch: string
  readonly base: string
  readonly baseCommit: string
}

/** Checks a commit out into a fresh folder, which is given to the agent's user. */
export const create = Effect.fn("Tree.create")(function* (mirror: Mirror, wanted: NewTree, isolation: Isolation) {
  const { commit, index, key, path } = wanted
  const tree: Tree = { mirror, path, index, ref: `refs/heads/${key}` }
  yield* Effect.promise(async () => {
    await rm(path, { recursive: true, force: true })
    await rm(index, { force: true })
    await mkdir(path, { recursive: true, mode: 0o700 })
  })
  yield* on(mirror, ["update-ref", tree.ref, commit])
  yield* inTree(tree, ["read-tree", commit])
  yield* inTree(tree, ["checkout-index", "--all", "--force", "--quiet", "-u"])
  yield* agentRepository(tree, commit, wanted.branch, wanted.base, wanted.baseCommit)
  if (isolation.account !== undefined) {
    const { gid, uid } = isolation.account
    // Objects are shared with the mirror by hard links, so they keep their owner.
    const argv = [
      "find",
      path,
      "!",
      "(",
      "-type",
      "f",
      "-links",
      "+1",
      ")",
      "-exec",
      "chown",
      "-h",
      `${uid}:${gid}`,
      "{}",
      "+"
    ]
    if ((yield* outputOf(argv, undefined)) === undefined) return yield* broken(`${path} cannot be given to user ${uid}`)
  }
  yield* Effect.promise(() => chmod(path, 0o700))
  return tree
})

const parents = (path: string): ReadonlyArray<string> =>
  path
    .split("/")
    .slice(0, -1)
    .map((_, index, all) => all.slice(0, index + 1).join("/"))

const statusOf = (tree: Tree, path: string) => Effect.promise(() => lstat(join(tree.path, path)).catch(() => undefined))

/** Tracked paths below a link, which would be read through it. */
const behindLinks = (tree: Tree, tracked: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const folders = [...new Set(tracked.flatMap(parents))]
    const found = yield* Effect.forEach(
      folders,
      (folder) => Effect.map(statusOf(tree, folder), (stat) => (stat?.isSymbolicLink() ? [`${folder}/`] : [])),
      { concurrency: 16 }
    )
    const links = found.flat()
    return links.length === 0 ? [] : tracked.filter((path) => links.some((link) => path.startsWith(link)))
  })

const listed = (paths: ReadonlyArray<string>) => paths.map((path) => `${path}\0`).join("")

/** Brings the index to the state of the files, links as links; returns the paths that differ from the head. */
export const stage = Effect.fn("Tree.stage")(function* (tree: Tree) {
  const names = (...args: ReadonlyArray<string>) =>
    Effect.map(inTree(tree, ["ls-files", "-z", ...args]), (output) => [...new Set(fields(output, "\0"))])
  const remove = (paths: ReadonlyArray<string>) =>
    paths.length === 0 ? Effect.void : inTree(tree, ["update-index", "-z", "--force-remove", "--stdin"], listed(paths))
  yield* remove(yield* behindLinks(tree, yield* names()))
  const candidates = [...(yield* names("-m", "-d")), ...(yield* names("-o", "--exclude-standard"))]
  const seen = yield* Effect.forEach(
    new Set(candidates),
    (path) => Effect.map(statusOf(tree, path), (stat) => [path, stat] as const),
    { concurrency: 16 }
  )
  const huge = seen.find(([, stat]) => stat !== undefined && stat.size > mostFile)
  if (huge !== undefined)
    return yield* broken(`${huge[0]} has ${huge[1]?.size} bytes; a file may have ${mostFile}. Ignore or remove it`)
  yield* remove(seen.flatMap(([path, stat]) => (stat === undefined ? [path] : [])))
  // A folder is a repository within the repository; it is not followed.
  const files = seen.flatMap(([path, stat]) => (stat?.isFile() || stat?.isSymbolicLink() ? [path] : []))
  if (files.length > 0) yield* inTree(tree, ["update-index", "-z", "--add", "--replace", "--stdin"], listed(files))
  const changed = yield* inTree(tree, [
    "diff-index",
    "--cached",
    "--name-only",
    "--no-renames",
    "-z",
    yield* head(tree)
  ])
  return fields(changed, "\0")
})

/** Tracked files of a folder whose content is no longer the staged one. */
export const alteredIn = Effect.fn("Tree.alteredIn")(function* (tree: Tree, folder: string) {
  const tracked = yield* inTree(tree, ["ls-files", "-z", "--", folder])
  const hidden = yield* behindLinks(tree, fields(tracked, "\0"))
  if (hidden.length > 0) return hidden
  const altered = yield* inTree(tree, ["ls-files", "-z", "-m", "-d", "--", folder])
  return [...new Set(fields(altered, "\0"))]
})

export interface Author {
  readonly name: string
  readonly email: string
}

const commitTree = (tree: Tree, object: string, message: string, author: Author) =>
  Effect.gen(function* () {
    const parent = yield* head(tree)
    const by = { NAME: author.name, EMAIL: author.email }
    const env = Object.fromEntries(
      ["AUTHOR", "COMMITTER"].flatMap((role) => Object.entries(by).map(([key, value]) => [`GIT_${role}_${key}`, value]))
    )
    const commit = (yield* on(tree.mirror, ["commit-tree", "-p", parent, "-F", "-", object], env, message)).trim()
    yield* on(tree.mirror, ["update-ref", tree.ref, commit, parent])
    return commit
  })

/** Commits the staged state. */
export const commit = Effect.fn("Tree.commit")(function* (tree: Tree, message: string, author: Author) {
  return yield* commitTree(tree, (yield* inTree(tree, ["write-tree"])).trim(), message, author)
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
