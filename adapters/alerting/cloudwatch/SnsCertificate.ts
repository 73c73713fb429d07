import { DateTime, Effect, Option } from "effect"
import { type KeyObject, X509Certificate } from "node:crypto"
import { ProofUnavailable } from "../../../application/ports/AlertTools.ts"
import { CloudPages, type PageUnreachable } from "../../../application/ports/CloudPages.ts"
import { parseUrl } from "../../../domain/value/Text.ts"
import { InvalidProof } from "../../../domain/value/Signature.ts"

const refuse = (problem: string) => new InvalidProof({ problem })

/** Accepts an address of Amazon SNS itself; no other address in a message is ever visited. */
export const amazons = (address: string | undefined): URL | null => {
  const url = parseUrl(address ?? "")
  if (url === null) return null
  const isPlain = url.protocol === "https:" && url.port === "" && url.username === "" && url.password === ""
  return isPlain && /^sns\.[a-z0-9-]{3,}\.amazonaws\.com(\.cn)?$/.test(url.hostname) ? url : null
}

/** Most regions sign as sns.amazonaws.com; opt-in regions, GovCloud and China under names of their own. */
const signer = /^CN=sns(-signing)?([.-][a-z0-9-]+)?\.amazonaws\.com(\.cn)?$/m

const certificates = (pem: string) =>
  Effect.try({
    try: () =>
      (pem.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? []).map(
        (block) => new X509Certificate(block)
      ),
    catch: () => refuse("what is at its SigningCertURL is no certificate")
  })

const isIssued = (certificate: X509Certificate, issuer: X509Certificate | undefined): boolean =>
  issuer === undefined || (issuer.ca && certificate.checkIssued(issuer) && certificate.verify(issuer.publicKey))

/** Parses a date of a certificate: `Nov 15 00:07:46 2026 GMT`. */
const dateOf = (text: string) => DateTime.make(text.replace(/GMT$/, "+0000"))

const isValid = ({ validFrom, validTo }: X509Certificate, now: DateTime.Utc): boolean =>
  Option.exists(dateOf(validFrom), DateTime.lessThanOrEqualTo(now)) &&
  Option.exists(dateOf(validTo), DateTime.greaterThanOrEqualTo(now))

type Chain = readonly [leaf: X509Certificate, ...issuers: ReadonlyArray<X509Certificate>]

/** Amazon serves the leaf alone, so its path to a trusted root is proven only by TLS of the checked host. */
const chainOf = (pem: string) =>
  Effect.gen(function* () {
    const [leaf, ...issuers] = yield* certificates(pem)
    if (leaf === undefined) return yield* refuse("what is at its SigningCertURL is no certificate")
    if (leaf.publicKey.asymmetricKeyType !== "rsa" || !signer.test(leaf.subject))
      return yield* refuse("the certificate at its SigningCertURL is not that of Amazon SNS")
    const chain: Chain = [leaf, ...issuers]
    if (!chain.every((certificate, index) => isIssued(certificate, chain[index + 1])))
      return yield* refuse("the certificates at its SigningCertURL are no chain")
    return chain
  })

const kept = new Map<string, Chain>()

const keep = (address: string, chain: Chain) => {
  const [oldest] = kept.keys()
  if (kept.size >= 20 && oldest !== undefined) kept.delete(oldest)
  kept.set(address, chain)
}

const unavailable = ({ host, problem }: PageUnreachable) =>
  new ProofUnavailable({ problem: `the certificate at ${host} is out of reach: ${problem}` })

const fetched = (address: string) =>
  Effect.gen(function* () {
    const pages = yield* CloudPages
    const pem = yield* Effect.mapError(pages.get(address), unavailable)
    const chain = yield* chainOf(pem)
    keep(address, chain)
    return chain
  })

/** The public key of the certificate at an address in a message. */
export const publicKey = (
  address: string | undefined,
  now: DateTime.Utc
): Effect.Effect<KeyObject, InvalidProof | ProofUnavailable, CloudPages> =>
  Effect.gen(function* () {
    const url = amazons(address)
    if (url === null || !url.pathname.endsWith(".pem") || url.search !== "" || url.hash !== "")
      return yield* refuse("its SigningCertURL is not that of a certificate of Amazon SNS")
    const chain = kept.get(url.href) ?? (yield* fetched(url.href))
    if (!chain.every((certificate) => isValid(certificate, now)))
      return yield* refuse("the certificate at its SigningCertURL is out of date")
    return chain[0].publicKey
  })
