import { createHash, createHmac, timingSafeEqual } from "node:crypto"
import { invalidCursor } from "./Refusal.ts"

/** A list and the filters it is read with. */
export interface Listing {
  readonly workspace: string
  readonly list: string
  readonly filters: Readonly<Record<string, string | null>>
}

interface Opened {
  readonly seq: string
  /** Throws unless the cursor was made for this list. */
  readonly check: (listing: Listing) => void
}

/** Page cursors that only this process can make, each valid for one list with one set of filters. */
export const cursors = (key: Buffer) => {
  const payloadOf = ({ filters, list }: Listing, seq: string) => {
    const given = Object.entries(filters).filter(([, value]) => value !== null)
    const hash = createHash("sha256")
      .update(JSON.stringify([list, ...given]))
      .digest("base64url")
      .slice(0, 16)
    return `1.${seq}.${hash}`
  }
  const sign = (listing: Listing, payload: string) =>
    createHmac("sha256", key).update(`${listing.workspace}:${payload}`).digest()

  const open = (cursor: string): Opened => {
    const parts = /^(1\.([0-9]{1,18})\.[\w-]{16})\.([\w-]{43})$/.exec(
      Buffer.from(cursor, "base64url").toString("latin1")
    )
    const [, payload = "", seq = "", mac = ""] = parts ?? []
    return {
      seq: parts === null ? "0" : seq,
      check: (listing) => {
        const given = Buffer.from(mac, "base64url")
        const isOurs = given.length === 32 && timingSafeEqual(given, sign(listing, payload))
        if (!isOurs || payload !== payloadOf(listing, seq)) throw invalidCursor()
      }
    }
  }
  return {
    open,
    encode: (listing: Listing, seq: string): string => {
      const payload = payloadOf(listing, seq)
      return Buffer.from(`${payload}.${sign(listing, payload).toString("base64url")}`).toString("base64url")
    },
    /** The sequence number below which a page begins; null is the newest. */
    decode: (listing: Listing, cursor: string | null): string | null => {
      if (cursor === null) return null
      const opened = open(cursor)
      opened.check(listing)
      return opened.seq
    }
  }
}
export type Cursors = ReturnType<typeof cursors>
