import { Effect, Schema } from "effect"
import type { HostFailed } from "../../application/ports/codehost/CodeHost.ts"
import { boundedCache } from "../../domain/value/BoundedCache.ts"
import { type Access, type GitHubClient, refused } from "./GitHubClient.ts"
import { decoded } from "./GitHubRepository.ts"

const App = Schema.Struct({ slug: Schema.String })
const User = Schema.Struct({ login: Schema.String })

/** The account that a connection acts as: a person, or the bot of its App. */
export const make = (client: GitHubClient) => {
  const known = boundedCache<string, string>()
  return (access: Access): Effect.Effect<string, HostFailed> =>
    Effect.gen(function* () {
      const { id, installation } = access.connection
      const name = known.get(id)
      if (name !== undefined) return name
      if (installation !== null) {
        const answer = yield* client.callAsApp(access, { method: "GET", path: "/app" })
        if (answer.status !== 200) return yield* refused(answer, "The App")
        return known.set(id, `${(yield* decoded(answer, App, "The App")).slug}[bot]`)
      }
      const answer = yield* client.call(access, { method: "GET", path: "/user", repository: null })
      if (answer.status !== 200) return yield* refused(answer, "The token")
      return known.set(id, (yield* decoded(answer, User, "The token")).login)
    })
}

export type OwnAccount = ReturnType<typeof make>
