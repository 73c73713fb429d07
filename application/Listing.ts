import { Effect, Either } from "effect"
import { claim as claimed, Cursors, type InvalidCursor, type Listing } from "./Cursors.ts"
import type { Page, PageRequest } from "./Page.ts"

type Asked = { readonly limit: number; readonly cursor: string | null }

/** Where a page begins by what its cursor claims, before it is known whose it is. */
export const claim = ({ cursor, limit }: Asked): Either.Either<PageRequest, InvalidCursor> =>
  cursor === null ? Either.right({ limit, before: null }) : Either.map(claimed(cursor), (before) => ({ limit, before }))

/** The page that was read where a cursor claimed, once that is seen to be one of this list. */
export const settle = Effect.fnUntraced(function* <A>(listing: Listing, { cursor }: Asked, { items, next }: Page<A>) {
  const cursors = yield* Cursors
  if (cursor !== null) yield* cursors.decode(listing, cursor)
  return { items, nextCursor: next === null ? null : yield* cursors.encode(listing, next) }
})

/** Reads one page of a list, with cursors in place of sequence numbers. */
export const page = Effect.fnUntraced(function* <A, E>(
  listing: Listing,
  request: Asked,
  read: (request: PageRequest) => Effect.Effect<Page<A>, E>
) {
  const cursors = yield* Cursors
  const before = request.cursor === null ? null : yield* cursors.decode(listing, request.cursor)
  const { items, next } = yield* read({ limit: request.limit, before })
  return { items, nextCursor: next === null ? null : yield* cursors.encode(listing, next) }
})
