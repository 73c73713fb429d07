import { type DateTime, Effect, Option, Schema } from "effect"
import {
  BranchMoved,
  HostFailed,
  MergeBlocked,
  MergeConflict,
  type Presentation,
  type Standing
} from "../../application/ports/codehost/CodeHost.ts"
import type { Proposal } from "../../domain/codehost/ChangePullRequest.ts"
import { judgeMergeability, type MergeVerdict, readMergeAnswer } from "../../domain/codehost/MergeAnswer.ts"
import {
  CommitId,
  type OnHost,
  PullRequestNumber,
  type PullRequestRecord
} from "../../domain/codehost/PullRequestRecord.ts"
import { cut } from "../../domain/value/Text.ts"
import { type Answer, refused } from "./GitHubClient.ts"
import { branchHead, decoded, type GitHubRepository } from "./GitHubRepository.ts"
import { mergeByQueue } from "./MergeQueue.ts"
import { present } from "./PresentEvidence.ts"

/** The fields that all forms of a pull request have. */
export const Listed = Schema.Struct({
  number: PullRequestNumber,
  html_url: Schema.String,
  node_id: Schema.String,
  state: Schema.String,
  title: Schema.String,
  body: Schema.NullOr(Schema.String),
  merged_at: Schema.NullOr(Schema.String),
  merge_commit_sha: Schema.NullOr(Schema.String),
  head: Schema.Struct({ ref: Schema.String, sha: CommitId }),
  base: Schema.Struct({ ref: Schema.String })
})
type Listed = typeof Listed.Type

const Pull = Schema.Struct({
  ...Listed.fields,
  merged: Schema.Boolean,
  mergeable: Schema.NullOr(Schema.Boolean),
  mergeable_state: Schema.String
})

export const onHost = ({ html_url, number }: Listed): OnHost => ({ number, url: html_url })

/** The newest pull request of a branch. */
export const pullOf = (repository: GitHubRepository, branch: string, state: "open" | "all") =>
  Effect.map(
    repository.read(
      `/pulls?state=${state}&per_page=10&head=${encodeURIComponent(`${repository.of.owner}:${branch}`)}`,
      Schema.Array(Listed)
    ),
    (all) => all.toSorted((a, b) => b.number - a.number)[0] ?? null
  )

const requireHead = (repository: GitHubRepository, { branch, head }: Pick<Proposal, "branch" | "head">) =>
  Effect.gen(function* () {
    const found = yield* branchHead(repository, branch)
    if (found !== head) return yield* new BranchMoved({ branch, expected: head, found })
  })

/** GitHub refuses longer ones. */
const longestTitle = 256
const longestBody = 65_000

/** Opens the pull request of a branch; one that exists is found by the branch, also after a lost answer. */
export const opened = (
  repository: GitHubRepository,
  { base, branch, title }: Pick<Proposal, "base" | "branch" | "title">,
  body: string | null
) =>
  Effect.gen(function* () {
    const known = yield* pullOf(repository, branch, "open")
    if (known !== null) return known
    const answer = yield* repository.ask("POST", "/pulls", {
      title: cut(title, longestTitle),
      head: branch,
      base,
      ...(body !== null && { body: cut(body, longestBody) })
    })
    if (answer.status === 201) return yield* decoded(answer, Listed, repository.shown)
    const other = answer.status === 422 ? yield* pullOf(repository, branch, "open") : null
    return other ?? (yield* refused(answer, repository.shown, answer.status === 422))
  })

/** Opens or updates the pull request of a branch with its evidence. */
export const open = (repository: GitHubRepository, proposal: Proposal, page?: Presentation) =>
  Effect.gen(function* () {
    yield* requireHead(repository, proposal)
    const { base } = proposal
    const title = cut(proposal.title, longestTitle)
    const pull = yield* opened(repository, proposal, page?.body ?? null)
    const body = page === undefined ? pull.body : cut(page.body, longestBody)
    if (pull.title !== title || pull.base.ref !== base || pull.body !== body)
      yield* repository.write("PATCH", `/pulls/${pull.number}`, { title, base, body }, Listed)
    if (page !== undefined) yield* present(repository, proposal, page)
    return onHost(pull)
  })

const isCommit = Schema.is(CommitId)

/** Number of a pull request that may have been opened without our record of it. */
const numberOf = (repository: GitHubRepository, record: PullRequestRecord) =>
  Effect.gen(function* () {
    if (record.hostNumber !== null) return record.hostNumber
    const known = yield* pullOf(repository, record.branch, "all")
    if (known !== null) return known.number
    yield* requireHead(repository, record)
    return (yield* opened(repository, record, null)).number
  })

