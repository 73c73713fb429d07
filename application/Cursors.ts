import { Context, Effect, Encoding, Layer, Redacted, Schema } from "effect"
import type { WorkspaceId } from "../domain/Workspace.ts"
import { SecretKey } from "./ports/SecretKey.ts"

/** Names a list together with the filters it was read with. */
export interface Listing {
  readonly workspace: WorkspaceId
  readonly list: string
  readonly filters: Readonly<Record<string, string | boolean | null>>
}

export class InvalidCursor extends Schema.TaggedError<InvalidCursor>()("InvalidCursor", { problem: Schema.String }) {
  override get message() {
    return `cursor ${this.problem}. Pass nextCursor of the previous page unchanged, with the same filters, or leave it out.`
  }
}

/** Opaque page cursors that only this service can make, each good for one list with one set of filters. */
export class Cursors extends Context.Tag("application/Cursors")<
  Cursors,
  {
    readonly encode: (listing: Listing, seq: bigint) => Effect.Effect<string>
    readonly decode: (listing: Listing, cursor: string) => Effect.Effect<bigint, InvalidCursor>
  }
>() {}

const bytes = (text: string) => new TextEncoder().encode(text)

const hash = (text: string) =>
  Effect.map(
    Effect.promise(() => crypto.subtle.digest("SHA-256", bytes(text))),
    (digest) => Encoding.encodeBase64Url(new Uint8Array(digest).slice(0, 12))
  )

export const layer = Layer.effect(
  Cursors,
  Effect.gen(function* () {
    const secret = yield* SecretKey
    const key = yield* Effect.promise(async () => {
      const root = await crypto.subtle.importKey("raw", Redacted.value(secret).slice(), "HKDF", false, ["deriveKey"])
      const derivation = { name: "HKDF", hash: "SHA-256", salt: new Uint8Array(), info: bytes("gatehouse/cursor") }
      return crypto.subtle.deriveKey(derivation, root, { name: "HMAC", hash: "SHA-256", length: 256 }, false, [
        "sign",
        "verify"
      ])
    })

    const filterHash = (listing: Listing) => {
      const given = Object.entries(listing.filters).filter(([, value]) => value !== null && value !== false)
      return hash(JSON.stringify([listing.list, ...given.sort(([a], [b]) => (a < b ? -1 : 1))]))
    }
    const signed = (workspace: WorkspaceId, payload: string) => bytes(`${workspace}:${payload}`)

    return Cursors.of({
      encode: Effect.fn("Cursors.encode")(function* (listing, seq) {
        const payload = `1.${seq}.${yield* filterHash(listing)}`
        const mac = yield* Effect.promise(() => crypto.subtle.sign("HMAC", key, signed(listing.workspace, payload)))
        return Encoding.encodeBase64Url(`${payload}.${Encoding.encodeBase64Url(new Uint8Array(mac))}`)
      }),
      decode: Effect.fn("Cursors.decode")(function* (listing, cursor) {
        const text = yield* Effect.mapError(
          Encoding.decodeBase64UrlString(cursor),
          () => new InvalidCursor({ problem: "is not one of ours" })
        )
        const parts = /^((1)\.([0-9]{1,19})\.([A-Za-z0-9_-]{16}))\.([A-Za-z0-9_-]{43})$/.exec(text)
        if (parts === null || Encoding.encodeBase64Url(text) !== cursor)
          return yield* new InvalidCursor({ problem: "is not one of ours" })
        const [, payload = "", , seq = "", filters, mac = ""] = parts
        const macBytes = yield* Effect.mapError(
          Encoding.decodeBase64Url(mac),
          () => new InvalidCursor({ problem: "is not one of ours" })
        )
        const ours = yield* Effect.promise(() =>
          crypto.subtle.verify("HMAC", key, macBytes.slice(), signed(listing.workspace, payload))
        )
        if (!ours || Encoding.encodeBase64Url(macBytes) !== mac)
          return yield* new InvalidCursor({ problem: "was altered, or belongs to another workspace" })
        if (filters !== (yield* filterHash(listing)))
          return yield* new InvalidCursor({ problem: "belongs to another list or other filters" })
        return BigInt(seq)
      })
    })
  })
)
