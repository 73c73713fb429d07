import { Clock, Effect, Schema } from "effect"
import type { HostFailed } from "../../application/ports/codehost/CodeHost.ts"
import type { IssuePerson } from "../../domain/tracker/TrackerIssue.ts"
import { boundedCache } from "../../domain/value/BoundedCache.ts"
import type { GitHubRepository } from "./GitHubRepository.ts"
import { ghost } from "./IssueShape.ts"
import type { OwnAccount } from "./OwnAccount.ts"

/** Who did something, as GraphQL names it; null for an account that was deleted. */
export const Actor = Schema.NullOr(Schema.Struct({ __typename: Schema.String, login: Schema.String }))
export type Actor = typeof Actor.Type

/** Triage counts as read here, maintain as write, and a role of the organisation as the one that it extends. */
const Permission = Schema.Struct({ permission: Schema.String })
const writing = new Set(["write", "maintain", "admin"])

/** Right of an account that is not asked for again, in milliseconds. */
const keptFor = 60_000

/** Knows whether accounts may write. Of bots only our own may: others act for anybody who opens an issue. */
export const make = (own: OwnAccount) => {
  const known = boundedCache<string, { readonly mayWrite: boolean; readonly until: number }>(5000)

  const asked = (repository: GitHubRepository, login: string) =>
    Effect.map(
      repository.find(`/collaborators/${encodeURIComponent(login)}/permission`, Permission),
      (found) => found !== null && writing.has(found.permission)
    )

  return (repository: GitHubRepository, actor: Actor): Effect.Effect<IssuePerson, HostFailed> =>
    Effect.gen(function* () {
      if (actor === null) return { name: ghost, mayWrite: false }
      if (actor.__typename === "Bot") {
        const name = `${actor.login}[bot]`
        const isOwn = name === (yield* own(repository.access))
        return { name, mayWrite: isOwn, ...(isOwn && { isOwn }) }
      }
      if (actor.__typename !== "User") return { name: actor.login, mayWrite: false }
      const isOwn =
        repository.access.connection.installation === null && actor.login === (yield* own(repository.access))
      const person = (mayWrite: boolean) => ({ name: actor.login, mayWrite, ...(isOwn && { isOwn }) })
      const now = yield* Clock.currentTimeMillis
      const key = `${repository.access.connection.id} ${repository.shown} ${actor.login}`.toLowerCase()
      const last = known.get(key)
      if (last !== undefined && last.until > now) return person(last.mayWrite)
      const mayWrite = yield* asked(repository, actor.login)
      known.set(key, { mayWrite, until: now + keptFor })
      return person(mayWrite)
    })
}

export type PersonOf = ReturnType<typeof make>
