import { Effect, Redacted } from "effect"
import { createHmac } from "node:crypto"
import * as Services from "../../application/oncall/Services.ts"
import * as Sources from "../../application/oncall/Sources.ts"
import type { SourceKind } from "../../domain/oncall/SignalSource.ts"
import type { TeamSlug } from "../../domain/workspace/Team.ts"
import * as People from "./People.ts"
import * as Seed from "./Seed.ts"

/** A workspace with a service, and a source that feeds it. */
export const source = (kind: SourceKind = "generic", more: { readonly isTimestampRequired?: boolean } = {}) =>
  Effect.gen(function* () {
    const { id, slug } = yield* Seed.workspace
    yield* Seed.load(slug, { teams: [{ slug: "payments", name: "Payments", keyPrefix: "PAY" }] })
    const owner = yield* People.person(slug)
    yield* Services.create(owner, { team: "payments" as TeamSlug, name: "checkout" })
    const created = yield* Sources.create(owner, {
      name: "tool",
      kind,
      services: ["checkout"],
      secret: null,
      isTimestampRequired: more.isTimestampRequired ?? false
    })
    const secret = Redacted.value(created.secret)
    return { workspace: id, slug, owner, source: created.source, secret, path: `/signals/${created.source.token}` }
  })

/** Headers that authenticate a generic delivery; with a timestamp when a time is given, in unix seconds. */
export const signed = (secret: string, body: string | Buffer, time?: number): Record<string, string> => {
  const mac = createHmac("sha256", secret)
  if (time !== undefined) mac.update(`${time}.`)
  const signature = `sha256=${mac.update(body).digest("hex")}`
  return time === undefined
    ? { "x-service-signature": signature }
    : { "x-service-signature": signature, "x-service-timestamp": String(time) }
}

/** Current time in unix seconds, by the sender's clock. */
export const unixNow = () => Math.floor((performance.timeOrigin + performance.now()) / 1000)
