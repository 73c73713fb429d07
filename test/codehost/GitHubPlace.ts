import { Clock, Duration, Effect, Redacted, TestClock } from "effect"
import { readFileSync } from "node:fs"
import { request } from "node:https"
import { join } from "node:path"
import * as GitHubClient from "../../adapters/github/GitHubClient.ts"
import * as GitHubCodeHost from "../../adapters/github/GitHubCodeHost.ts"
import * as GitHubTracker from "../../adapters/github/GitHubTracker.ts"
import * as OutgoingHttp from "../../adapters/outgoing/OutgoingHttp.ts"
import * as AllowedAddresses from "../../adapters/outgoing/AllowedAddresses.ts"
import { Connection, type ConnectionId } from "../../domain/connection/Connection.ts"
import { before } from "../domain/Sample.ts"
import { startGitHub } from "../github/GitHubServer.ts"
import { addApp, addPersonalToken, addRepository, install } from "../github/World.ts"
import { lines, repositoryAt } from "./Repositories.ts"

const loopback = AllowedAddresses.parseRange("127.0.0.0/8")

const folder = join(import.meta.dirname, "../runner/fixtures")
const secured = {
  key: readFileSync(join(folder, "localhost.key"), "utf8"),
  cert: readFileSync(join(folder, "localhost.pem"), "utf8")
}

/** Requests to this machine, through the guard of the service, which trusts the certificate of the tests. */
export const outgoing = OutgoingHttp.make({
  allowed: loopback._tag === "Some" ? [loopback.value] : [],
  isHttpAllowed: false,
  lookup: async () => [{ address: "127.0.0.1" }],
  connect: (options, answer) => request({ ...options, ca: secured.cert }, answer)
})

export const permissions = {
  metadata: "read",
  contents: "write",
  pull_requests: "write",
  issues: "write",
  checks: "write",
  statuses: "write",
  organization_projects: "write"
} as const

/** Moves the clock to the present, since the server checks the time of tokens. */
export const present = (skew = 0) =>
  Effect.flatMap(Clock.make().currentTimeMillis, (now) => TestClock.setTime(now + skew))

/** As many calls as one likes. */
export const unlimited = () => Effect.succeed(Duration.zero)

/** A GitHub with the repository acme/pay, and a connection to it by a token or an App. */
export const gitHub = (way: "token" | "app" = "app") =>
  Effect.gen(function* () {
    const server = yield* Effect.acquireRelease(
      Effect.promise(() => startGitHub({ secured })),
      (started) => Effect.promise(() => started.close())
    )
    const { world } = server
    const kept = yield* Effect.promise(() => addRepository(world, "acme", "pay"))
    kept.collaborators.set("gatehouse-bot", "write")
    const repository = repositoryAt(kept.path)
    repository.commit("main", { "fees.txt": lines(), "README.md": "Pay\n" }, { message: "Fees" })
    const manifest = { name: "Gatehouse", owner: "acme", permissions, events: [], hookUrl: null }
    const app = addApp(world, manifest, "s3cret")
    const installed = install(world, app, "acme", [kept])
    const secret = way === "app" ? app.pem : addPersonalToken(world, "gatehouse-bot", permissions, [kept]).value
    const connection = new Connection({
      id: "00000000-0000-4000-8000-000000000001" as ConnectionId,
      name: "github",
      kind: "github",
      way,
      baseUrl: server.origin,
      token: "t".repeat(32),
      installation: way === "app" ? { app: app.clientId, installation: installed.id } : null,
      credentials: "",
      trouble: null,
      missing: [],
      testedAt: null,
      createdAt: before,
      removedAt: null
    })
    const client = GitHubClient.make(outgoing)
    const access = {
      connection,
      credentials: { secret: Redacted.make(secret), webhookSecret: Redacted.make("s3cret") }
    }
    const tracker = GitHubTracker.make(client, () => Effect.succeed(access), unlimited)
    const host = GitHubCodeHost.make(client, connection, Effect.succeed(access))
    const person = addPersonalToken(world, "ana").value
    kept.collaborators.set("ana", "admin")
    /** Ana, a person, does something on GitHub. */
    const ana = (method: "GET" | "POST" | "PUT" | "PATCH", path: string, body?: unknown) =>
      outgoing
        .send({
          method,
          url: `${server.api}/repos/acme/pay${path}`,
          headers: { authorization: `Bearer ${person}`, "user-agent": "ana", "content-type": "application/json" },
          ...(body !== undefined && { body: JSON.stringify(body) })
        })
        .pipe(
          Effect.orDie,
          Effect.filterOrDieMessage(({ status }) => status < 300, `Ana could not ${method} ${path}`),
          Effect.map((response) => (response.body === "" ? null : JSON.parse(response.body)) as unknown)
        )
    return { server, kept, repository, client, access, host, tracker, ana, address: `${server.origin}/acme/pay` }
  })
