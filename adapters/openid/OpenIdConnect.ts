import { Clock, Effect, Layer, Option, Redacted, Schema } from "effect"
import * as oauth from "oauth4webapi"
import { type Begun, OpenIdProvider } from "../../application/ports/identity/OpenIdProvider.ts"
import { cut, oneLine, parseUrl } from "../../domain/value/Text.ts"
import { Email } from "../../domain/workspace/Member.ts"
import { OpenIdRefused, OpenIdUnavailable, type ProvenAccount } from "../../domain/workspace/openid/ProviderIdentity.ts"
import * as Settings from "../Settings.ts"
import { bounded, Unanswered } from "./BoundedFetch.ts"

interface Settled {
  readonly issuer: string
  readonly clientId: string
  readonly clientSecret: Redacted.Redacted
}

/** Keys are fetched again after five minutes, and earlier, at most once a minute, for a signature by another one. */
const metadataMillis = 3_600_000

/** A sign-in takes up to four requests, and its page answers within eight seconds. */
const patience = "7 seconds"

/** Seconds by which the clocks of provider and service may differ. */
const tolerance = 60

/** Codes of OAuth: visible characters without quotes. */
const codeOf = (text: unknown) => cut(String(text ?? "").replaceAll(/[^\x20-\x21\x23-\x5b\x5d-\x7e]/g, ""), 60)

/** Words for the log of the operator; messages of the library hold no secrets. */
const problemOf = (cause: unknown): string => {
  if (cause instanceof oauth.ResponseBodyError) return `it answered ${cause.status} ${codeOf(cause.error)}`
  return cut(oneLine(cause instanceof Error ? cause.message : "unknown"), 200)
}

/** Some providers send `email_verified` as a text. */
const Claims = Schema.Struct({
  email: Schema.optional(Schema.Unknown),
  email_verified: Schema.optional(Schema.Unknown)
})
const claimsOf = Schema.decodeUnknownSync(Claims)
const isEmail = Schema.is(Email)
const isSubject = Schema.is(Schema.String.pipe(Schema.pattern(/^[^\p{Cc}]{1,255}$/u)))

