import { Layer, Redacted } from "effect"
import * as Tools from "../../adapters/intake/Tools.ts"
import * as SourceApis from "../../adapters/sources/SourceApis.ts"
import { CloudPages, PageUnreachable } from "../../application/ports/CloudPages.ts"
import { Outgoing, Unreachable } from "../../application/ports/Outgoing.ts"
import { SecretKey } from "../../application/ports/SecretKey.ts"
import * as Sealing from "../../application/Sealing.ts"
import { Signature } from "../../domain/Signature.ts"

const key = Layer.succeed(SecretKey, Redacted.make(new Uint8Array(32).fill(7)))

const nowhere = Layer.succeed(CloudPages, {
  get: (address) => new PageUnreachable({ host: new URL(address).host, problem: "tests stay at home" })
})

const nobody = Layer.succeed(Outgoing, {
  send: ({ url }) => new Unreachable({ host: new URL(url).host, problem: "tests stay at home", isForbidden: false })
})

/** What being on call takes besides stores: every alerting tool, and a key that is always the same. */
export const layer = Layer.mergeAll(
  Tools.layer,
  Signature.Default,
  nowhere,
  nobody,
  Layer.provide(SourceApis.layer, nobody),
  Layer.provide(Sealing.layer, key)
)

export type Equipment = Layer.Layer.Success<typeof layer>
