import {
  type AuthenticationResponseJSON,
  generateAuthenticationOptions,
  generateRegistrationOptions,
  type RegistrationResponseJSON,
  verifyAuthenticationResponse,
  verifyRegistrationResponse
} from "@simplewebauthn/server"
import { Duration, Effect, Either, Encoding, Layer, Option, Schema } from "effect"
import { PasskeyVerifier } from "../../application/ports/identity/PasskeyVerifier.ts"
import { bytesOf } from "../../domain/value/Hashing.ts"
import { PasskeyId, PasskeyRefused } from "../../domain/workspace/Passkey.ts"

/** The time a browser gives a person; challenges live a little longer. */
const timeout = Duration.toMillis("4 minutes")

const refused = () => new PasskeyRefused({ reason: "proof" })

const Named = Schema.Struct({
  id: PasskeyId,
  response: Schema.Struct({ clientDataJSON: Schema.String.pipe(Schema.maxLength(8192)) })
})
const decodeNamed = Schema.decodeUnknownOption(Named)
const decodeClientData = Schema.decodeUnknownOption(
  Schema.parseJson(Schema.Struct({ challenge: Schema.String.pipe(Schema.maxLength(200)) }))
)

/** The library takes bytes over an ArrayBuffer of their own. */
const bytes = (base64url: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(Either.getOrElse(Encoding.decodeBase64Url(base64url), () => new Uint8Array()))

/** The library throws for every answer that is not as it should be. */
const verified = <A>(verify: () => Promise<A>): Effect.Effect<A, PasskeyRefused> =>
  Effect.tryPromise({ try: verify, catch: refused })

/** WebAuthn by @simplewebauthn/server. A passkey is the only factor, so the authenticator must verify its user. */
export const layer = Layer.succeed(PasskeyVerifier, {
  registration: ({ challenge, email, known, name, site, userHandle }) =>
    Effect.promise(async () => ({
      ...(await generateRegistrationOptions({
        rpName: "Gatehouse",
        rpID: site.id,
        userName: email,
        userDisplayName: name,
        userID: bytesOf(userHandle),
        challenge: bytes(challenge),
        timeout,
        attestationType: "none",
        excludeCredentials: known.map(({ id, transports }) => ({ id, transports: [...transports] })),
        authenticatorSelection: { residentKey: "required", userVerification: "required" }
      }))
    })),
  verifyRegistration: Effect.fn("WebAuthnVerifier.verifyRegistration")(function* ({ challenge, response, site }) {
    const { registrationInfo } = yield* verified(() =>
      verifyRegistrationResponse({
        response: response as RegistrationResponseJSON,
        expectedChallenge: challenge,
        expectedOrigin: site.origin,
        expectedRPID: site.id,
        requireUserVerification: true
      })
    )
    if (registrationInfo === undefined) return yield* refused()
    const { counter, id, publicKey, transports = [] } = registrationInfo.credential
    return {
      id: PasskeyId.make(id),
      publicKey: Encoding.encodeBase64Url(publicKey),
      counter,
      transports: transports.slice(0, 10).map((one) => String(one).slice(0, 32))
    }
  }),
  signIn: ({ challenge, site }) =>
    Effect.promise(async () => ({
      ...(await generateAuthenticationOptions({
        rpID: site.id,
        challenge: bytes(challenge),
        timeout,
        userVerification: "required"
      }))
    })),
  named: (response) =>
    Option.flatMap(decodeNamed(response), (named) =>
      Option.map(
        Option.flatMap(
          Either.getRight(Encoding.decodeBase64UrlString(named.response.clientDataJSON)),
          decodeClientData
        ),
        ({ challenge }) => ({ id: named.id, challenge })
      )
    ).pipe(Effect.mapError(refused)),
  verifySignIn: Effect.fn("WebAuthnVerifier.verifySignIn")(function* ({ challenge, passkey, response, site }) {
    const { authenticationInfo, verified: isVerified } = yield* verified(() =>
      verifyAuthenticationResponse({
        response: response as AuthenticationResponseJSON,
        expectedChallenge: challenge,
        expectedOrigin: site.origin,
        expectedRPID: site.id,
        requireUserVerification: true,
        credential: {
          id: passkey.id,
          publicKey: bytes(passkey.publicKey),
          counter: passkey.counter,
          transports: [...passkey.transports]
        }
      })
    )
    if (!isVerified) return yield* refused()
    return authenticationInfo.newCounter
  })
})
