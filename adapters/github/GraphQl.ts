import { Effect, Schema } from "effect"
import { HostFailed } from "../../application/ports/codehost/CodeHost.ts"
import { refused } from "./GitHubClient.ts"
import { decoded, type GitHubRepository } from "./GitHubRepository.ts"

const Problem = Schema.Struct({
  type: Schema.optional(Schema.String),
  message: Schema.String,
  path: Schema.optional(Schema.NullOr(Schema.Array(Schema.Union(Schema.String, Schema.Number))))
})
export type Problem = typeof Problem.Type

/** An answer of the GraphQL API: parts that it refused are null in the data and named among the problems. */
export interface GraphAnswer<A> {
  readonly data: A | null
  readonly problems: ReadonlyArray<Problem>
  /** Time of the host, in milliseconds; null when it names none. */
  readonly time: number | null
}

/** A problem as a failure that may be tried again. */
export const problemOf = (what: string, { message, type }: Problem, isFinal = false) =>
  new HostFailed({ reason: `${what}: ${message}`, isFinal, isWait: type === "RATE_LIMITED" })

/** Sends a document about a repository. A limit of the API is a failure; other problems are returned. */
export const ask = <A, I>(
  repository: GitHubRepository,
  query: string,
  variables: Readonly<Record<string, unknown>>,
  data: Schema.Schema<A, I>
): Effect.Effect<GraphAnswer<A>, HostFailed> =>
  Effect.gen(function* () {
    const { access, client, of, shown } = repository
    const answer = yield* client.call(access, {
      method: "POST",
      path: "graphql",
      repository: of,
      body: { query, variables }
    })
    if (answer.status !== 200) return yield* refused(answer, shown)
    const whole = Schema.Struct({
      data: Schema.optional(Schema.NullOr(data)),
      errors: Schema.optional(Schema.Array(Problem))
    })
    const found = yield* decoded(answer, whole, shown)
    const problems = found.errors ?? []
    const limit = problems.find(({ type }) => type === "RATE_LIMITED")
    if (limit !== undefined) return yield* problemOf(shown, limit)
    return { data: found.data ?? null, problems, time: answer.time }
  })
