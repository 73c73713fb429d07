import { Effect, Redacted } from "effect"
import type { Expected, Post, Proven, Translator } from "../../application/ports/AlertTools.ts"
import { InvalidProof, replayWindowSeconds, Signature, TimestampOutOfWindow } from "../../domain/value/Signature.ts"

type Proof = Translator["proof"]

const refuse = (problem: string) => new InvalidProof({ problem })

const nameless: Proven = { delivery: null }

const bearerIn = (headers: Post["headers"]) => /^Bearer +(\S+) *$/i.exec(headers["authorization"] ?? "")?.[1]

const bySecret = (given: string | undefined, { secrets }: Expected, needed: string) =>
  Effect.gen(function* () {
    if (given === undefined) return yield* refuse(`it needs ${needed}`)
    const signature = yield* Signature
    if (!(yield* signature.isOneOf(secrets, given)))
      return yield* refuse("the secret in its headers is not the source's")
    return nameless
  })

/** Accepts `Authorization: Bearer <secret>` alone; `needed` names the accepted proofs in the refusal. */
export const authorization =
  (needed: string): Proof =>
  ({ headers }, expected) =>
    bySecret(bearerIn(headers), expected, needed)

/** `Authorization: Bearer <secret>`, or `X-Service-Token: <secret>` where a tool cannot set the former. */
export const bearer: Proof = ({ headers }, expected) =>
  bySecret(
    bearerIn(headers) ?? headers["x-service-token"],
    expected,
    "the header 'Authorization: Bearer <secret>' or 'X-Service-Token: <secret>'"
  )

/** `?key=<secret>` of the address, for tools that can set no header. */
export const key: Proof = (post, { secrets }) =>
  Effect.gen(function* () {
    if (post.key === null) return yield* refuse("its address needs '?key=<secret>'")
    const signature = yield* Signature
    if (!(yield* signature.isOneOf(secrets, Redacted.value(post.key))))
      return yield* refuse("the key in its address is not the source's secret")
    return nameless
  })

/** A tool's scheme of signing the bytes of a body with HMAC-SHA256. */
interface Scheme {
  readonly header: string
  /** The signatures a header holds; none when it is not of this scheme. */
  readonly read: (header: string) => ReadonlyArray<string>
  /** A header whose time is signed with the body, and the separator between the two. */
  readonly timestamp?: { readonly header: string; readonly separator: string }
}

const secondsOf = (text: string): number | null => (/^\d{1,12}$/.test(text) ? Number(text) : null)

/** Returns `proven` if one of the signatures signs `prefix` and the body. */
const signed = (
  { secrets }: Expected,
  signatures: ReadonlyArray<string>,
  { body }: Post,
  prefix: string,
  proven: Proven,
  problem: string
) =>
  Effect.flatMap(Signature, ({ signs }) =>
    Effect.flatMap(signs(secrets, signatures, body, prefix), (isSigned) =>
      isSigned ? Effect.succeed(proven) : refuse(problem)
    )
  )

/** A timestamp must be in the window and signed; the signature then names the delivery. */
const dated = (
  scheme: Scheme,
  text: string,
  signatures: ReadonlyArray<string>,
  post: Post,
  expected: Expected
): ReturnType<Proof> => {
  const { header, separator } = scheme.timestamp ?? { header: "", separator: "" }
  const sent = secondsOf(text)
  if (sent === null) return refuse(`${header} must be unix seconds`)
  const age = expected.now.epochMillis / 1000 - sent
  if (Math.abs(age) > replayWindowSeconds)
    return new TimestampOutOfWindow({ header, seconds: age, most: replayWindowSeconds })
  const proven = { delivery: `${text} ${signatures.join(" ").toLowerCase()}` }
  const problem = `${scheme.header} does not sign '<timestamp>${separator}<body>' with the source's secret`
  return signed(expected, signatures, post, `${text}${separator}`, proven, problem)
}

export const hmac =
  (scheme: Scheme): Proof =>
  (post, expected) => {
    const given = post.headers[scheme.header.toLowerCase()]
    if (given === undefined) return refuse(`it needs the header ${scheme.header}`)
    const signatures = scheme.read(given.trim())
    if (signatures.length === 0) return refuse(`${scheme.header} is not of the form the tool uses`)
    const time = scheme.timestamp && post.headers[scheme.timestamp.header.toLowerCase()]
    if (time !== undefined) return dated(scheme, time.trim(), signatures, post, expected)
    if (expected.isTimestampRequired)
      return refuse(`this source takes only deliveries with ${scheme.timestamp?.header ?? "a signed timestamp"}`)
    const problem = `${scheme.header} does not sign the body with the source's secret`
    return signed(expected, signatures, post, "", nameless, problem)
  }

/** 64 hex digits, in either case. */
export const hex = (text: string): ReadonlyArray<string> => (/^[0-9a-f]{64}$/i.test(text) ? [text] : [])
