import { type DateTime, Effect, Schema } from "effect"
import { HostFailed } from "../../application/ports/codehost/CodeHost.ts"
import type { Gone, NewIssue, OwnComment, TrackerFailed } from "../../application/ports/tracker/Trackers.ts"
import type { IssueChange } from "../../domain/tracker/IssueChange.ts"
import type { Board } from "../../domain/tracker/Mapping.ts"
import type { IssueSnapshot } from "../../domain/tracker/TrackerIssue.ts"
import { cut } from "../../domain/value/Text.ts"
import { type Answer, refused } from "./GitHubClient.ts"
import { decoded, type GitHubRepository } from "./GitHubRepository.ts"
import { setStatus } from "./IssueBoard.ts"
import { Comment, Issue, isPullRequest, Repository, snapshotOf } from "./IssueShape.ts"

/** GitHub refuses a longer title. */
const longestTitle = 256

/** Charges a call that creates content. */
export type Spend = Effect.Effect<void, TrackerFailed>

/** Reads an issue. One that is missing is gone only if the repository itself can be read. */
export const get = (repository: GitHubRepository, number: number): Effect.Effect<IssueSnapshot | Gone, HostFailed> =>
  Effect.gen(function* () {
    const answer = yield* repository.ask("GET", `/issues/${number}`)
    if (answer.status === 200) {
      const issue = yield* decoded(answer, Issue, repository.shown)
      return isPullRequest(issue) ? { gone: "deleted" } : snapshotOf(repository.shown, issue)
    }
    return yield* goneBy(repository, answer)
  })

const goneBy = (repository: GitHubRepository, answer: Answer): Effect.Effect<Gone, HostFailed> =>
  Effect.gen(function* () {
    const { location, status } = answer
    if (status !== 301 && status !== 404 && status !== 410) return yield* refused(answer, repository.shown)
    const seen = yield* repository.ask("GET", "")
    if (seen.status === 301)
      return yield* new HostFailed({
        reason: `${repository.shown} was renamed or moved on GitHub. Bind the team to its new name.`,
        isFinal: false
      })
    if (seen.status !== 200) return yield* refused(seen, repository.shown)
    const { has_issues } = yield* decoded(seen, Repository, repository.shown)
    if (!has_issues)
      return yield* new HostFailed({
        reason: `${repository.shown} has no issues. Switch them on in the settings of the repository.`,
        isFinal: false
      })
    if (status !== 301) return { gone: "deleted" }
    return { gone: location?.includes("/discussions/") === true ? "converted" : "transferred" }
  })

/** The issue that the service itself opened with a marker. */
export const find = (
  repository: GitHubRepository,
  own: string,
  marker: string,
  since: DateTime.Utc
): Effect.Effect<IssueSnapshot | null, HostFailed> =>
  Effect.gen(function* () {
    for (let page = 1; ; page++) {
      // The index of the search is late, and so is not asked.
      const path = `/issues?state=all&sort=created&direction=desc&per_page=50&page=${page}`
      const answer = yield* repository.ask("GET", path)
      if (answer.status !== 200) return yield* refused(answer, repository.shown)
      const issues = yield* decoded(answer, Schema.Array(Issue), repository.shown)
      const found = issues.find(({ body, user }) => user?.login === own && body?.includes(marker) === true)
      if (found !== undefined) return snapshotOf(repository.shown, found)
      const last = issues.at(-1)
      if (!answer.hasNext || last === undefined || last.created_at.epochMillis < since.epochMillis) return null
    }
  })

export const create = (repository: GitHubRepository, spend: Spend, { body, labels, title }: NewIssue) =>
  Effect.gen(function* () {
    yield* spend
    const wanted = { title: cut(title, longestTitle), body, labels }
    return snapshotOf(repository.shown, yield* repository.write("POST", "/issues", wanted, Issue))
  })

/** True for what GitHub would refuse again, such as a change in an archived repository. */
const isInVain = ({ status, waitSeconds }: Answer) => status === 422 || (status === 403 && waitSeconds === null)

/** A call that changes an issue; a label or an issue that is missing already is no error. */
const changed = (
  repository: GitHubRepository,
  spend: Spend,
  method: "POST" | "PATCH" | "DELETE",
  path: string,
  body?: unknown
) =>
  Effect.gen(function* () {
    yield* spend
    const answer = yield* repository.ask(method, path, body)
    const isFine = answer.status < 300 || [301, 404, 410].includes(answer.status)
    if (!isFine) return yield* refused(answer, repository.shown, isInVain(answer))
  })

/** Only labels, status and state that differ are written, one by one: labels that somebody adds meanwhile stay. */
export const update = (
  repository: GitHubRepository,
  spend: Spend,
  number: number,
  change: IssueChange,
  board: Board | undefined
) =>
  Effect.gen(function* () {
    const before = yield* get(repository, number)
    if ("gone" in before) return before
    const has = (name: string) => before.labels.some((label) => label.toLowerCase() === name.toLowerCase())
    const labels = change.addLabels.filter((name) => !has(name))
    const at = `/issues/${number}`
    if (labels.length > 0) yield* changed(repository, spend, "POST", `${at}/labels`, { labels })
    for (const name of change.removeLabels.filter(has))
      yield* changed(repository, spend, "DELETE", `${at}/labels/${encodeURIComponent(name)}`)
    const { closed, status } = change
    if (board !== undefined && status !== undefined) yield* setStatus(repository, spend, board, number, status)
    if (closed !== undefined && closed !== before.closed) {
      const state = closed === null ? { state: "open" } : { state: "closed", state_reason: closed }
      yield* changed(repository, spend, "PATCH", at, state)
    }
    return yield* get(repository, number)
  })

/** Our comment with a marker; a comment of somebody else with the same text is not ours. */
const commentWith = (repository: GitHubRepository, number: number, own: string, marker: string) =>
  Effect.gen(function* () {
    for (let page = 1; ; page++) {
      const answer = yield* repository.ask("GET", `/issues/${number}/comments?per_page=100&page=${page}`)
      if (answer.status !== 200) return yield* goneBy(repository, answer)
      const comments = yield* decoded(answer, Schema.Array(Comment), repository.shown)
      const found = comments.find(({ body, user }) => user?.login === own && body.includes(marker))
      if (found !== undefined || !answer.hasNext) return found ?? null
    }
  })

const commentAt = (repository: GitHubRepository, own: string, id: string) =>
  Effect.map(repository.find(`/issues/comments/${encodeURIComponent(id)}`, Comment), (found) =>
    found?.user?.login === own ? found : null
  )

export const comment = (
  repository: GitHubRepository,
  spend: Spend,
  own: string,
  number: number,
  { body, id, marker }: OwnComment
): Effect.Effect<string | Gone, HostFailed | TrackerFailed> =>
  Effect.gen(function* () {
    const known =
      (id === null ? null : yield* commentAt(repository, own, id)) ??
      (yield* commentWith(repository, number, own, marker))
    if (known !== null && "gone" in known) return known
    if (known?.body === body) return String(known.id)
    yield* spend
    if (known !== null)
      return String((yield* repository.write("PATCH", `/issues/comments/${known.id}`, { body }, Comment)).id)
    const answer = yield* repository.ask("POST", `/issues/${number}/comments`, { body })
    if ([301, 404, 410].includes(answer.status)) return yield* goneBy(repository, answer)
    if (answer.status !== 201) return yield* refused(answer, repository.shown, isInVain(answer))
    return String((yield* decoded(answer, Comment, repository.shown)).id)
  })
