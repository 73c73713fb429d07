import { Effect, Either, Redacted, Schema } from "effect"
import * as Connections from "../../../../application/codehost/Connections.ts"
import type { AuditLog } from "../../../../application/ports/AuditLog.ts"
import type { ConnectionStore } from "../../../../application/ports/connection/ConnectionStore.ts"
import type { JobStore } from "../../../../application/ports/JobStore.ts"
import type { TeamStore } from "../../../../application/ports/TeamStore.ts"
import type { TrackerStore } from "../../../../application/ports/tracker/TrackerStore.ts"
import type { Sealing } from "../../../../application/secrets/Sealing.ts"
import { permit } from "../../../../application/workspace/Authorization.ts"
import * as DeniedTarget from "../../../../application/workspace/DeniedTarget.ts"
import { ConnectionName, githubAddress } from "../../../../domain/connection/Connection.ts"
import { Line, WebAddress } from "../../../../domain/value/Text.ts"
import { type Filled, unfilled as noValues } from "../components/Form.tsx"
import type { Page, View, Visit } from "../Page.ts"
import { redirect } from "../Render.tsx"
import { may } from "../Rights.ts"
import { ConnectionsPage, RemoveConnectionPage, RenewPage, type Shown } from "./ConnectionViews.tsx"

const unfilled: Filled = { values: { name: "github", baseUrl: githubAddress }, errors: {} }

const page = (visit: Visit, more: Partial<Pick<Shown, "filled" | "created">> = {}, status = 200) =>
  Effect.map(Connections.list(visit.person), (connections): View => {
    const { base, origin, person } = visit
    const isAdmin = may(person, "connection create")
    const shown = { base, origin, connections, isAdmin, filled: unfilled, created: null, ...more }
    return { title: "Connections", section: "settings", status, body: <ConnectionsPage {...shown} /> }
  })

const NewConnection = Schema.Struct({ name: ConnectionName, baseUrl: WebAddress, token: Line(1000) })
const { fields } = NewConnection

const isWrong = <A, I>(schema: Schema.Schema<A, I>, value: unknown) =>
  Either.isLeft(Schema.decodeUnknownEither(schema)(value))

const create = (visit: Visit) =>
  Effect.gen(function* () {
    const { form, person } = visit
    const given = {
      name: form.get("name").trim(),
      baseUrl: form.get("baseUrl").trim(),
      token: form.get("token").trim()
    }
    // The token is a secret: it is not sent back to the page.
    const values = { name: given.name, baseUrl: given.baseUrl }
    const refuse = (errors: Filled["errors"], status: number) => page(visit, { filled: { values, errors } }, status)
    const asked = Schema.decodeUnknownEither(NewConnection)(given)
    if (Either.isLeft(asked)) {
      yield* permit(
        person,
        "connection create",
        Effect.succeed(DeniedTarget.named("connection", given.name || "connection"))
      )
      const errors = {
        ...(isWrong(fields.name, given.name) && { name: "Enter a name on one line, such as “github”." }),
        ...(isWrong(fields.baseUrl, given.baseUrl) && { baseUrl: "Enter an address: https://github.com" }),
        ...(isWrong(fields.token, given.token) && { token: "Paste the token that GitHub made." })
      }
      return yield* refuse(errors, 400)
    }
    const { baseUrl, name, token } = asked.right
    return yield* Connections.create(person, {
      name,
      kind: "github",
      baseUrl,
      secret: Redacted.make(token),
      installation: null,
      webhookSecret: null
    }).pipe(
      Effect.flatMap((created) => page(visit, { created })),
      Effect.map((view): View => ({ ...view, sentAgain: { done: "connection-added" } })),
      Effect.catchTags({
        ConnectionNameTaken: () => refuse({ name: "There is a connection of this name. Remove it first." }, 409),
        InvalidConnection: ({ problem }) => refuse({ baseUrl: `The address ${problem}.` }, 400)
      })
    )
  })

const found = (visit: Visit) => Connections.find(visit.person, visit.parameters["id"] ?? "")

const test = (visit: Visit) =>
  Effect.flatMap(found(visit), ({ id }) =>
    Effect.as(Connections.test(visit.person, id), redirect(`${visit.base}/settings/connections`, "connection-tested"))
  )

const renewView = (visit: Visit, filled: Filled, status = 200) =>
  Effect.map(found(visit), (connection): View => {
    const shown = { base: visit.base, isAdmin: may(visit.person, "connection renew"), connection, filled }
    return { title: `Renew ${connection.name}`, section: "settings", status, body: <RenewPage {...shown} /> }
  })

const renew = (visit: Visit) =>
  Effect.gen(function* () {
    const { base, form, person } = visit
    const { id, way } = yield* found(visit)
    yield* permit(person, "connection renew", Effect.succeed(DeniedTarget.named("connection", id)))
    const secret = form.get("secret").trim()
    const longest = way === "app" ? 20_000 : 1000
    if (secret === "" || secret.length > longest || (way === "token" && /\s/.test(secret)))
      return yield* renewView(
        visit,
        {
          values: {},
          errors: { secret: way === "app" ? "Paste the private key." : "Paste the token that GitHub made." }
        },
        400
      )
    yield* Connections.renew(person, id, { secret: Redacted.make(secret), way })
    yield* Connections.test(person, id)
    return redirect(`${base}/settings/connections`, "connection-renewed")
  })

const confirm = (visit: Visit) =>
  Effect.map(found(visit), (connection): View => {
    const isAdmin = may(visit.person, "connection remove")
    return {
      title: `Remove ${connection.name}?`,
      section: "settings",
      body: <RemoveConnectionPage base={visit.base} isAdmin={isAdmin} connection={connection} />
    }
  })

const remove = (visit: Visit) =>
  Effect.flatMap(found(visit), ({ id }) =>
    Effect.as(
      Connections.remove(visit.person, id),
      redirect(`${visit.base}/settings/connections`, "connection-removed")
    )
  )

type Needs = AuditLog | ConnectionStore | JobStore | Sealing | TeamStore | TrackerStore

export const pages: ReadonlyArray<Page<Needs>> = [
  { path: "settings/connections", get: (visit) => page(visit), post: create },
  { path: "settings/connections/:id/test", post: test },
  { path: "settings/connections/:id/renew", get: (visit) => renewView(visit, noValues), post: renew },
  { path: "settings/connections/:id/remove", get: confirm, post: remove }
]
