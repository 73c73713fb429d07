import { access, constants, lstat, mkdir, mkdtemp, readFile, realpath, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect, Schema } from "effect"
import { HostFailed } from "../../application/ports/codehost/CodeHost.ts"
import { type BranchName, CommitId } from "../../domain/codehost/PullRequestRecord.ts"
import { pathOf } from "../../domain/value/Repository.ts"
import { git, type Options, type Ran, unexpected } from "./Git.ts"

/** An open repository. */
export interface LocalRepository {
  readonly path: string
  readonly gitDir: string
  /** Runs git in the repository itself, for its refs. */
  readonly refs: (args: ReadonlyArray<string>, options?: Options) => Effect.Effect<Ran, HostFailed>
  /**
   * Runs git on the objects of the repository from an empty one of our own, so that neither its settings nor its
   * attributes count: they may name programs.
   */
  readonly objects: (args: ReadonlyArray<string>, options?: Options) => Effect.Effect<Ran, HostFailed>
}

const entry = (path: string) =>
  Effect.promise(async () => {
    try {
      const found = await lstat(path)
      return found.isDirectory() ? "folder" : found.isFile() ? "file" : "other"
    } catch {
      return "missing"
    }
  })

const refuse = (reason: string) => new HostFailed({ reason, isFinal: false })

/** Missing and forbidden folders look the same from within. */
const requireReach = (path: string) =>
  Effect.gen(function* () {
    const denied = yield* Effect.promise(() =>
      access(path, constants.R_OK | constants.X_OK).then(
        () => false,
        (error: NodeJS.ErrnoException) => error.code === "EACCES"
      )
    )
    if (denied)
      return yield* refuse(
        `${path} cannot be read by the user of the service. Give that user the folder, or read and write access to it.`
      )
  })

const gitDirOf = (path: string) =>
  Effect.gen(function* () {
    yield* requireReach(path)
    if ((yield* entry(join(path, "HEAD"))) !== "missing") return path
    const inner = yield* entry(join(path, ".git"))
    if (inner === "folder") return join(path, ".git")
    return yield* inner === "missing"
      ? refuse(
          `There is no git repository at ${path} on the machine of the service. Create it, or correct the team's repository.`
        )
      : refuse(`${path} is a linked worktree. Name the repository that it belongs to.`)
  })

/** Refuses a repository whose refs or objects are somewhere else. */
const check = (path: string, gitDir: string) =>
  Effect.gen(function* () {
    for (const part of ["objects", "refs"])
      if ((yield* entry(join(gitDir, part))) !== "folder")
        return yield* refuse(`${join(gitDir, part)} is not a folder, so ${path} is not used as a repository.`)
    if ((yield* entry(join(gitDir, "commondir"))) !== "missing")
      return yield* refuse(`${path} is a linked worktree. Name the repository that it belongs to.`)
    for (const file of ["alternates", "http-alternates"])
      if ((yield* entry(join(gitDir, "objects", "info", file))) !== "missing")
        return yield* refuse(
          `${path} borrows objects from another repository. Run git repack -a -d in it and delete objects/info/${file}.`
        )
  })

/** The settings of a repository that say how its objects are written; all others are left out. */
const settingsOf = (gitDir: string) =>
  Effect.gen(function* () {
    const file = join(gitDir, "config")
    const text = (yield* entry(file)) === "file" ? yield* Effect.promise(() => readFile(file, "utf8")) : ""
    const format = /^\s*objectformat\s*=\s*sha256\s*$/im.test(text) ? "sha256" : "sha1"
    const [, shared = "umask"] = /^\s*sharedrepository\s*=\s*(\w+)\s*$/im.exec(text) ?? []
    return `[core]\n\trepositoryformatversion = 1\n\tbare = true\n\tsharedRepository = ${shared}\n[extensions]\n\tobjectFormat = ${format}\n`
  })

/** An empty repository with these settings. */
const workshop = (settings: string) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const folder = await mkdtemp(join(tmpdir(), `gatehouse-git-${process.pid}-`))
      await Promise.all([mkdir(join(folder, "objects")), mkdir(join(folder, "refs"))])
      await writeFile(join(folder, "HEAD"), "ref: refs/heads/none\n")
      await writeFile(join(folder, "config"), settings)
      return folder
    }),
    (folder) => Effect.promise(() => rm(folder, { recursive: true, force: true }))
  )

