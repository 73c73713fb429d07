import { Clock, Duration, Effect, Schema } from "effect"
import type { HostFailed } from "../../application/ports/codehost/CodeHost.ts"
import type { TrackerStore } from "../../application/ports/tracker/TrackerStore.ts"
import { type Gone, type Project, type Tracker, TrackerFailed } from "../../application/ports/tracker/Trackers.ts"
import type { Connection } from "../../domain/connection/Connection.ts"
import type { Board } from "../../domain/tracker/Mapping.ts"
import type { IssueRef, IssueSnapshot } from "../../domain/tracker/TrackerIssue.ts"
import * as ContentBudget from "./ContentBudget.ts"
import { type Access, type GitHubClient, refused } from "./GitHubClient.ts"
import { decoded, type GitHubRepository, repositoryAt } from "./GitHubRepository.ts"
import * as IssueBoard from "./IssueBoard.ts"
import { count, page } from "./IssuePages.ts"
import { numberOf, Repository } from "./IssueShape.ts"
import { trail } from "./IssueTrail.ts"
import * as OwnAccount from "./OwnAccount.ts"
import * as Permission from "./Permission.ts"
import * as TestConnection from "./TestConnection.ts"
import * as WriteIssue from "./WriteIssue.ts"

/** A change is at most three calls that create content, of which GitHub allows 80 a minute. */
const pace = Duration.millis(2500)

/** Wait where GitHub names none. */
const usualWait = Duration.minutes(1)

const project = /^[A-Za-z0-9][A-Za-z0-9_-]*\/[A-Za-z0-9._-]+$/

const Labels = Schema.Array(Schema.Struct({ name: Schema.String }))

/** No repository has more labels that a mapping could name. */
const mostLabelPages = 10

const labelsOf = (repository: GitHubRepository) =>
  Effect.gen(function* () {
    const names: Array<string> = []
    for (let number = 1; number <= mostLabelPages; number++) {
      const answer = yield* repository.ask("GET", `/labels?per_page=100&page=${number}`)
      if (answer.status !== 200) return yield* refused(answer, repository.shown)
      names.push(...(yield* decoded(answer, Labels, repository.shown)).map(({ name }) => name))
      if (!answer.hasNext) break
    }
    return names
  })

/** True for permissions that a tracker needs. */
const isForIssues = (missing: string) => /(^|: )(issues|metadata): /.test(missing)

/** Statuses of the board, or the reason for which it cannot be used. */
const boardFacts = (repository: GitHubRepository, board: Board | undefined) =>
  board === undefined
    ? Effect.succeed({ statuses: [] })
    : IssueBoard.inspect(repository, board).pipe(
        Effect.map((statuses) => ({ statuses })),
        Effect.catchIf(
          ({ isWait }) => isWait !== true,
          ({ reason }) => Effect.succeed({ statuses: [], boardProblem: reason })
        )
      )

const inspect = (client: GitHubClient, repository: GitHubRepository, board: Board | undefined) =>
  Effect.gen(function* () {
    const { full_name, has_issues, html_url } = yield* repository.read("", Repository)
    const tested = yield* TestConnection.test(client, repository.access, [html_url])
    const missing = tested.problem === null ? (tested.missing ?? []).filter(isForIssues) : [tested.problem]
    const isRefused = missing.length > 0 || !has_issues
    return {
      project: full_name,
      url: html_url,
      labels: isRefused ? [] : yield* labelsOf(repository),
      ...(isRefused ? { statuses: [] } : yield* boardFacts(repository, board)),
      missing: has_issues ? missing : [...missing, `${full_name}: issues are switched off in its settings`]
    }
  })

/** Statuses on the board by the numbers of issues. */
const statusesOf = (repository: GitHubRepository, board: Board, numbers: ReadonlyArray<number>) =>
  Effect.map(
    IssueBoard.places(repository, board, numbers),
    ({ places }) => new Map([...places].map(([number, { status, statusSince }]) => [number, { status, statusSince }]))
  )

/** Issues with their status, which another interface of GitHub knows. */
const withStatuses = (
  repository: GitHubRepository,
  board: Board | undefined,
  issues: ReadonlyArray<IssueSnapshot>
): Effect.Effect<ReadonlyArray<IssueSnapshot>, HostFailed> => {
  const numbers = issues.flatMap(({ key }) => numberOf(key) ?? [])
  if (board === undefined || numbers.length === 0) return Effect.succeed(issues)
  return Effect.map(statusesOf(repository, board, numbers), (statuses) =>
    issues.map((issue) => ({ ...issue, ...statuses.get(numberOf(issue.key) ?? 0) }))
  )
}

