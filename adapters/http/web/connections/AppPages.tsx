import { Effect, Either, Schema } from "effect"
import * as AppManifest from "../../../../application/codehost/AppManifest.ts"
import type { AuditLog } from "../../../../application/ports/AuditLog.ts"
import type { ConnectionStore } from "../../../../application/ports/connection/ConnectionStore.ts"
import type { JobStore } from "../../../../application/ports/JobStore.ts"
import type { Sealing } from "../../../../application/secrets/Sealing.ts"
import { ConnectionName, githubAddress } from "../../../../domain/connection/Connection.ts"
import { parseUrl, WebAddress } from "../../../../domain/value/Text.ts"
import type { Filled } from "../components/Form.tsx"
import type { Page, View, Visit } from "../Page.ts"
import { may } from "../Rights.ts"
import { AppPage, CreatedPage } from "./AppViews.tsx"

const creatorOf = ({ person, signedIn }: Visit): AppManifest.Creator => ({ ...person, session: signedIn.session.id })

const Asked = Schema.Struct({
  name: ConnectionName,
  baseUrl: WebAddress,
  organisation: Schema.String.pipe(Schema.pattern(/^[A-Za-z0-9-]{0,100}$/))
})

const given = ({ query }: Visit) => ({
  name: query.get("name")?.trim() ?? "github",
  baseUrl: query.get("baseUrl")?.trim() ?? githubAddress,
  organisation: query.get("organisation")?.trim() ?? ""
})

const titled = (body: View["body"], more: Partial<View> = {}): View => ({
  title: "Connect GitHub by an App",
  section: "settings",
  body,
  ...more
})

/** The first form asks for the organisation; the second one, which is sent to GitHub, has the manifest. */
const page = (visit: Visit) =>
  Effect.gen(function* () {
    const { base, origin, person, query } = visit
    const values = given(visit)
    const shown = { base, isAdmin: may(person, "connection create") }
    if (!query.has("organisation") || !shown.isAdmin)
      return titled(<AppPage {...shown} filled={{ values, errors: {} }} manifest={null} />)
    const asked = Schema.decodeUnknownEither(Asked)(values)
    if (Either.isLeft(asked)) {
      const filled: Filled = { values, errors: { organisation: "Check the name, the address and the organisation." } }
      return titled(<AppPage {...shown} filled={filled} manifest={null} />, { status: 400 })
    }
    const manifest = yield* AppManifest.begin(creatorOf(visit), { ...asked.right, origin })
    const target = parseUrl(manifest.action)?.origin ?? githubAddress
    return titled(<AppPage {...shown} filled={{ values, errors: {} }} manifest={manifest} />, { formTarget: target })
  })

const created = (visit: Visit) =>
  Effect.gen(function* () {
    const { base, query } = visit
    if (!query.has("code")) return yield* page(visit)
    const answer = { code: query.get("code") ?? "", state: query.get("state") ?? "" }
    const { connection, page: install } = yield* AppManifest.finish(creatorOf(visit), answer)
    return titled(<CreatedPage base={base} connection={connection} install={install} />)
  })

export const pages: ReadonlyArray<Page<AuditLog | ConnectionStore | JobStore | Sealing>> = [
  { path: "settings/connections/app", get: page },
  { path: "settings/connections/app/created", get: created }
]