/** Opens the repository at an address. */
export const openRepository = Effect.fn("LocalRepository.open")(function* (address: string) {
  const path = pathOf(address)
  const found = yield* gitDirOf(path)
  yield* check(path, found)
  const gitDir = yield* Effect.promise(() => realpath(found))
  const refs: LocalRepository["refs"] = (args, { env = {}, ...options } = {}) =>
    git(args, { ...options, env: { ...env, GIT_DIR: gitDir } })
  const own = yield* workshop(yield* settingsOf(gitDir))
  const objects: LocalRepository["objects"] = (args, { env = {}, ...options } = {}) =>
    git(args, { ...options, env: { ...env, GIT_DIR: own, GIT_OBJECT_DIRECTORY: join(gitDir, "objects") } })
  const repository: LocalRepository = { path, gitDir, refs, objects }
  return repository
})

const isCommit = Schema.is(CommitId)

/** The commit id that a command printed. */
export const printed = (command: string, ran: Ran): Effect.Effect<CommitId, HostFailed> => {
  const text = ran.output.trim()
  return ran.code === 0 && isCommit(text) ? Effect.succeed(text) : unexpected(command, ran)
}

export interface FoundBranch {
  readonly head: CommitId
  /** Folder in which it is checked out. */
  readonly checkedOut: string | null
}

const format = "%(refname)%00%(objectname)%00%(objecttype)%00%(symref)%00%(worktreepath)"

/** The branch of that name; null when there is none. */
export const branchOf = (repository: LocalRepository, branch: BranchName) =>
  Effect.gen(function* () {
    const name = `refs/heads/${branch}`
    const ran = yield* repository.refs(["for-each-ref", `--format=${format}`, name])
    if (ran.code !== 0) return yield* unexpected("for-each-ref", ran)
    for (const line of ran.output.split("\n")) {
      const [ref, head = "", type, symbolic, folder = ""] = line.split("\0")
      if (ref !== name) continue
      if (type !== "commit" || symbolic !== "" || !isCommit(head))
        return yield* new HostFailed({
          reason: `${branch} in ${repository.path} is not an ordinary branch.`,
          isFinal: true
        })
      // A bare repository is named as the folder of its own default branch.
      const found: FoundBranch = { head, checkedOut: folder === "" || folder === repository.gitDir ? null : folder }
      return found
    }
    return null
  })

/** The branch, which must not be checked out: its files would seem changed. */
export const writableBranch = (repository: LocalRepository, branch: BranchName) =>
  Effect.gen(function* () {
    const found = yield* branchOf(repository, branch)
    if (found?.checkedOut != null)
      return yield* refuse(
        `The branch ${branch} is checked out in ${found.checkedOut}, whose files would not follow. Check out another branch there, or make the repository bare: git config core.bare true.`
      )
    return found
  })

export interface RefChange {
  readonly branch: BranchName
  readonly head: CommitId
  /** The head that it must have now; null creates the branch. */
  readonly old: CommitId | null
  /** Another branch that must not move meanwhile. */
  readonly besides?: { readonly branch: BranchName; readonly head: CommitId }
  readonly reason: string
}

/** Sets a branch, compared and set in one step. Returns false when somebody else was faster. */
export const setBranch = (repository: LocalRepository, { besides, branch, head, old, reason }: RefChange) =>
  Effect.gen(function* () {
    const verify = besides === undefined ? "" : `verify refs/heads/${besides.branch} ${besides.head}\n`
    const update = `update refs/heads/${branch} ${head} ${old ?? "0".repeat(head.length)}\n`
    const args = ["update-ref", "-m", `gatehouse: ${reason}`, "--stdin"]
    const ran = yield* repository.refs(args, { input: `${verify}${update}` })
    if (ran.code === 0) return true
    return /cannot lock ref|unable to create .*\.lock/i.test(ran.errors) ? false : yield* unexpected("update-ref", ran)
  })

/** Turns that a change of a branch takes while others move it. */
export const mostTurns = 20

/** Repeats a change of a branch until nobody else was faster. */
export const untilSet = <A, E, R>(
  branch: BranchName,
  turn: Effect.Effect<A | false, E, R>
): Effect.Effect<A, E | HostFailed, R> =>
  Effect.gen(function* () {
    for (let turns = 0; turns < mostTurns; turns++) {
      const done = yield* turn
      if (done !== false) return done
    }
    return yield* refuse(`The branch ${branch} moved ${mostTurns} times meanwhile, or is locked.`)
  })
