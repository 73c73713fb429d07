import { Clock, Effect, Schema } from "effect"
import type { HostFailed } from "../../application/ports/codehost/CodeHost.ts"
import { boundedCache } from "../../domain/value/BoundedCache.ts"
import { type Access, type GitHubClient, refused } from "./GitHubClient.ts"
import { decoded } from "./GitHubRepository.ts"

const App = Schema.Struct({ slug: Schema.String })
const User = Schema.Struct({ login: Schema.String })

/** Time for which a name is not asked for again, in milliseconds: accounts are renamed. */
const keptFor = 3_600_000

/** The account that a connection acts as: a person, or the bot of its App. */
export const make = (client: GitHubClient) => {
  const known = boundedCache<string, { readonly name: string; readonly until: number }>()

  const asked = (access: Access) =>
    Effect.gen(function* () {
      if (access.connection.installation !== null) {
        const answer = yield* client.callAsApp(access, { method: "GET", path: "/app" })
        if (answer.status !== 200) return yield* refused(answer, "The App")
        return `${(yield* decoded(answer, App, "The App")).slug}[bot]`
      }
      const answer = yield* client.call(access, { method: "GET", path: "/user", repository: null })
      if (answer.status !== 200) return yield* refused(answer, "The token")
      return (yield* decoded(answer, User, "The token")).login
    })

  return (access: Access): Effect.Effect<string, HostFailed> =>
    Effect.gen(function* () {
      // A renewed token may be another account's.
      const key = `${access.connection.id} ${access.connection.credentials}`
      const now = yield* Clock.currentTimeMillis
      const last = known.get(key)
      if (last !== undefined && last.until > now) return last.name
      const name = yield* asked(access)
      known.set(key, { name, until: now + keptFor })
      return name
    })
}

export type OwnAccount = ReturnType<typeof make>
