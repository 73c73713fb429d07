import { DateTime, Effect, Redacted, Schema } from "effect"
import * as Manifest from "../../domain/connection/AppManifest.ts"
import { ConnectionName, InvalidConnection } from "../../domain/connection/Connection.ts"
import { WebAddress, withoutSlashes } from "../../domain/value/Text.ts"
import { Timestamp } from "../../domain/value/Timestamp.ts"
import { draw } from "../../domain/workspace/ApiToken.ts"
import type { SessionId } from "../../domain/workspace/Session.ts"
import { ConnectedSystems } from "../ports/connection/ConnectedSystems.ts"
import { Sealing } from "../secrets/Sealing.ts"
import { permit, type Person } from "../workspace/Authorization.ts"
import * as DeniedTarget from "../workspace/DeniedTarget.ts"
import * as Connections from "./Connections.ts"

/** A browser that is about to create an App; only it can come back with the code. */
export type Creator = Person & { readonly session: SessionId }

const State = Schema.parseJson(
  Schema.Struct({ name: ConnectionName, baseUrl: WebAddress, token: Schema.String, until: Timestamp })
)
const encode = Schema.encodeSync(State)
const decode = Schema.decodeUnknown(State)

/** GitHub keeps the code for an hour. */
const minutes = 60

const about = ({ session, workspace }: Creator) => `app manifest of ${session} in ${workspace}`

const permitted = (creator: Creator, name: string) =>
  permit(creator, "connection create", Effect.succeed(DeniedTarget.named("connection", name)))

/** Prepares the form by which a browser has GitHub create an App. */
export const begin = Effect.fn("AppManifest.begin")(function* (
  creator: Creator,
  input: {
    readonly origin: string
    readonly name: string
    readonly baseUrl: string
    readonly organisation: string
  }
) {
  yield* permitted(creator, input.name)
  const token = Redacted.value(yield* draw).slice(3)
  const baseUrl = withoutSlashes(input.baseUrl)
  const until = DateTime.add(yield* DateTime.now, { minutes })
  const text = encode({ name: input.name, baseUrl, token, until })
  const state = yield* (yield* Sealing).seal(Redacted.make(text), about(creator))
  return {
    action: Manifest.creationPage(baseUrl, input.organisation, state),
    manifest: JSON.stringify(Manifest.manifestOf({ origin: input.origin, workspace: creator.workspaceSlug, token }))
  }
})

const stale = () =>
  new InvalidConnection({
    field: "The App",
    problem: "was not created from this browser within the last hour. Begin again"
  })

/** Takes the App that GitHub created for this browser; it is not installed yet. */
export const finish = Effect.fn("AppManifest.finish")(function* (
  creator: Creator,
  { code, state }: { readonly code: string; readonly state: string }
) {
  yield* permitted(creator, "github")
  const opened = yield* Effect.mapError((yield* Sealing).open(state, about(creator)), stale)
  const { baseUrl, name, token, until } = yield* Effect.mapError(decode(Redacted.value(opened)), stale)
  if (DateTime.lessThan(until, yield* DateTime.now) || !/^[A-Za-z0-9]{1,100}$/.test(code)) return yield* stale()
  const { convert } = yield* ConnectedSystems
  const { app, page, secret, webhookSecret } = yield* Effect.mapError(
    convert(baseUrl, code),
    ({ message }) => new InvalidConnection({ field: "GitHub", problem: `gave no App: ${message}` })
  )
  const created = yield* Connections.create(creator, {
    name,
    kind: "github",
    baseUrl,
    token,
    secret,
    installation: { app, installation: null },
    webhookSecret
  })
  return { ...created, page }
})
