import { Effect } from "effect"
import * as Connections from "../../application/codehost/Connections.ts"
import { TrackerStore } from "../../application/ports/tracker/TrackerStore.ts"
import { gitHub } from "../codehost/GitHubPlace.ts"
import { bindTo } from "../codehost/LiveGitHub.ts"
import { certificate } from "../runner/GitServer.ts"
import { station } from "../support/Station.ts"
import * as People from "../support/People.ts"
import * as Seed from "../support/Seed.ts"
import { mapping, team } from "./Place.ts"

/** The GitHub of the tests, a database, and services that mirror the project acme/pay. */
export const mirrorStation = Effect.gen(function* () {
  const hub = yield* gitHub("app")
  const at = yield* Effect.acquireRelease(
    Effect.promise(() => station()),
    (one) => Effect.promise(() => one.close())
  )
  const settings = { DEMO: "off", NODE_EXTRA_CA_CERTS: certificate, OUTGOING_ALLOW: "127.0.0.0/8, ::1/128" }
  const serve = Effect.promise(() => at.serve(settings))
  /** A workspace whose team mirrors the project; it is paused, since texts wait for the end of a run. */
  const mirror = Effect.promise(() =>
    at.run(
      Effect.gen(function* () {
        const { id, slug } = yield* Seed.workspace
        yield* Seed.load(slug, { teams: [{ slug: team, name: "Payments", keyPrefix: "PAY", paused: true }] })
        const owner = yield* People.person(slug)
        yield* Connections.create(owner, {
          name: "tracker",
          kind: "github",
          baseUrl: hub.server.origin,
          secret: hub.access.credentials.secret,
          installation: hub.access.connection.installation,
          webhookSecret: null
        })
        yield* bindTo(id, owner, "tracker", mapping)
        return { id }
      })
    )
  )
  /** The state of a mirror. */
  const stateOf = ({ id }: Effect.Effect.Success<typeof mirror>) =>
    Effect.promise(() => at.run(Effect.flatMap(TrackerStore, (store) => store.list(id)))).pipe(
      Effect.flatMap(([state]) => Effect.orDie(Effect.fromNullable(state)))
    )
  const kill = ({ service }: Effect.Effect.Success<typeof serve>) =>
    Effect.promise(() => {
      service.signal("SIGKILL")
      return at.gone(service)
    })
  return { hub, at, serve, mirror, stateOf, kill }
})
