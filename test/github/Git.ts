// @effect-diagnostics processEnv:off
import { execFile } from "node:child_process"

const env = {
  PATH: process.env["PATH"] ?? "",
  HOME: "/nonexistent",
  LC_ALL: "C",
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_TERMINAL_PROMPT: "0"
}

export interface Ran {
  readonly code: number
  readonly out: string
}

interface Person {
  readonly name: string
  readonly email: string
}

export const gitHub: Person = { name: "GitHub", email: "noreply@github.com" }

export const personOf = ({ login }: { readonly login: string }): Person => ({
  name: login,
  email: `${login.replace("[bot]", "")}@users.noreply.github.test`
})

/** Variables that make a commit reproducible. */
export const signedBy = (author: Person, at: number, committer: Person = gitHub) => ({
  GIT_AUTHOR_NAME: author.name,
  GIT_AUTHOR_EMAIL: author.email,
  GIT_AUTHOR_DATE: `${Math.floor(at / 1000)} +0000`,
  GIT_COMMITTER_NAME: committer.name,
  GIT_COMMITTER_EMAIL: committer.email,
  GIT_COMMITTER_DATE: `${Math.floor(at / 1000)} +0000`
})

const run = (
  folder: string,
  args: ReadonlyArray<string>,
  {
    input = "",
    variables = {}
  }: { readonly input?: string; readonly variables?: Readonly<Record<string, string>> } = {}
) =>
  new Promise<Ran>((resolve) => {
    const options = { cwd: folder, env: { ...env, ...variables }, maxBuffer: 64_000_000 }
    const child = execFile("git", args, options, (error, out, problem) => {
      const code = error === null ? 0 : typeof error.code === "number" ? error.code : 128
      resolve({ code, out: code === 0 || out !== "" ? out : problem })
    })
    child.stdin?.on("error", () => {})
    child.stdin?.end(input)
  })

const commit = "[0-9a-f]{40}"

/** A command that reads commits by their hashes, so that its output never changes. */
const constant = new RegExp(
  `^(diff-tree|log|ls-tree|merge-base|rev-list|rev-parse)( -\\S+| \\d+)* ${commit}((\\.\\.\\.?| )${commit})*(\\^\\{\\w+\\})?$`
)

const outputs = new Map<string, Ran>()

/** Runs git and returns its exit code, whichever it is. */
export const tryGit = async (...given: Parameters<typeof run>): Promise<Ran> => {
  const [folder, args, options] = given
  const words = args.join(" ")
  if (options !== undefined || !constant.test(words)) return run(...given)
  const key = `${folder} ${words}`
  const known = outputs.get(key) ?? (await run(...given))
  if (known.code === 0) outputs.set(key, known)
  return known
}

/** Runs git, which must succeed, and returns its output without the last line break. */
export const git = async (folder: string, args: ReadonlyArray<string>, options?: Parameters<typeof tryGit>[2]) => {
  const ran = await tryGit(folder, args, options)
  if (ran.code !== 0) throw new Error(`git ${args.join(" ")} ended with ${ran.code}: ${ran.out}`)
  return ran.out.trimEnd()
}

/** The commit that a name stands for; null when there is none. */
export const commitOf = async (folder: string, name: string) => {
  const ran = await tryGit(folder, ["rev-parse", "--verify", "--quiet", "--end-of-options", `${name}^{commit}`])
  return ran.code === 0 ? ran.out.trim() : null
}

export const isAncestor = async (folder: string, one: string, of: string) =>
  (await tryGit(folder, ["merge-base", "--is-ancestor", one, of])).code === 0

/** Tree of the merge of two commits; null when they conflict. */
export const mergedTree = async (folder: string, base: string, head: string) => {
  const ran = await tryGit(folder, ["merge-tree", "--write-tree", base, head])
  return ran.code === 0 ? (ran.out.split("\n")[0] ?? "") : null
}

export const commitTree = (
  folder: string,
  tree: string,
  parents: ReadonlyArray<string>,
  message: string,
  variables: Readonly<Record<string, string>>
) =>
  git(folder, ["commit-tree", tree, ...parents.flatMap((one) => ["-p", one]), "-F", "-"], { input: message, variables })

/** Moves a ref if it still has its old value. */
export const moveRef = async (folder: string, ref: string, to: string, from: string) =>
  (await tryGit(folder, ["update-ref", ref, to, from])).code === 0

/** Every branch and tag with its commit. */
export const refsOf = async (folder: string) => {
  const out = await git(folder, ["for-each-ref", "--format=%(refname) %(objectname)", "refs/heads", "refs/tags"])
  return new Map(
    out
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => line.split(" ") as [string, string])
  )
}

export interface CommitInfo {
  readonly sha: string
  readonly tree: string
  readonly parents: ReadonlyArray<string>
  readonly author: Person & { readonly date: string }
  readonly committer: Person & { readonly date: string }
  readonly message: string
}

const format = "%H%x00%T%x00%P%x00%an%x00%ae%x00%at%x00%cn%x00%ce%x00%ct%x00%B%x00%x01"

/** Commits of a range such as `base..head` or `-n 1 sha`, newest first. */
export const log = async (
  folder: string,
  range: ReadonlyArray<string>,
  dated: (at: number) => string
): Promise<ReadonlyArray<CommitInfo>> => {
  const out = await git(folder, ["log", "--no-show-signature", `--format=${format}`, ...range])
  return out
    .split("\u0001")
    .map((one) => one.replace(/^\n/, "").split("\0"))
    .filter((fields) => fields.length > 9)
    .map(([sha = "", tree = "", parents = "", an = "", ae = "", at = "", cn = "", ce = "", ct = "", message = ""]) => ({
      sha,
      tree,
      parents: parents === "" ? [] : parents.split(" "),
      author: { name: an, email: ae, date: dated(Number(at) * 1000) },
      committer: { name: cn, email: ce, date: dated(Number(ct) * 1000) },
      message: message.trimEnd()
    }))
}

const commits = new Map<string, Promise<CommitInfo | undefined>>()

/** One commit, which never changes. */
export const infoOf = (folder: string, sha: string, dated: (at: number) => string) => {
  const key = `${folder} ${sha}`
  const known = commits.get(key) ?? log(folder, ["-n", "1", sha], dated).then(([one]) => one)
  commits.set(key, known)
  return known
}

export interface FileChange {
  readonly name: string
  readonly status: "added" | "removed" | "modified"
  readonly additions: number
  readonly deletions: number
}

const statuses = { A: "added", D: "removed" } as const

/** Files that differ between two trees. */
export const changesBetween = async (folder: string, from: string, to: string): Promise<ReadonlyArray<FileChange>> => {
  const out = await git(folder, ["diff-tree", "-r", "--no-renames", "--raw", "--numstat", "-z", from, to])
  const fields = out.split("\0")
  const letters = new Map<string, string>()
  const changes: Array<FileChange> = []
  for (let at = 0; at < fields.length; at++) {
    const field = fields[at] ?? ""
    if (field.startsWith(":")) letters.set(fields[++at] ?? "", field.slice(-1))
    else if (field !== "") {
      const [added = "", deleted = "", name = ""] = field.split("\t")
      const letter = letters.get(name) ?? "M"
      const status = letter === "A" || letter === "D" ? statuses[letter] : "modified"
      changes.push({ name, status, additions: Number(added) || 0, deletions: Number(deleted) || 0 })
    }
  }
  return changes
}
