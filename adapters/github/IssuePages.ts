import { DateTime, Effect, Schema } from "effect"
import { HostFailed } from "../../application/ports/codehost/CodeHost.ts"
import type { PageOfIssues, PageRequest } from "../../application/ports/tracker/Trackers.ts"
import { refused } from "./GitHubClient.ts"
import { decoded, type GitHubRepository } from "./GitHubRepository.ts"
import { ask } from "./GraphQl.ts"
import { isPullRequest, Issue, snapshotOf } from "./IssueShape.ts"

/** A time as GitHub writes it: whole seconds. */
const secondOf = (at: DateTime.Utc) => `${DateTime.formatIso(at).slice(0, 19)}Z`

/** Sizes of a page: a smaller one is asked for when an answer is too long. Each divides those before it. */
const sizes = [100, 20, 5, 1] as const

/**
 * A place among the issues by the time of their last change. Pages by number would skip an issue when one before it
 * changes and moves to the end, so the next page begins at the time at which this one ends. Numbers are used only for
 * more issues of one second than a page holds; `last` then shows whether one of them has left.
 */
const Cursor = Schema.parseJson(
  Schema.Struct({
    since: Schema.NullOr(Schema.String),
    page: Schema.Int,
    size: Schema.Literal(...sizes),
    last: Schema.NullOr(Schema.Number)
  })
)
type Cursor = typeof Cursor.Type

const decodeCursor = Schema.decodeUnknown(Cursor)
const encodeCursor = Schema.encodeSync(Cursor)

const smaller = (cursor: Cursor): Cursor | null => {
  const size = sizes.find((one) => one < cursor.size)
  return size === undefined ? null : { ...cursor, size, page: ((cursor.page - 1) * cursor.size) / size + 1 }
}

const pathOf = ({ page, since, size }: Cursor) =>
  `/issues?${new URLSearchParams({
    state: "all",
    sort: "updated",
    direction: "asc",
    per_page: String(size),
    page: String(page),
    ...(since !== null && { since })
  })}`

const Issues = Schema.Array(Issue)

interface Read {
  readonly cursor: Cursor
  readonly issues: ReadonlyArray<Issue>
  readonly hasNext: boolean
  readonly etag: string | null
}

/** Reads a page, in a smaller size if it is too long; null when it is still the one of the mark. */
const read = (
  repository: GitHubRepository,
  cursor: Cursor,
  etag: string | null
): Effect.Effect<Read | null, HostFailed> =>
  Effect.gen(function* () {
    const answer = yield* repository.ask("GET", pathOf(cursor), undefined, etag)
    if (answer.status === 304) return null
    if (answer.status === 301)
      return yield* new HostFailed({
        reason: `${repository.shown} was renamed or moved on GitHub. Bind the team to its new name.`,
        isFinal: false
      })
    if (answer.status !== 200) return yield* refused(answer, repository.shown)
    const next = answer.isCut ? smaller(cursor) : null
    if (next !== null) return yield* read(repository, next, null)
    const issues = yield* decoded(answer, Issues, repository.shown)
    return { cursor, issues, hasNext: answer.hasNext, etag: answer.etag }
  })

/** True when an issue of the page before has changed since that page was read, so that later ones moved up. */
const hasMoved = (repository: GitHubRepository, { last, ...cursor }: Cursor) =>
  Effect.gen(function* () {
    if (cursor.page === 1) return false
    const before = yield* read(repository, { ...cursor, page: cursor.page - 1, last: null }, null)
    return before?.issues.at(-1)?.id !== last
  })

const nextOf = ({ cursor, hasNext, issues }: Read, isMoved: boolean): Cursor | null => {
  const end = issues.at(-1)
  if (end === undefined) return isMoved ? { ...cursor, page: 1, last: null } : null
  const since = secondOf(end.updated_at)
  if (isMoved) return { ...cursor, page: 1, last: null }
  if (!hasNext) return null
  const isLater = cursor.since === null || DateTime.unsafeMake(cursor.since).epochMillis < end.updated_at.epochMillis
  return isLater ? { since, page: 1, size: sizes[0], last: null } : { ...cursor, page: cursor.page + 1, last: end.id }
}

/** Issues that changed since a time, oldest change first. */
export const page = (
  repository: GitHubRepository,
  request: PageRequest
): Effect.Effect<PageOfIssues | null, HostFailed> =>
  Effect.gen(function* () {
    const start: Cursor = {
      since: request.since === null ? null : secondOf(request.since),
      page: 1,
      size: sizes[0],
      last: null
    }
    const cursor =
      request.cursor === null
        ? start
        : yield* Effect.mapError(
            decodeCursor(request.cursor),
            () => new HostFailed({ reason: "The cursor is not one of this tracker.", isFinal: true })
          )
    const found = yield* read(repository, cursor, request.unless ?? null)
    if (found === null) return null
    const next = nextOf(found, yield* hasMoved(repository, found.cursor))
    return {
      issues: found.issues.filter((issue) => !isPullRequest(issue)).map((issue) => snapshotOf(repository.shown, issue)),
      next: next === null ? null : encodeCursor(next),
      until: found.issues.at(-1)?.updated_at ?? null,
      etag: next !== null || found.issues.length >= found.cursor.size ? null : found.etag
    }
  })

const countQuery = `query($owner: String!, $name: String!) {
  repository(owner: $owner, name: $name) { issues { totalCount } }
}`
const Count = Schema.Struct({
  repository: Schema.NullOr(Schema.Struct({ issues: Schema.Struct({ totalCount: Schema.Int }) }))
})

/** How many issues the repository has, open and closed; null when GitHub does not say. */
export const count = (repository: GitHubRepository): Effect.Effect<number | null> =>
  ask(repository, countQuery, { ...repository.of }, Count).pipe(
    Effect.map(({ data }) => data?.repository?.issues.totalCount ?? null),
    Effect.orElseSucceed(() => null)
  )
