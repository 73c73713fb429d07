import { Effect, Schema } from "effect"
import type { BranchCommit, ChangedFile, Difference } from "../../application/ports/codehost/CodeHost.ts"
import { type CheckReport, ofConclusion, ofState } from "../../domain/codehost/BranchHealth.ts"
import { type BranchName, CommitId, type PullRequestRecord } from "../../domain/codehost/PullRequestRecord.ts"
import { type GitHubRepository, inPath } from "./GitHubRepository.ts"
import { pullOf } from "./MergePullRequest.ts"
import { context } from "./PresentEvidence.ts"

const CheckRuns = Schema.Struct({
  total_count: Schema.Number,
  check_runs: Schema.Array(
    Schema.Struct({
      id: Schema.Number,
      name: Schema.String,
      conclusion: Schema.NullOr(Schema.String),
      started_at: Schema.NullOr(Schema.String),
      html_url: Schema.NullOr(Schema.String)
    })
  )
})

const Status = Schema.Struct({
  statuses: Schema.Array(
    Schema.Struct({
      context: Schema.String,
      state: Schema.String,
      updated_at: Schema.String,
      target_url: Schema.NullOr(Schema.String)
    })
  )
})

const perPage = 100
const mostPages = 5

const timeOf = (text: string | null) => (text === null ? 0 : Date.parse(text) || 0)

const checkRuns = (repository: GitHubRepository, commit: CommitId) =>
  Effect.gen(function* () {
    const reports: Array<CheckReport> = []
    for (let page = 1; page <= mostPages; page++) {
      const found = yield* repository.read(
        `/commits/${commit}/check-runs?filter=latest&per_page=${perPage}&page=${page}`,
        CheckRuns
      )
      for (const { conclusion, html_url, id, name, started_at } of found.check_runs)
        if (name !== context)
          // Two runs may start in one second; the later one has the higher id.
          reports.push({ name, outcome: ofConclusion(conclusion), at: timeOf(started_at) + id / 1e15, url: html_url })
      if (found.check_runs.length < perPage) break
    }
    return reports
  })

/** Both systems of GitHub: check runs and statuses, without the service's own. */
export const checks = (repository: GitHubRepository, commit: CommitId) =>
  Effect.gen(function* () {
    const runs = yield* checkRuns(repository, commit)
    const { statuses } = yield* repository.read(`/commits/${commit}/status?per_page=${perPage}`, Status)
    const others = statuses.filter((one) => one.context !== context)
    return [
      ...runs,
      ...others.map((one): CheckReport => ({
        name: one.context,
        outcome: ofState(one.state),
        at: timeOf(one.updated_at),
        url: one.target_url
      }))
    ]
  })

const Commit = Schema.Struct({
  sha: CommitId,
  commit: Schema.Struct({ message: Schema.String }),
  parents: Schema.Array(Schema.Struct({ sha: CommitId }))
})

export const isRevert = (message: string) => message.includes("This reverts commit ")

/** The newest commits of a branch by their first parents. */
export const recent = (repository: GitHubRepository, branch: BranchName) =>
  Effect.gen(function* () {
    const all = yield* repository.read(`/commits?sha=${encodeURIComponent(branch)}&per_page=50`, Schema.Array(Commit))
    const byId = new Map(all.map((one) => [one.sha, one]))
    const found: Array<BranchCommit> = []
    for (let at = all[0]; at !== undefined;) {
      const [parent] = at.parents
      const merged = at.parents[1] && byId.get(at.parents[1].sha)
      const messages = [at.commit.message, merged?.commit.message ?? ""]
      found.push({ commit: at.sha, parent: parent?.sha ?? null, isRevert: messages.some(isRevert) })
      at = parent && byId.get(parent.sha)
    }
    return found
  })

const Compared = Schema.Struct({ status: Schema.String })

/** A commit of the branch by its id or the beginning of it. */
export const findCommit = (repository: GitHubRepository, branch: BranchName, id: string) =>
  Effect.gen(function* () {
    if (!/^[0-9a-f]{7,64}$/.test(id)) return null
    const answer = yield* repository.ask("GET", `/commits/${id}`)
    if (answer.status === 404 || answer.status === 422) return null
    const found = yield* repository.read(`/commits/${id}`, Commit)
    const { status } = yield* repository.read(`/compare/${found.sha}...${inPath(branch)}?per_page=1`, Compared)
    if (status !== "ahead" && status !== "identical") return null
    const merged = found.parents[1] && (yield* repository.find(`/commits/${found.parents[1].sha}`, Commit))
    return {
      commit: found.sha,
      isRevert: [found.commit.message, merged?.commit.message ?? ""].some(isRevert)
    }
  })

const Files = Schema.Array(
  Schema.Struct({
    filename: Schema.String,
    previous_filename: Schema.optional(Schema.String),
    additions: Schema.Number,
    deletions: Schema.Number,
    changes: Schema.Number,
    patch: Schema.optional(Schema.String)
  })
)

const longest = 200_000

/** The changed files of a pull request; GitHub shows no patch of a binary or large file. */
export const difference = (repository: GitHubRepository, record: PullRequestRecord) =>
  Effect.gen(function* () {
    const number = record.hostNumber ?? (yield* pullOf(repository, record.branch, "all"))?.number ?? null
    if (number === null) return { files: [], text: "", isCut: false } satisfies Difference
    const all = yield* repository.read(`/pulls/${number}/files?per_page=${perPage}`, Files)
    const pathOf = (one: (typeof all)[number]) =>
      one.previous_filename === undefined ? one.filename : `${one.previous_filename} → ${one.filename}`
    const files = all.map((one): ChangedFile => ({
      path: pathOf(one),
      lines:
        // A binary file has no patch and no lines.
        one.patch === undefined && one.changes === 0 && one.previous_filename === undefined
          ? null
          : { added: one.additions, deleted: one.deletions }
    }))
    const text = all
      .flatMap((one) =>
        one.patch === undefined
          ? []
          : [`--- a/${one.previous_filename ?? one.filename}\n+++ b/${one.filename}\n${one.patch}\n`]
      )
      .join("")
    const isCut = text.length > longest || all.length === perPage
    return { files, text: text.slice(0, longest), isCut } satisfies Difference
  })
