import { Layer, Redacted } from "effect"
import * as Tools from "../../adapters/alerting/Tools.ts"
import * as ToolApis from "../../adapters/alerting/ToolApis.ts"
import { CloudPages, PageUnreachable } from "../../application/ports/CloudPages.ts"
import type { Notifier } from "../../application/ports/Notifier.ts"
import { Outgoing, Unreachable } from "../../application/ports/Outgoing.ts"
import { SecretKey } from "../../application/secrets/SecretKey.ts"
import * as Sealing from "../../application/secrets/Sealing.ts"
import { PlaceKind } from "../../domain/oncall/Place.ts"
import { Signature } from "../../domain/value/Signature.ts"

const key = Layer.succeed(SecretKey, Redacted.make(new Uint8Array(32).fill(7)))

const nowhere = Layer.succeed(CloudPages, {
  get: (address) => new PageUnreachable({ host: new URL(address).host, problem: "tests stay at home" })
})

const nobody = Layer.succeed(Outgoing, {
  send: ({ url }) => new Unreachable({ host: new URL(url).host, problem: "tests stay at home", isForbidden: false })
})

/** Services for on-call besides stores: every alerting tool, and a constant key. */
export const layer = Layer.mergeAll(
  Tools.layer,
  Signature.Default,
  nowhere,
  nobody,
  Layer.provide(ToolApis.layer, nobody),
  Layer.provide(Sealing.layer, key)
)

/** A notifier for each kind of place. */
export const places = (notifierOf: (kind: PlaceKind) => Notifier) =>
  Object.fromEntries(PlaceKind.literals.map((kind) => [kind, notifierOf(kind)])) as Record<PlaceKind, Notifier>

export type Equipment = Layer.Layer.Success<typeof layer>
