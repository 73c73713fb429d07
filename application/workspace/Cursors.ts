import { Context, Effect, Either, Encoding, Layer, Redacted, Schema } from "effect"
import { boundedCache } from "../../domain/value/BoundedCache.ts"
import { bytesOf, hmac, isSame, sha256 } from "../../domain/value/Hashing.ts"
import type { WorkspaceId } from "../../domain/workspace/Workspace.ts"
import { SecretKey } from "../secrets/SecretKey.ts"

/** A list and the filters it was read with. */
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

/** Opaque page cursors that only this service can make, each valid for one list with one set of filters. */
export class Cursors extends Context.Tag("application/Cursors")<
  Cursors,
  {
    readonly encode: (listing: Listing, seq: bigint) => Effect.Effect<string>
    readonly decode: (listing: Listing, cursor: string) => Effect.Effect<bigint, InvalidCursor>
  }
>() {}

/** The largest sequence number that storage can read. */
const largest = 2n ** 63n - 1n

interface Parts {
  readonly payload: string
  readonly seq: bigint
  readonly filters: string
}

/** Splits a cursor into its parts, if it has the form of one of ours. */
const partsOf = (cursor: string): Either.Either<Parts, InvalidCursor> => {
  const text = Either.getOrElse(Encoding.decodeBase64UrlString(cursor), () => "")
  const found = /^(1\.([0-9]{1,19})\.([0-9a-f]{24}))\.[A-Za-z0-9_-]{43}$/.exec(text)
  const [, payload = "", number = "", filters = ""] = found ?? []
  return found === null || BigInt(number) > largest
    ? Either.left(new InvalidCursor({ problem: "is not one of ours" }))
    : Either.right({ payload, seq: BigInt(number), filters })
}

/** The sequence number a cursor claims, before the workspace is known; valid only after `decode` succeeds. */
export const claim = (cursor: string) => Either.map(partsOf(cursor), ({ seq }) => seq)

/** Caches cursors: clients poll the same few lists and pages again and again. */
const memory = () => {
  const known = boundedCache<string, string>()
  return (name: string, make: Effect.Effect<string>): Effect.Effect<string> => {
    const found = known.get(name)
    return found === undefined ? Effect.map(make, (made) => known.set(name, made)) : Effect.succeed(found)
  }
}

export const layer = Layer.effect(
  Cursors,
  Effect.gen(function* () {
    const secret = yield* SecretKey
    const key = yield* Effect.promise(async () => {
      const root = await crypto.subtle.importKey("raw", Redacted.value(secret).slice(), "HKDF", false, ["deriveBits"])
      const derivation = { name: "HKDF", hash: "SHA-256", salt: new Uint8Array(), info: bytesOf("gatehouse/cursor") }
      return new Uint8Array(await crypto.subtle.deriveBits(derivation, root, 256))
    })

    const remembered = memory()
    const filterHash = (listing: Listing) => {
      const given = Object.entries(listing.filters).filter(([, value]) => value !== null && value !== false)
      const text = JSON.stringify([listing.list, ...given.sort(([a], [b]) => (a < b ? -1 : 1))])
      return remembered(
        text,
        Effect.map(sha256(text), (hash) => hash.slice(0, 24))
      )
    }
    const cursorOf = (workspace: WorkspaceId, payload: string) => {
      const signed = `${workspace}:${payload}`
      const made = Effect.map(hmac(key, bytesOf(signed)), (mac) =>
        Encoding.encodeBase64Url(`${payload}.${Encoding.encodeBase64Url(mac)}`)
      )
      return remembered(signed, made)
    }

    return Cursors.of({
      encode: (listing, seq) =>
        Effect.flatMap(filterHash(listing), (filters) => cursorOf(listing.workspace, `1.${seq}.${filters}`)),
      decode: Effect.fnUntraced(function* (listing, cursor) {
        const { filters, payload, seq } = yield* partsOf(cursor)
        // A cursor is ours when encoding its content gives the same cursor.
        const ours = yield* cursorOf(listing.workspace, payload)
        if (!isSame(bytesOf(ours), bytesOf(cursor)))
          return yield* new InvalidCursor({ problem: "was altered, or belongs to another workspace" })
        if (filters !== (yield* filterHash(listing)))
          return yield* new InvalidCursor({ problem: "belongs to another list or other filters" })
        return seq
      })
    })
  })
)
