import { Duration, Effect } from "effect"
import { access, mkdir, rename, rm } from "node:fs/promises"
import { join } from "node:path"
import type { GitTokens } from "../../RunnerSettings.ts"
import { folderOf, read } from "./Address.ts"
import { type Call, environment, fields, git, GitFailed } from "./Git.ts"
import { plainly } from "./RemoteProblems.ts"

/** A bare repository on this machine that follows one address. */
export interface Mirror {
  readonly folder: string
  readonly url: string
  readonly host: string | null
  readonly tokens: GitTokens
}

/** The commits an attempt starts with. */
export interface Start {
  readonly mirror: Mirror
  readonly base: string
  /** Head of the base branch now. */
  readonly baseHead: string
  /** Head of the branch of the run; null before its first push. */
  readonly branchHead: string | null
}

const refused = (problem: string) => new GitFailed({ command: "fetch", problem })

/** Programs of a repository on this machine run on our side, so its hooks are off there too. */
const quiet = (mirror: Mirror, program: "upload-pack" | "receive-pack"): ReadonlyArray<string> =>
  mirror.host === null ? [`--${program}=git -c core.hooksPath=/dev/null ${program}`] : []

const network = Duration.minutes(15)

/** A git command on the mirror. */
export const on = (
  mirror: Mirror,
  args: readonly [string, ...ReadonlyArray<string>],
  more: Record<string, string> = {},
  rest: Pick<Call, "input" | "encoding" | "answer"> = {}
) => git({ args, env: environment(mirror.tokens, null, { GIT_DIR: mirror.folder, ...more }), ...rest })

/** A git command that reaches the repository's address, with its credential. */
const remotely = (mirror: Mirror, args: readonly [string, ...ReadonlyArray<string>]) =>
  Effect.mapError(
    git({ args, env: environment(mirror.tokens, mirror.host, { GIT_DIR: mirror.folder }), limit: network }),
    ({ command, problem }) => {
      const hasToken = mirror.host !== null && mirror.tokens.has(mirror.host)
      return new GitFailed({ command, problem: plainly({ ...mirror, hasToken }, problem) })
    }
  )

const made = (mirror: Mirror) =>
  Effect.gen(function* () {
    const isThere = yield* Effect.promise(() =>
      access(mirror.folder).then(
        () => true,
        () => false
      )
    )
    if (isThere) return
    const draft = `${mirror.folder}.new`
    yield* Effect.promise(async () => {
      await rm(draft, { recursive: true, force: true })
      await mkdir(draft, { recursive: true, mode: 0o700 })
    })
    yield* git({ args: ["init", "--bare", "--quiet", "--template=", draft], env: environment(mirror.tokens, null) })
    yield* Effect.promise(() => rename(draft, mirror.folder))
  })

/** Heads of the named branches and of the default one, as the repository has them now. */
const remoteHeads = (mirror: Mirror, names: ReadonlyArray<string>) =>
  Effect.map(
    remotely(mirror, [
      "ls-remote",
      "--symref",
      ...quiet(mirror, "upload-pack"),
      "--",
      mirror.url,
      "HEAD",
      ...names.map((name) => `refs/heads/${name}`)
    ]),
    (output) => {
      const rows = fields(output).map((line) => line.split("\t"))
      const [symbolic] =
        rows.find(([value = "", name]) => name === "HEAD" && value.startsWith("ref: refs/heads/")) ?? []
      return {
        standard: symbolic?.slice("ref: refs/heads/".length) ?? null,
        has: (branch: string) => rows.some(([, name]) => name === `refs/heads/${branch}`)
      }
    }
  )

/** Opens the mirror of an address and fetches the base branch and the branch of the run. */
export const prepare = Effect.fn("Mirror.prepare")(function* (
  folder: string,
  tokens: GitTokens,
  address: string,
  wantedBase: string | null,
  branch: string
) {
  const accepted = read(address)
  if (accepted.type === "refused") return yield* refused(`the address of the repository is refused: ${accepted.reason}`)
  const mirror: Mirror = {
    folder: join(folder, folderOf(accepted.url)),
    url: accepted.url,
    host: accepted.host,
    tokens
  }
  yield* made(mirror)
  const named = [...(wantedBase === null ? [] : [wantedBase]), branch]
  for (const name of named) yield* on(mirror, ["check-ref-format", `refs/heads/${name}`])
  const remote = yield* remoteHeads(mirror, named)
  const base = wantedBase ?? remote.standard
  if (base === null) return yield* refused(`${mirror.url} has no commit on its default branch yet. Push a first commit`)
  if (wantedBase !== null && !remote.has(base)) return yield* refused(`the repository has no branch '${base}'`)
  const hasBranch = remote.has(branch)
  const wanted = hasBranch ? [base, branch] : [base]
  yield* remotely(mirror, [
    "fetch",
    "--quiet",
    "--no-tags",
    "--no-write-fetch-head",
    "--no-recurse-submodules",
    ...quiet(mirror, "upload-pack"),
    "--",
    mirror.url,
    ...wanted.map((name) => `+refs/heads/${name}:refs/remotes/origin/${name}`)
  ])
  const headOf = (name: string) =>
    Effect.map(on(mirror, ["rev-parse", "--verify", `refs/remotes/origin/${name}^{commit}`]), (text) => text.trim())
  return {
    mirror,
    base,
    baseHead: yield* headOf(base),
    branchHead: hasBranch ? yield* headOf(branch) : null
  } satisfies Start
})

/** Pushes a commit to a branch; only forward, so that no other commit is lost. */
export const push = Effect.fn("Mirror.push")(function* (mirror: Mirror, commit: string, branch: string) {
  yield* remotely(mirror, [
    "push",
    "--quiet",
    "--no-verify",
    "--recurse-submodules=no",
    ...quiet(mirror, "receive-pack"),
    "--",
    mirror.url,
    `${commit}:refs/heads/${branch}`
  ])
  yield* on(mirror, ["update-ref", `refs/remotes/origin/${branch}`, commit])
})

/** True when the last known state of the branch holds the commit. */
export const isPushed = (mirror: Mirror, commit: string, branch: string) =>
  Effect.isSuccess(on(mirror, ["merge-base", "--is-ancestor", commit, `refs/remotes/origin/${branch}`]))
