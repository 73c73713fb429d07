import { Effect, Redacted, Schema } from "effect"
import { sign } from "node:crypto"
import { HostFailed } from "../../application/ports/codehost/CodeHost.ts"
import type { AppInstallation } from "../../domain/connection/Connection.ts"

const encoded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url")

/** The host may be a minute behind, and takes tokens of at most ten minutes. */
const [earlier, lifetime] = [60, 540]

/** A JSON web token by which an App proves itself. */
export const appToken = (
  { app }: AppInstallation,
  key: Redacted.Redacted,
  now: number
): Effect.Effect<Redacted.Redacted, HostFailed> =>
  Effect.try({
    try: () => {
      const seconds = Math.floor(now / 1000)
      const claims = { iss: app, iat: seconds - earlier, exp: seconds + lifetime }
      const text = `${encoded({ alg: "RS256", typ: "JWT" })}.${encoded(claims)}`
      return Redacted.make(
        `${text}.${sign("RSA-SHA256", Buffer.from(text), Redacted.value(key)).toString("base64url")}`
      )
    },
    // The error of the library may quote the key.
    catch: () => new HostFailed({ reason: "The private key of the App cannot be read as PEM.", isFinal: false })
  })

/** The answer to a request for an installation token. */
export const InstallationToken = Schema.Struct({ token: Schema.String, expires_at: Schema.String })

/** The answer to the code of a manifest. */
export const Conversion = Schema.Struct({
  client_id: Schema.String,
  html_url: Schema.String,
  pem: Schema.String,
  webhook_secret: Schema.NullOr(Schema.String)
})
