import type { Json } from "../../application/ports/Json.ts"
import { cut, type Page, type PageRequest } from "../../application/ports/Page.ts"

/** The newest matching values below the request's sequence number. */
export const newest = <A, B>(
  values: Iterable<{ readonly seq: bigint; readonly value: A }>,
  matches: (value: A) => boolean,
  encode: (value: A) => Json<B>,
  { before, limit }: PageRequest
): Page<B> => {
  const rows = [...values]
    .filter((row) => (before === null || row.seq < before) && matches(row.value))
    .sort((a, b) => (a.seq < b.seq ? 1 : -1))
    .slice(0, limit + 1)
    .map((row) => ({ seq: row.seq, json: encode(row.value) }))
  return cut(rows, limit)
}
