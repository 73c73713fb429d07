import { Effect, Schema } from "effect"
import { HostFailed } from "../../application/ports/codehost/CodeHost.ts"
import type { Request } from "../../application/ports/Outgoing.ts"
import { type BranchName, CommitId } from "../../domain/codehost/PullRequestRecord.ts"
import { type RepositoryName, repositoryOn } from "../../domain/connection/Connection.ts"
import { type Access, type Answer, type GitHubClient, refused } from "./GitHubClient.ts"

/** One repository behind a connection. */
export interface GitHubRepository {
  readonly access: Access
  readonly client: GitHubClient
  readonly of: RepositoryName
  /** Name for people, such as acme/pay. */
  readonly shown: string
  /** Calls below the repository, with any answer. */
  readonly ask: (
    method: Request["method"],
    path: string,
    body?: unknown,
    etag?: string | null
  ) => Effect.Effect<Answer, HostFailed>
  /** Reads below the repository; null for 404. */
  readonly find: <A, I>(path: string, schema: Schema.Schema<A, I>) => Effect.Effect<A | null, HostFailed>
  /** The same, which must be there. */
  readonly read: <A, I>(path: string, schema: Schema.Schema<A, I>) => Effect.Effect<A, HostFailed>
  /** Creates or changes something. */
  readonly write: <A, I>(
    method: Request["method"],
    path: string,
    body: unknown,
    schema: Schema.Schema<A, I>
  ) => Effect.Effect<A, HostFailed>
}

const unreadable = (what: string) =>
  new HostFailed({ reason: `${what}: the answer is not one that GitHub describes.`, isFinal: false })

export const decoded = <A, I>(answer: Answer, schema: Schema.Schema<A, I>, what: string) =>
  Effect.mapError(Schema.decodeUnknown(schema)(answer.body), () => unreadable(what))

const isFine = ({ status }: Answer) => status >= 200 && status < 300

/** Opens the repository at an address of the connection. */
export const repositoryAt = (
  access: Access,
  client: GitHubClient,
  address: string
): Effect.Effect<GitHubRepository, HostFailed> =>
  Effect.gen(function* () {
    const of = repositoryOn(access.connection.baseUrl, address)
    if (of === null)
      return yield* new HostFailed({
        reason: `${address} is not a repository of ${access.connection.baseUrl}.`,
        isFinal: false
      })
    const shown = `${of.owner}/${of.name}`
    const ask: GitHubRepository["ask"] = (method, path, body, etag) =>
      client.call(access, {
        method,
        path: `/repos/${of.owner}/${of.name}${path}`,
        body,
        repository: of,
        ...(etag !== undefined && { etag })
      })
    const find: GitHubRepository["find"] = (path, schema) =>
      Effect.gen(function* () {
        const answer = yield* ask("GET", path)
        if (answer.status === 404) return null
        return isFine(answer) ? yield* decoded(answer, schema, shown) : yield* refused(answer, shown)
      })
    const read: GitHubRepository["read"] = (path, schema) =>
      Effect.flatMap(find(path, schema), (found) =>
        found === null
          ? new HostFailed({
              reason: `${shown} or a part of it is missing on GitHub, or the connection ${access.connection.name} may not see it.`,
              isFinal: false
            })
          : Effect.succeed(found)
      )
    const write: GitHubRepository["write"] = (method, path, body, schema) =>
      Effect.flatMap(ask(method, path, body), (answer) =>
        isFine(answer) ? decoded(answer, schema, shown) : refused(answer, shown, answer.status === 422)
      )
    return { access, client, of, shown, ask, find, read, write }
  })

const Ref = Schema.Struct({ object: Schema.Struct({ sha: CommitId }) })

/** A branch in a path; its slashes stay. */
export const inPath = (name: string) => name.split("/").map(encodeURIComponent).join("/")

export const branchHead = (repository: GitHubRepository, branch: BranchName) =>
  Effect.map(repository.find(`/git/ref/heads/${inPath(branch)}`, Ref), (found) => found?.object.sha ?? null)

/** A commit as git keeps it. */
export const GitCommit = Schema.Struct({
  sha: CommitId,
  message: Schema.String,
  tree: Schema.Struct({ sha: CommitId }),
  parents: Schema.Array(Schema.Struct({ sha: CommitId }))
})

export const gitCommit = (repository: GitHubRepository, commit: CommitId) =>
  repository.find(`/git/commits/${commit}`, GitCommit)

/** The branch of a name, which is made when it is missing; false when it exists elsewhere. */
export const createBranch = (repository: GitHubRepository, branch: BranchName, head: CommitId) =>
  Effect.gen(function* () {
    const answer = yield* repository.ask("POST", "/git/refs", { ref: `refs/heads/${branch}`, sha: head })
    if (answer.status === 201) return true
    if (answer.status === 422) return (yield* branchHead(repository, branch)) === head
    return yield* refused(answer, repository.shown)
  })
