import { Clock, Duration, Effect, Schema } from "effect"
import type { HostFailed } from "../../application/ports/codehost/CodeHost.ts"
import { type Project, type Tracker, TrackerFailed } from "../../application/ports/tracker/Trackers.ts"
import type { Connection } from "../../domain/connection/Connection.ts"
import type { IssueRef } from "../../domain/tracker/TrackerIssue.ts"
import * as ContentBudget from "./ContentBudget.ts"
import { type Access, type GitHubClient, refused } from "./GitHubClient.ts"
import { decoded, type GitHubRepository, repositoryAt } from "./GitHubRepository.ts"
import { page } from "./IssuePages.ts"
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

const inspect = (client: GitHubClient, repository: GitHubRepository) =>
  Effect.gen(function* () {
    const { full_name, has_issues, html_url } = yield* repository.read("", Repository)
    const tested = yield* TestConnection.test(client, repository.access, [html_url])
    const missing = tested.problem === null ? (tested.missing ?? []).filter(isForIssues) : [tested.problem]
    const isRefused = missing.length > 0 || !has_issues
    return {
      project: full_name,
      url: html_url,
      labels: isRefused ? [] : yield* labelsOf(repository),
      statuses: [],
      missing: has_issues ? missing : [...missing, `${full_name}: issues are switched off in its settings`]
    }
  })

/** Issues of repositories on GitHub. The secrets of a connection are opened for each use. */
export const make = (
  client: GitHubClient,
  opened: (connection: Connection) => Effect.Effect<Access, HostFailed>
): Tracker => {
  const own = OwnAccount.make(client)
  const personOf = Permission.make(own)
  const spend = ContentBudget.make()

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
  const spending = ({ access }: GitHubRepository) => spend(access.connection.id)

  return {
    platform: "github",
    pace,
    own: (where) => at(where, ({ access }) => own(access)),
    inspect: (where) => at(where, (repository) => inspect(client, repository)),
    page: (where, request) => at(where, (repository) => page(repository, request)),
    get: (where, issue) => atIssue(where, issue, WriteIssue.get),
    trail: (where, issue, marks) =>
      atIssue(where, issue, (repository, number) => trail(repository, personOf, number, marks)),
    find: (where, marker, since) =>
      at(where, (repository) =>
        Effect.flatMap(ownOf(repository), (name) => WriteIssue.find(repository, name, marker, since))
      ),
    create: (where, issue) => at(where, (repository) => WriteIssue.create(repository, spending(repository), issue)),
    update: (where, issue, change) =>
      atIssue(where, issue, (repository, number) =>
        WriteIssue.update(repository, spending(repository), number, change)
      ),
    comment: (where, issue, wanted) =>
      atIssue(where, issue, (repository, number) =>
        Effect.flatMap(ownOf(repository), (name) =>
          WriteIssue.comment(repository, spending(repository), name, number, wanted)
        )
      )
  }
}
