import { DateTime, Effect, Layer } from "effect"
import * as Connections from "../../application/codehost/Connections.ts"
import { ConnectedHosts, HostFailed } from "../../application/ports/codehost/CodeHost.ts"
import { ConnectedSystems, type Systems } from "../../application/ports/connection/ConnectedSystems.ts"
import { ConnectionStore } from "../../application/ports/connection/ConnectionStore.ts"
import { TrackerStore } from "../../application/ports/tracker/TrackerStore.ts"
import { Trackers } from "../../application/ports/tracker/Trackers.ts"
import { Outgoing } from "../../application/ports/Outgoing.ts"
import { Sealing } from "../../application/secrets/Sealing.ts"
import { type Connection, repositoryOn } from "../../domain/connection/Connection.ts"
import * as GitHubClient from "./GitHubClient.ts"
import * as GitHubCodeHost from "./GitHubCodeHost.ts"
import * as GitHubTracker from "./GitHubTracker.ts"
import * as TestConnection from "./TestConnection.ts"

/** Permissions of the credential of a lease: it pushes to one repository and does nothing else. */
const pushing = { contents: "write", metadata: "read" }

const services = Effect.gen(function* () {
  const client = GitHubClient.make(yield* Outgoing)
  const store = yield* ConnectionStore
  const { spend } = yield* TrackerStore
  const sealing = yield* Sealing
  const opened = (connection: Connection): Effect.Effect<GitHubClient.Access, HostFailed> =>
    Connections.open(connection).pipe(
      Effect.provideService(Sealing, sealing),
      Effect.map((credentials) => ({ connection, credentials })),
      Effect.mapError(({ message }) => new HostFailed({ reason: message, isFinal: false }))
    )
  const hosts: ConnectedHosts["Type"] = (workspace) =>
    Effect.map(store.list(workspace), (connections) =>
      connections.map((connection) => GitHubCodeHost.make(client, connection, opened(connection)))
    )
  const systems: Systems = {
    test: (connection, repositories) =>
      opened(connection).pipe(
        Effect.flatMap((access) => TestConnection.test(client, access, repositories)),
        Effect.catchAll(({ reason }) => Effect.succeed({ problem: reason }))
      ),
    convert: client.convert,
    gitCredential: (workspace, repository) =>
      Effect.gen(function* () {
        for (const connection of yield* store.list(workspace)) {
          const of = repositoryOn(connection.baseUrl, repository)
          // A person's token reaches more than one repository, so it stays here.
          if (of === null || connection.installation === null) continue
          const access = yield* opened(connection)
          const { token, until } = yield* client.installationToken(access, of, pushing)
          return { token, until: DateTime.unsafeMake(until) }
        }
        return null
      }).pipe(Effect.orElseSucceed(() => null))
  }
  return { hosts, systems, tracker: GitHubTracker.make(client, opened, spend) }
})

/** Connections of the kind github. */
export const layer = Layer.unwrapEffect(
  Effect.map(services, ({ hosts, systems, tracker }) =>
    Layer.mergeAll(
      Layer.succeed(ConnectedHosts, hosts),
      Layer.succeed(ConnectedSystems, systems),
      Layer.succeed(Trackers, () => tracker)
    )
  )
)