/** An issue with its status, unless it is gone. */
const withStatus = (
  repository: GitHubRepository,
  board: Board | undefined,
  found: IssueSnapshot | Gone
): Effect.Effect<IssueSnapshot | Gone, HostFailed> =>
  "gone" in found
    ? Effect.succeed(found)
    : Effect.map(withStatuses(repository, board, [found]), ([issue = found]) => issue)

/** Issues of repositories on GitHub. The secrets of a connection are opened for each use. */
export const make = (
  client: GitHubClient,
  opened: (connection: Connection) => Effect.Effect<Access, HostFailed>,
  spend: TrackerStore["Type"]["spend"]
): Tracker => {
  const own = OwnAccount.make(client)
  const personOf = Permission.make(own)
  const spending = ContentBudget.make(spend)

  const failed = (access: Access | null, { isFinal, isWait, reason }: HostFailed) =>
    Effect.flatMap(Clock.currentTimeMillis, (now) => {
      const left = (access === null ? 0 : client.pausedUntil(access)) - now
      const wait = isWait ? (left > 0 ? Duration.millis(left) : usualWait) : null
      return new TrackerFailed({ reason, isFinal, wait })
    })

  const at = <A>(
    { connection, project: name }: Project,
    use: (repository: GitHubRepository) => Effect.Effect<A, HostFailed | TrackerFailed>
  ): Effect.Effect<A, TrackerFailed> =>
    Effect.gen(function* () {
      if (!project.test(name))
        return yield* new TrackerFailed({
          reason: `'${name}' is no repository of GitHub. Name it as owner/name.`,
          isFinal: true
        })
      const access = yield* Effect.catchAll(opened(connection), (error) => failed(null, error))
      const used = Effect.flatMap(repositoryAt(access, client, `${connection.baseUrl}/${name}`), use)
      return yield* Effect.catchTag(used, "HostFailed", (error) => failed(access, error))
    })

  const atIssue = <A>(
    where: Project,
    { key }: IssueRef,
    use: (repository: GitHubRepository, number: number) => Effect.Effect<A, HostFailed | TrackerFailed>
  ) =>
    at(where, (repository) => {
      const number = numberOf(key)
      return number === null
        ? new TrackerFailed({ reason: `'${key}' is no issue of GitHub, such as acme/pay#7.`, isFinal: true })
        : use(repository, number)
    })

  const ownOf = ({ access }: GitHubRepository) => own(access)

  return {
    platform: "github",
    pace,
    own: (where) => at(where, ({ access }) => own(access)),
    inspect: (where) => at(where, (repository) => inspect(client, repository, where.board)),
    page: (where, request) =>
      at(where, (repository) =>
        Effect.gen(function* () {
          const found = yield* page(repository, request)
          if (found === null) return null
          const total = request.isCounted === true ? yield* count(repository) : null
          return { ...found, total, issues: yield* withStatuses(repository, where.board, found.issues) }
        })
      ),
    get: (where, issue) =>
      atIssue(where, issue, (repository, number) =>
        Effect.flatMap(WriteIssue.get(repository, number), (found) => withStatus(repository, where.board, found))
      ),
    statuses: (where, issues) =>
      at(where, (repository) =>
        Effect.gen(function* () {
          const { board } = where
          if (board === undefined) return new Map(issues.map(({ id }) => [id, { status: null, statusSince: null }]))
          const numbers = issues.flatMap(({ key }) => numberOf(key) ?? [])
          const statuses = yield* statusesOf(repository, board, numbers)
          return new Map(
            issues.flatMap(({ id, key }) => {
              const status = statuses.get(numberOf(key) ?? 0)
              return status === undefined ? [] : [[id, status] as const]
            })
          )
        })
      ),
    trail: (where, issue, marks) =>
      atIssue(where, issue, (repository, number) => trail(repository, personOf, number, marks, where.board)),
    find: (where, marker, since) =>
      at(where, (repository) =>
        Effect.gen(function* () {
          const found = yield* WriteIssue.find(repository, yield* ownOf(repository), marker, since)
          const [issue = null] = yield* withStatuses(repository, where.board, found === null ? [] : [found])
          return issue
        })
      ),
    create: (where, issue) => at(where, (repository) => WriteIssue.create(repository, spending(where), issue)),
    update: (where, issue, change) =>
      atIssue(where, issue, (repository, number) =>
        Effect.gen(function* () {
          const found = yield* WriteIssue.update(repository, spending(where), number, change, where.board)
          const { status } = change
          // A status that was written is not read back: the answer may be older.
          if (status !== undefined && !("gone" in found)) return { ...found, status }
          return yield* withStatus(repository, where.board, found)
        })
      ),
    comment: (where, issue, wanted) =>
      atIssue(where, issue, (repository, number) =>
        Effect.flatMap(ownOf(repository), (name) =>
          WriteIssue.comment(repository, spending(where), name, number, wanted)
        )
      )
  }
}
