import { execFileSync } from "node:child_process"
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect } from "effect"
import { BranchName, CommitId } from "../../domain/codehost/PullRequestRecord.ts"

const env = {
  PATH: "/usr/local/bin:/usr/bin:/bin",
  HOME: "/nonexistent",
  LC_ALL: "C",
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_AUTHOR_NAME: "Ana",
  GIT_AUTHOR_EMAIL: "ana@acme.test",
  GIT_COMMITTER_NAME: "Ana",
  GIT_COMMITTER_EMAIL: "ana@acme.test"
}

/** Git as a person has it; the service's own is hardened. */
export const git = (folder: string, args: ReadonlyArray<string>, input = ""): string =>
  execFileSync("git", args, { cwd: folder, env, input, encoding: "utf8", stdio: ["pipe", "pipe", "pipe"] }).trim()

export type Files = Readonly<Record<string, string | null>>

export const branch = (name: string) => BranchName.make(name)

/** A repository that a test fills without a worktree. */
export interface Repository {
  readonly path: string
  readonly git: (...args: ReadonlyArray<string>) => string
  readonly head: (name: string) => CommitId
  /** Commits files to a branch, which is forked from `from` if it is new; null deletes a file. */
  readonly commit: (
    name: string,
    files: Files,
    more?: { readonly from?: string; readonly message?: string }
  ) => CommitId
  readonly file: (commit: string, path: string) => string
}

const stream = (name: string, files: Files, from: string | null, message: string) =>
  [
    `commit refs/heads/${name}`,
    "mark :1",
    "committer Ana <ana@acme.test> 1700000000 +0000",
    `data ${Buffer.byteLength(message)}\n${message}`,
    ...(from === null ? [] : [`from ${from}`]),
    ...Object.entries(files).map(([path, text]) =>
      text === null ? `D ${path}` : `M 100644 inline ${path}\ndata ${Buffer.byteLength(text)}\n${text}`
    ),
    ""
  ].join("\n")

export const repositoryAt = (path: string): Repository => {
  const run = (...args: ReadonlyArray<string>) => git(path, args)
  const head = (name: string) => CommitId.make(run("rev-parse", "--verify", `refs/heads/${name}`))
  return {
    path,
    git: run,
    head,
    commit: (name, files, { from, message = "A change" } = {}) => {
      const exists = existsSync(join(path, "refs", "heads", name))
      const parent = exists ? `refs/heads/${name}^0` : from === undefined ? null : `${from}^0`
      const marks = join(path, "marks")
      git(path, ["fast-import", "--quiet", "--force", `--export-marks=${marks}`], stream(name, files, parent, message))
      return CommitId.make(readFileSync(marks, "utf8").trim().slice(3))
    },
    file: (commit, file) => run("show", `${commit}:${file}`)
  }
}

/** A folder of a test's own. */
export const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "gatehouse-test-git-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
)

export const lines = (...changed: ReadonlyArray<readonly [line: number, text: string]>) => {
  const all = Array.from({ length: 9 }, (_, index) => `line ${index + 1}`)
  for (const [line, text] of changed) all[line - 1] = text
  return `${all.join("\n")}\n`
}

export const spec = ".kanman/acceptance/PAY-1"

/** A bare repository whose main branch has one commit. */
export const bare = Effect.map(folder, (path) => {
  const at = join(path, "pay.git")
  git(path, ["init", "--quiet", "--bare", "--initial-branch=main", at])
  const repository = repositoryAt(at)
  repository.commit("main", { "fees.txt": lines(), "README.md": "Pay\n" }, { message: "First" })
  return repository
})
