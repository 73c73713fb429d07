import { Effect } from "effect"
import { lstat, mkdtemp, readdir } from "node:fs/promises"
import { dirname, join } from "node:path"
import { erase, give } from "../process/Folder.ts"
import type { Isolation } from "../process/Isolation.ts"
import { environment, fields, git, GitFailed } from "./Git.ts"
import { type Mirror, on } from "./Mirror.ts"

/** A working tree. Its index and head are the runner's own: the .git folder that the agent sees is a copy, and is never read. */
export interface Tree {
  readonly mirror: Mirror
  readonly path: string
  readonly index: string
  /** The ref in the mirror that holds its commits. */
  readonly ref: string
  /** An empty repository that every user can read, for commands on the files. */
  readonly desk: string
  readonly isolation: Isolation
}

/** Largest file that a commit may add. */
export const mostFile = 104_857_600

const broken = (problem: string) => new GitFailed({ command: "commit", problem, isOfFiles: true })

/** git names the file that the user of the agents cannot read. */
const ofUnreadable = (failure: GitFailed): GitFailed => {
  const [, path] = /open\("(.+?)"\): Permission denied/.exec(failure.problem) ?? []
  return path === undefined
    ? failure
    : broken(
        `${path} cannot be read by the user of the agents, so it cannot be committed. Give it read permission, or ignore or remove it`
      )
}

type Args = readonly [string, ...ReadonlyArray<string>]

/** Runs git on the files as the agents' user: a link that leads elsewhere, or is put there meanwhile, shows nothing that the agent could not read. */
interface Reader {
  readonly call: (args: Args, input?: string) => ReturnType<typeof git>
  /** Copies blobs to the mirror, which checks them. */
  readonly copy: (objects: ReadonlyArray<string>) => Effect.Effect<unknown, GitFailed>
}

const ownIndex = (tree: Tree) => ({ GIT_INDEX_FILE: tree.index })

/** Names are bytes, and need not be UTF-8: Latin-1 keeps each byte as one character. */
const encoding = "latin1"

/** A name for people and for comparisons with other text. */
const shown = (path: string) => Buffer.from(path, encoding).toString()

/** Entries of the runner's own index: mode, object and path. */
const staged = (tree: Tree, ...paths: ReadonlyArray<string>) =>
  on(tree.mirror, ["ls-files", "-s", "-z", "--", ...paths], ownIndex(tree), { encoding })

/** Uses a reader whose index holds the given entries. */
const reading = <A, E>(tree: Tree, entries: string, use: (reader: Reader) => Effect.Effect<A, E>) =>
  Effect.acquireUseRelease(
    Effect.flatMap(
      Effect.promise(() => mkdtemp(join(dirname(tree.path), "stage-"))),
      (folder) => give(folder, tree.isolation)
    ),
    (folder) => {
      const { account } = tree.isolation
      const env = environment(new Map(), null, {
        GIT_DIR: tree.desk,
        GIT_WORK_TREE: tree.path,
        GIT_INDEX_FILE: join(folder, "index"),
        GIT_OBJECT_DIRECTORY: join(folder, "objects")
      })
      const reader: Reader = {
        call: (args, input) => git({ args, env, account, encoding, ...(input !== undefined && { input }) }),
        copy: (objects) =>
          objects.length === 0
            ? Effect.void
            : on(
                tree.mirror,
                ["unpack-objects", "-q", "--strict"],
                {},
                {
                  input: {
                    args: ["pack-objects", "--quiet", "--stdout", "--window=0"],
                    env,
                    account,
                    input: objects.map((object) => `${object}\n`).join("")
                  }
                }
              )
      }
      return Effect.gen(function* () {
        yield* give(join(folder, "objects"), tree.isolation)
        yield* reader.call(["update-index", "-z", "--index-info"], entries)
        return yield* use(reader)
      })
    },
    erase
  )

const parents = (path: string): ReadonlyArray<string> =>
  path
    .split("/")
    .slice(0, -1)
    .map((_, index, all) => all.slice(0, index + 1).join("/"))

const placeOf = (tree: Tree, path: string) =>
  Buffer.from(`${Buffer.from(tree.path).toString(encoding)}/${path}`, encoding)

const statusOf = (tree: Tree, path: string) => Effect.promise(() => lstat(placeOf(tree, path)).catch(() => undefined))

const holdsFiles = (tree: Tree, folder: string) =>
  Effect.promise(async () => (await readdir(placeOf(tree, folder)).catch(() => [])).some((name) => name !== ".git"))

