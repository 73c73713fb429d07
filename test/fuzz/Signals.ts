import { FastCheck } from "effect"
import { createHmac } from "node:crypto"
import { key } from "../../adapters/alerting/Proofs.ts"
import { PostingKind } from "../../domain/oncall/SignalSource.ts"
import * as Fixtures from "../intake/Fixtures.ts"
import { provenBy } from "../intake/Proving.ts"
import { oddities, places, replaced, without } from "../intake/Mutations.ts"
import * as Headers from "./Headers.ts"
import * as Hostile from "./Hostile.ts"
import type { Scene } from "./Scene.ts"
import type { Manner, Request } from "./Wire.ts"

const { constant, constantFrom, nat, oneof, tuple } = FastCheck

interface Proof {
  readonly query: string
  readonly headers: ReadonlyArray<readonly [name: string, value: string]>
}

const signatures: Partial<Record<PostingKind, readonly [header: string, before: string]>> = {
  generic: ["X-Service-Signature", "sha256="],
  grafana: ["X-Grafana-Alerting-Signature", ""],
  pagerduty: ["X-PagerDuty-Signature", "v1="],
  sentry: ["Sentry-Hook-Signature", ""]
}

const inAddress = new Set<PostingKind>(["cloudwatch", ...provenBy(key)])

/** The proof that a body comes from a sender with the secret. */
const proofOf = (kind: PostingKind, secret: string, body: Buffer): Proof => {
  const [header, before] = signatures[kind] ?? []
  if (header !== undefined)
    return {
      query: "",
      headers: [
        [header, `${before}${createHmac("sha256", secret).update(body).digest("hex")}`],
        ["sentry-hook-resource", "event_alert"]
      ]
    }
  return inAddress.has(kind)
    ? { query: `?key=${secret}`, headers: [] }
    : { query: "", headers: [["authorization", `Bearer ${secret}`]] }
}

const nearly: FastCheck.Arbitrary<(proof: Proof) => Proof> = constantFrom(
  (proof: Proof) => ({ ...proof, headers: [] }),
  ({ query }: Proof) => ({ query: `${query}x`, headers: [["x-service-signature", "sha256="] as const] }),
  (proof: Proof) => ({ ...proof, headers: [...proof.headers, ...proof.headers] }),
  (proof: Proof) => ({ ...proof, headers: proof.headers.map(([name, value]) => [name, value.slice(0, -1)] as const) }),
  ({ headers }: Proof) => ({ query: "?key=&key=%00&limit=1", headers }),
  (proof: Proof) => ({ ...proof, headers: [...proof.headers, ["x-service-timestamp", "99999999999"] as const] }),
  (proof: Proof) => ({ ...proof, headers: [...proof.headers, ["x-service-timestamp", "9e9"] as const] })
)

const fixtures: Partial<Record<PostingKind, ReadonlyArray<unknown>>> = Object.fromEntries(
  PostingKind.literals.map((kind) => [kind, Fixtures.names(kind).map((name) => Fixtures.json(kind, name))])
)

/** Misspelt forms of an address. */
const elsewhere = [
  "//signals/",
  "/signals//",
  "/SIGNALS/",
  "/v1/signals/",
  "/signals/x/",
  "http://x/signals/",
  "/./signals/"
]

const hopeless = Hostile.bodies('{"title":"Down","labels":{"a":"b"}}')

/** A body that the tool sends, whole or with one changed value. */
const payload = (kind: PostingKind): FastCheck.Arbitrary<Buffer> => {
  const real = constantFrom(...(fixtures[kind] ?? []))
  const changed = tuple(real, nat(1000), oneof(constantFrom(...oddities), Hostile.text), nat(9)).map(
    ([json, place, value, how]) => {
      const all = places(json)
      const at = all[place % all.length] ?? []
      return how < 2 ? without(json, at) : replaced(json, at, value)
    }
  )
  const text = (json: unknown) => Buffer.from(JSON.stringify(json) ?? "")
  return oneof(
    { weight: 3, arbitrary: real.map(text) },
    { weight: 8, arbitrary: changed.map(text) },
    { weight: 2, arbitrary: hopeless }
  )
}

/** A post to a source's address: valid, almost valid, or to another address. */
export const delivery = (
  { neighbour, sources }: Scene,
  route: string,
  manner: FastCheck.Arbitrary<Manner>,
  version: FastCheck.Arbitrary<string>
): FastCheck.Arbitrary<Request> => {
  const [method = "POST"] = route.split(" ")
  const lost = [neighbour.source, "x".repeat(32), "short", "%00", "x".repeat(200), "%2e%2e", "..;"]
  const proven = oneof({ weight: 4, arbitrary: constant((proof: Proof) => proof) }, { weight: 1, arbitrary: nearly })
  const own = sources.map(({ kind, secret, token }) =>
    tuple(payload(kind), proven).map(([body, spoil]) => ({
      body,
      kind,
      at: token,
      proof: spoil(proofOf(kind, secret, body))
    }))
  )
  const unknown = FastCheck.string({ unit: constantFrom(..."0123456789abcdefABCDEF"), minLength: 32, maxLength: 32 })
  const astray = tuple(oneof(constantFrom(...lost), unknown), payload("generic")).map(([at, body]) => ({
    body,
    kind: "generic" as const,
    at,
    proof: proofOf("generic", "guessed", body)
  }))
  return tuple(
    oneof(...own, astray),
    oneof({ weight: 30, arbitrary: constant(method) }, { weight: 1, arbitrary: constantFrom(...Hostile.methods) }),
    oneof(
      { weight: 10, arbitrary: constant("length" as const) },
      { weight: 3, arbitrary: constantFrom("chunked" as const, "odd chunks" as const) },
      { weight: 1, arbitrary: constantFrom("too short" as const, "too long" as const, "both" as const) }
    ),
    Headers.bare,
    manner,
    version,
    oneof({ weight: 30, arbitrary: constant("/signals/") }, { weight: 1, arbitrary: constantFrom(...elsewhere) })
  ).map(([{ at, body, kind, proof }, how, framing, headers, sent, http, place]) => ({
    method: how,
    target: `${place}${at}${proof.query}`,
    version: http,
    headers: [...headers, ...proof.headers],
    body,
    framing,
    manner: sent,
    mayBeUnavailable: kind === "cloudwatch"
  }))
}