const make = ({ clientId, clientSecret, issuer }: Settled): NonNullable<typeof OpenIdProvider.Service> => {
  const url = new URL(issuer)
  const { host } = url
  const client: oauth.Client = { client_id: clientId, [oauth.clockTolerance]: tolerance }
  const options = { [oauth.customFetch]: bounded, [oauth.allowInsecureRequests]: url.protocol === "http:" }

  const unavailable = (problem: string) => new OpenIdUnavailable({ host, problem })
  const refused = (reason: "proof" | "ended", named = "") => new OpenIdRefused({ host, reason, named })

  const failed = (cause: unknown): Effect.Effect<never, OpenIdRefused | OpenIdUnavailable> =>
    cause instanceof Unanswered
      ? Effect.zipRight(Effect.logWarning(`sign-in by ${host}: ${cause.message}`), unavailable(cause.message))
      : Effect.zipRight(Effect.logWarning(`sign-in by ${host}: ${problemOf(cause)}`), refused("proof"))

  /** A request or check of the library; it throws what is not as it should be. */
  const attempt = <A>(of: () => Promise<A>) =>
    Effect.catchAll(Effect.tryPromise({ try: of, catch: (cause) => cause }), failed)

  /** As safe as the issuer: over TLS, unless that is on this machine. */
  const isUsable = (address: string | undefined) => {
    const protocol = parseUrl(address ?? "")?.protocol
    return protocol === "https:" || (protocol === "http:" && url.protocol === "http:")
  }

  let known: { readonly server: oauth.AuthorizationServer; readonly until: number } | null = null

  const discovered = Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    if (known !== null && now < known.until) return known.server
    const server = yield* Effect.catchTag(
      attempt(async () =>
        oauth.processDiscoveryResponse(url, await oauth.discoveryRequest(url, { ...options, algorithm: "oidc" }))
      ),
      "OpenIdRefused",
      () => unavailable("what it publishes about itself is not that of the issuer")
    )
    if (!isUsable(server.authorization_endpoint) || !isUsable(server.token_endpoint))
      return yield* unavailable("it publishes no usable endpoints to sign in by")
    known = { server, until: now + metadataMillis }
    return server
  })

  const authentication = ({ token_endpoint_auth_methods_supported: methods }: oauth.AuthorizationServer) =>
    methods !== undefined && !methods.includes("client_secret_basic") && methods.includes("client_secret_post")
      ? oauth.ClientSecretPost(Redacted.value(clientSecret))
      : oauth.ClientSecretBasic(Redacted.value(clientSecret))

  /** The provider's answer, if it belongs to this sign-in and is no refusal. */
  const answered = (server: oauth.AuthorizationServer, answer: URLSearchParams, state: string) =>
    Effect.catchAll(
      Effect.try({ try: () => oauth.validateAuthResponse(server, client, answer, state), catch: (cause) => cause }),
      (cause): Effect.Effect<never, OpenIdRefused | OpenIdUnavailable> =>
        cause instanceof oauth.AuthorizationResponseError ? refused("ended", codeOf(cause.error)) : failed(cause)
    )

  /** The signed account, from the code in the provider's answer. */
  const redeemed = (server: oauth.AuthorizationServer, begun: Begun, parameters: URLSearchParams) =>
    attempt(async () => {
      const { nonce, redirect, verifier } = begun
      const by = authentication(server)
      const response = await oauth.authorizationCodeGrantRequest(
        server,
        client,
        by,
        parameters,
        redirect,
        verifier,
        options
      )
      const tokens = await oauth.processAuthorizationCodeResponse(server, client, response, {
        expectedNonce: nonce,
        requireIdToken: true
      })
      await oauth.validateApplicationLevelSignature(server, response, options)
      return { access: tokens.access_token, claims: oauth.getValidatedIdTokenClaims(tokens) }
    })

  /** Some providers name the address in a second answer only. */
  const asked = (server: oauth.AuthorizationServer, access: string, subject: string) =>
    attempt(async () => {
      const response = await oauth.userInfoRequest(server, client, access, options)
      return claimsOf(await oauth.processUserInfoResponse(server, client, subject, response))
    })

  return {
    host,
    authorize: (begun) =>
      Effect.gen(function* () {
        const server = yield* discovered
        const to = new URL(server.authorization_endpoint ?? "")
        const challenge = yield* Effect.promise(() => oauth.calculatePKCECodeChallenge(begun.verifier))
        const parameters = {
          client_id: clientId,
          redirect_uri: begun.redirect,
          response_type: "code",
          scope: "openid email",
          state: begun.state,
          nonce: begun.nonce,
          code_challenge: challenge,
          code_challenge_method: "S256"
        }
        for (const [name, value] of Object.entries(parameters)) to.searchParams.set(name, value)
        return to.href
      }),
    verify: (begun, answer) =>
      Effect.gen(function* () {
        const server = yield* discovered
        const parameters = yield* answered(server, answer, begun.state)
        const { access, claims } = yield* redeemed(server, begun, parameters)
        if (claims === undefined || !isSubject(claims.sub)) return yield* failed(new Error("its subject is unusable"))
        const { email, email_verified: verified } =
          claims["email"] === undefined && server.userinfo_endpoint !== undefined
            ? yield* asked(server, access, claims.sub)
            : claimsOf(claims)
        const account: ProvenAccount = {
          issuer: server.issuer,
          subject: claims.sub,
          email: isEmail(email) ? email : null,
          isVerified: verified === true || verified === "true"
        }
        return account
      }).pipe(Effect.timeoutFail({ duration: patience, onTimeout: () => unavailable("it did not answer in time") }))
  }
}

/** OpenID Connect by oauth4webapi: authorization code with PKCE, and the signature of every account is verified. */
export const layer = Layer.effect(
  OpenIdProvider,
  Effect.map(Settings.openId, (given) => Option.getOrNull(Option.map(given, make)))
)