/** Tracked paths below a link, which would be read through it. */
const behindLinks = (tree: Tree, tracked: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const folders = [...new Set(tracked.flatMap(parents))]
    const found = yield* Effect.forEach(
      folders,
      (folder) => Effect.map(statusOf(tree, folder), (stat) => (stat?.isSymbolicLink() ? [folder] : [])),
      { concurrency: 16 }
    )
    const links = new Set(found.flat())
    return links.size === 0 ? [] : tracked.filter((path) => parents(path).some((folder) => links.has(folder)))
  })

const listed = (paths: ReadonlyArray<string>) => paths.map((path) => `${path}\0`).join("")

const objectOf = (entry: string) => entry.split(" ", 2)[1] ?? ""

/** Brings the index to the state of the files, links as links; returns the paths that differ from the head. */
export const stage = Effect.fn("Stage.stage")(function* (tree: Tree, head: string) {
  const before = yield* staged(tree)
  yield* reading(tree, before, (reader) =>
    Effect.gen(function* () {
      const names = (...args: ReadonlyArray<string>) =>
        Effect.map(reader.call(["ls-files", "-z", ...args]), (output) => [...new Set(fields(output, "\0"))])
      const remove = (paths: ReadonlyArray<string>) =>
        paths.length === 0
          ? Effect.void
          : reader.call(["update-index", "-z", "--force-remove", "--stdin"], listed(paths))
      yield* remove(yield* behindLinks(tree, yield* names()))
      const candidates = [...(yield* names("-m", "-d")), ...(yield* names("-o", "--exclude-standard"))]
      const seen = yield* Effect.forEach(
        new Set(candidates),
        (path) => Effect.map(statusOf(tree, path), (stat) => [path, stat] as const),
        { concurrency: 16 }
      )
      const huge = seen.find(([, stat]) => stat !== undefined && stat.size > mostFile)
      if (huge !== undefined)
        return yield* broken(
          `${shown(huge[0])} has ${huge[1]?.size} bytes; a file may have ${mostFile}. Ignore or remove it`
        )
      yield* remove(seen.flatMap(([path, stat]) => (stat === undefined ? [path] : [])))
      // git lists a folder only if it is a repository of its own, and takes none of its files.
      for (const [folder, stat] of seen)
        if (stat?.isDirectory() && (yield* holdsFiles(tree, folder)))
          return yield* broken(
            `${shown(folder)} is a git repository of its own, so its files cannot be committed. Remove ${shown(folder)}.git, or ignore the folder`
          )
      const files = seen.flatMap(([path, stat]) => (stat?.isFile() || stat?.isSymbolicLink() ? [path] : []))
      if (files.length > 0)
        yield* Effect.mapError(
          reader.call(["update-index", "-z", "--add", "--replace", "--stdin"], listed(files)),
          ofUnreadable
        )
      const known = new Set(fields(before, "\0"))
      const now = fields(yield* reader.call(["ls-files", "-s", "-z"]), "\0").filter(
        (entry) => known.has(entry) || /^(100644|100755|120000) /.test(entry)
      )
      yield* reader.copy([...new Set(now.flatMap((entry) => (known.has(entry) ? [] : [objectOf(entry)])))])
      yield* on(tree.mirror, ["read-tree", "--empty"], ownIndex(tree))
      yield* on(tree.mirror, ["update-index", "-z", "--index-info"], ownIndex(tree), { input: listed(now), encoding })
    })
  )
  const changed = ["diff-index", "--cached", "--name-only", "--no-renames", "-z", head] as const
  return fields(yield* on(tree.mirror, changed, ownIndex(tree), { encoding }), "\0").map(shown)
})

/** Files of a folder that are not the staged ones. Others that no commit has, such as caches, are removed first: a check must not depend on them. */
export const alteredIn = Effect.fn("Stage.alteredIn")(function* (tree: Tree, folder: string) {
  const entries = yield* staged(tree, folder)
  const hidden = yield* behindLinks(
    tree,
    fields(entries, "\0").map((entry) => entry.slice(entry.indexOf("\t") + 1))
  )
  if (hidden.length > 0) return hidden.map(shown)
  const altered = yield* reading(tree, entries, (reader) =>
    Effect.gen(function* () {
      yield* Effect.ignore(reader.call(["clean", "-ffdxq", "--", folder]))
      return yield* reader.call(["ls-files", "-z", "-m", "-d", "-o", "--", folder])
    })
  )
  return [...new Set(fields(altered, "\0"))].map(shown)
})
