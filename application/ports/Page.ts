import { array, type Json } from "./Json.ts"

/** Newest first: rows whose sequence number is below `before`, at most `limit`. */
export interface PageRequest {
  readonly limit: number
  readonly before: bigint | null
}

export interface Page<A> {
  readonly items: Json<ReadonlyArray<A>>
  readonly count: number
  /** Sequence number of the last item when more follow. */
  readonly next: bigint | null
}

/** Cuts a read of limit + 1 rows to the requested page. */
export const cut = <A>(
  rows: ReadonlyArray<{ readonly seq: bigint; readonly json: Json<A> }>,
  limit: number
): Page<A> => {
  const page = rows.slice(0, limit)
  return {
    items: array(page.map((row) => row.json)),
    count: page.length,
    next: rows.length > limit ? (page.at(-1)?.seq ?? null) : null
  }
}
