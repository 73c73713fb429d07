import { Effect, Either } from "effect"
import { claim as claimed, Cursors, type InvalidCursor, type Listing } from "./Cursors.ts"
import type { Page, PageRequest } from "../ports/Page.ts"

type Asked = { readonly limit: number; readonly cursor: string | null }

/** Start of a page as its cursor claims it, before the cursor's workspace is known. */
export const claim = ({ cursor, limit }: Asked): Either.Either<PageRequest, InvalidCursor> =>
  cursor === null ? Either.right({ limit, before: null }) : Either.map(claimed(cursor), (before) => ({ limit, before }))

interface Finished<A> extends Pick<Page<A>, "items"> {
  readonly nextCursor: string | null
}

const finished = <A>(
  cursors: typeof Cursors.Service,
  listing: Listing,
  { items, next }: Page<A>
): Effect.Effect<Finished<A>> =>
  next === null
    ? Effect.succeed({ items, nextCursor: null })
    : Effect.map(cursors.encode(listing, next), (nextCursor) => ({ items, nextCursor }))

/** Returns the page read at a claimed position, after the cursor is verified for this list. */
export const settle = <A>(listing: Listing, { cursor }: Asked, page: Page<A>) =>
  Effect.flatMap(Cursors, (cursors) => {
    const settled = finished(cursors, listing, page)
    return cursor === null ? settled : Effect.zipRight(cursors.decode(listing, cursor), settled)
  })

/** Reads one page of a list, with cursors in place of sequence numbers. */
export const page = Effect.fnUntraced(function* <A, E>(
  listing: Listing,
  request: Asked,
  read: (request: PageRequest) => Effect.Effect<Page<A>, E>
) {
  const cursors = yield* Cursors
  const before = request.cursor === null ? null : yield* cursors.decode(listing, request.cursor)
  return yield* finished(cursors, listing, yield* read({ limit: request.limit, before }))
})
