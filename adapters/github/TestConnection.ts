import { Effect, Schema } from "effect"
import { HostFailed } from "../../application/ports/codehost/CodeHost.ts"
import { permissions as needed } from "../../domain/connection/AppManifest.ts"
import { Connection } from "../../domain/connection/Connection.ts"
import { skipValidation } from "../../domain/value/SkipValidation.ts"
import type { Outcome } from "../../domain/connection/ChangeConnection.ts"
import { type Access, type Answer, type GitHubClient, refused } from "./GitHubClient.ts"
import { decoded, repositoryAt } from "./GitHubRepository.ts"

const Installation = Schema.Struct({
  id: Schema.Number,
  permissions: Schema.Record({ key: Schema.String, value: Schema.String }),
  suspended_at: Schema.NullOr(Schema.String)
})

const isEnough = (given: string | undefined, wanted: string) =>
  given === wanted || given === "write" || given === "admin"

const App = Schema.Struct({ html_url: Schema.String })

/** Number of the installation; of a new App, the first one that GitHub has. */
const installed = (client: GitHubClient, access: Access) =>
  Effect.gen(function* () {
    const known = access.connection.installation?.installation ?? null
    if (known !== null) return known
    const answer = yield* client.callAsApp(access, { method: "GET", path: "/app/installations?per_page=1" })
    if (answer.status !== 200) return yield* refused(answer, "The App")
    const [found] = yield* decoded(answer, Schema.Array(Installation), "The App")
    if (found !== undefined) return found.id
    const app = yield* decoded(yield* client.callAsApp(access, { method: "GET", path: "/app" }), App, "The App")
    return yield* new HostFailed({
      reason: `The App is not installed yet. Install it at ${app.html_url}/installations/new, then test again.`,
      isFinal: false
    })
  })

const ofApp = (client: GitHubClient, access: Access) =>
  Effect.gen(function* () {
    const number = yield* installed(client, access)
    const answer = yield* client.callAsApp(access, { method: "GET", path: `/app/installations/${number}` })
    if (answer.status !== 200) return yield* refused(answer, `The App's installation ${number}`)
    const { permissions, suspended_at } = yield* decoded(answer, Installation, `The installation ${number}`)
    if (suspended_at !== null)
      return yield* new HostFailed({ reason: `The App's installation ${number} is suspended.`, isFinal: false })
    const missing = Object.entries(needed).flatMap(([name, level]) =>
      isEnough(permissions[name], level) ? [] : [`${name}: ${level}`]
    )
    return { number, missing }
  })

const Repository = Schema.Struct({
  permissions: Schema.optional(Schema.Struct({ push: Schema.optional(Schema.Boolean) }))
})

/** A token does not name its permissions: reading shows some of them, and the right to push the rest. */
const probes = [
  ["/pulls?per_page=1", "pull_requests: write"],
  ["/issues?per_page=1", "issues: write"],
  ["/commits/HEAD/status?per_page=1", "statuses: write"],
  ["/commits/HEAD/check-runs?per_page=1", "checks: read"]
] as const

const isRefused = ({ status, waitSeconds }: Answer) => waitSeconds === null && (status === 403 || status === 404)

const inRepository = (client: GitHubClient, access: Access, address: string) =>
  Effect.gen(function* () {
    const repository = yield* repositoryAt(access, client, address)
    const seen = yield* repository.find("", Repository)
    if (seen === null) return [`${repository.shown}: metadata: read`]
    const missing: Array<string> = []
    // Installations are asked for their permissions; the answer names those of people alone.
    if (access.connection.installation === null) {
      if (seen.permissions?.push === false) missing.push(`${repository.shown}: contents: write`)
      for (const [path, permission] of probes)
        if (isRefused(yield* repository.ask("GET", path))) missing.push(`${repository.shown}: ${permission}`)
    }
    return missing
  })

const withInstallation = ({ connection, credentials }: Access, number: number): Access => {
  const { installation } = connection
  if (installation === null) return { connection, credentials }
  const found = { ...installation, installation: number }
  return { connection: new Connection({ ...connection, installation: found }, skipValidation), credentials }
}

/** Calls GitHub as the connection does, and names the permissions that it lacks. */
export const test = (client: GitHubClient, access: Access, repositories: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const isApp = access.connection.installation !== null
    if (!isApp) {
      const answer = yield* client.call(access, { method: "GET", path: "/user", repository: null })
      if (answer.status !== 200) return yield* refused(answer, "The token")
    }
    const app = isApp ? yield* ofApp(client, access) : null
    const at = app === null ? access : withInstallation(access, app.number)
    const found = yield* Effect.forEach(repositories, (address) => inRepository(client, at, address))
    const outcome: Outcome = {
      problem: null,
      missing: [...(app?.missing ?? []), ...found.flat()],
      ...(app && { installation: app.number })
    }
    return outcome
  }).pipe(Effect.catchAll(({ reason }) => Effect.succeed<Outcome>({ problem: reason })))
