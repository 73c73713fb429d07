import { Effect, Redacted } from "effect"
import * as AppManifest from "../../application/codehost/AppManifest.ts"
import * as Connections from "../../application/codehost/Connections.ts"
import { ConnectedSystems } from "../../application/ports/connection/ConnectedSystems.ts"
import type { SessionId } from "../../domain/workspace/Session.ts"
import { type Act, acts, newConnection } from "./house.ts"
import type { Row } from "./OnRecordRow.ts"

const changed = ["connection_changed connection"]

/** A system that creates the App of every code. */
const systems = {
  test: () => Effect.succeed({ problem: null }),
  convert: () =>
    Effect.succeed({
      app: "Iv23",
      secret: Redacted.make("key"),
      webhookSecret: null,
      page: "https://git.acme.test/apps/gatehouse/installations/new"
    }),
  gitCredential: () => Effect.succeed(null)
}

const session = "00000000-0000-4000-8000-000000000009" as SessionId
const asked = { origin: "https://gate.acme.test", name: "app", baseUrl: "https://git.acme.test", organisation: "acme" }

/** Creates an App, as the browser that begins or another one. */
const createdBy =
  (other: SessionId): Act =>
  (_, person) =>
    Effect.gen(function* () {
      const { action } = yield* AppManifest.begin({ ...person, session }, asked)
      const state = new URL(action).searchParams.get("state") ?? ""
      return yield* AppManifest.finish({ ...person, session: other }, { code: "abc", state })
    }).pipe(Effect.provideService(ConnectedSystems, systems))

/** Use cases of connections. */
export const connectionRows: Readonly<Record<string, Row>> = {
  "AppManifest.finish": {
    act: createdBy(session),
    entries: changed,
    refusals: { InvalidConnection: createdBy("00000000-0000-4000-8000-000000000008" as SessionId) }
  },
  "Connections.create": {
    act: acts["Connections.create"],
    entries: changed,
    refusals: {
      ConnectionNameTaken: (_, person) => Connections.create(person, { ...newConnection, name: "github" }),
      InvalidConnection: (_, person) => Connections.create(person, { ...newConnection, baseUrl: "ftp://acme.test" })
    }
  },
  "Connections.observe": {
    act: ({ connection, id }) => Connections.observe(id, connection.id, { problem: "Bad credentials" }),
    actor: "service",
    entries: changed
  },
  "Connections.renew": {
    act: acts["Connections.renew"],
    entries: changed,
    refusals: {
      ConnectionNotFound: (_, person) =>
        Connections.renew(person, "nobody", { secret: newConnection.secret, way: "token" }),
      InvalidConnection: (_, person) =>
        Connections.renew(person, "github", { secret: newConnection.secret, way: "app" })
    }
  },
  "Connections.remove": {
    act: acts["Connections.remove"],
    entries: changed,
    refusals: { ConnectionNotFound: (_, person) => Connections.remove(person, "nobody") }
  },
  "Connections.test": {
    act: acts["Connections.test"],
    entries: changed,
    refusals: { ConnectionNotFound: (_, person) => Connections.test(person, "nobody") }
  }
}