const pull = (repository: GitHubRepository, number: PullRequestNumber) => repository.read(`/pulls/${number}`, Pull)

/** The state of a pull request; one that was never opened is as open as its branch. */
export const stateOf = (repository: GitHubRepository, record: PullRequestRecord) =>
  Effect.gen(function* () {
    const number = record.hostNumber ?? (yield* pullOf(repository, record.branch, "all"))?.number ?? null
    if (number === null) {
      const head = yield* branchHead(repository, record.branch)
      const none: Standing = { state: head === null ? "closed" : "open", mergeCommit: null, ...(head && { head }) }
      return none
    }
    const seen = yield* pull(repository, number)
    const { head, merge_commit_sha, merged, state } = seen
    const standing: Standing =
      merged && isCommit(merge_commit_sha)
        ? { state: "merged", mergeCommit: merge_commit_sha, head: head.sha }
        : { state: state === "closed" ? "closed" : "open", mergeCommit: null, head: head.sha }
    return standing
  })

/** Asks that are made while the host computes whether it can merge; the job asks again later. */
const patience = 3

const look = (repository: GitHubRepository, number: PullRequestNumber, head: CommitId, reason: string) =>
  Effect.gen(function* () {
    let verdict: MergeVerdict = { type: "again", reason, waitSeconds: null }
    for (let asked = 0; asked < patience; asked++) {
      const seen = yield* pull(repository, number)
      verdict = judgeMergeability(
        {
          isMerged: seen.merged,
          mergeCommit: seen.merge_commit_sha,
          isClosed: seen.state === "closed",
          isHeadVerified: seen.head.sha === head,
          mergeable: seen.mergeable,
          word: seen.mergeable_state
        },
        reason
      )
      if (verdict.type !== "again" || seen.mergeable !== null) return verdict
    }
    return verdict
  })

const Methods = Schema.Struct({
  allow_merge_commit: Schema.optional(Schema.Boolean),
  allow_squash_merge: Schema.optional(Schema.Boolean),
  allow_rebase_merge: Schema.optional(Schema.Boolean)
})

/** A merge commit where the repository allows one; it keeps the verified commits as they are. */
const methodOf = (repository: GitHubRepository) =>
  Effect.map(repository.read("", Methods), (allowed) => {
    if (allowed.allow_merge_commit !== false) return "merge"
    return allowed.allow_squash_merge !== false ? "squash" : "rebase"
  })

const Merged = Schema.Struct({ sha: CommitId })
const commitIn = Schema.decodeUnknownOption(Merged)

const verdictOf = (answer: Answer) =>
  readMergeAnswer({ ...answer, commit: Option.getOrNull(commitIn(answer.body))?.sha ?? null })

/** Merges exactly the verified commit. Without an answer, the pull request itself says whether it was merged. */
export const merge = (
  repository: GitHubRepository,
  record: PullRequestRecord,
  message: string,
  decidedAt?: DateTime.Utc
) =>
  Effect.gen(function* () {
    const number = yield* numberOf(repository, record)
    const [title = "", ...rest] = message.split("\n")
    const body = {
      sha: record.head,
      merge_method: yield* methodOf(repository),
      commit_title: title,
      commit_message: rest.join("\n").trim()
    }
    const first = yield* Effect.map(repository.ask("PUT", `/pulls/${number}/merge`, body), verdictOf).pipe(
      Effect.catchAll(({ reason }) => Effect.succeed<MergeVerdict>({ type: "look", reason }))
    )
    const verdict = first.type === "look" ? yield* look(repository, number, record.head, first.reason) : first
    switch (verdict.type) {
      case "merged":
        return CommitId.make(verdict.commit)
      case "moved":
        return yield* new BranchMoved({
          branch: record.branch,
          expected: record.head,
          found: yield* branchHead(repository, record.branch)
        })
      case "queue":
        return yield* mergeByQueue(repository, number, record, decidedAt)
      case "conflict":
        return yield* new MergeConflict({ base: record.base, files: [] })
      case "blocked":
        return yield* new MergeBlocked({ rule: verdict.rule })
      case "refused":
        return yield* new HostFailed({ reason: `${repository.shown}#${number}: ${verdict.reason}`, isFinal: true })
      default:
        return yield* new HostFailed({ reason: `${repository.shown}#${number}: ${verdict.reason}`, isFinal: false })
    }
  })
