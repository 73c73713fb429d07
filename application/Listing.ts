import { Effect } from "effect"
import { Cursors, type Listing } from "./Cursors.ts"
import type { Page, PageRequest } from "./Page.ts"

/** Reads one page of a list, with cursors in place of sequence numbers. */
export const page = Effect.fn("Listing.page")(function* <A, E>(
  listing: Listing,
  request: { readonly limit: number; readonly cursor: string | null },
  read: (request: PageRequest) => Effect.Effect<Page<A>, E>
) {
  const cursors = yield* Cursors
  const before = request.cursor === null ? null : yield* cursors.decode(listing, request.cursor)
  const { items, next } = yield* read({ limit: request.limit, before })
  return { items, nextCursor: next === null ? null : yield* cursors.encode(listing, next) }
})
