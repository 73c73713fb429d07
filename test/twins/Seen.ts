import type { Case } from "./Case.ts"
import type { Twin } from "./Marking.ts"
import type { Stage } from "./Stage.ts"
import { keyless, keysIn, settled, uuidsIn } from "./Told.ts"

/** Result of a case: its answer, the rows of the original, and the rows of each twin. */
export interface Seen {
  readonly result: string
  readonly rows: ReadonlyArray<string>
  readonly twins: ReadonlyArray<ReadonlyArray<string>>
}

/** Restores all rows, performs the case, and reads the rows. */
export const play = async ({ at, keeper, perform }: Stage, one: Case, twins: ReadonlyArray<Twin>): Promise<Seen> => {
  await keeper.restore()
  const ids = twins.map(({ id }) => id)
  const others = one.unneeded?.(at.id) ?? []
  const result = await (one.twins === "held" ? keeper.whileHeld(ids, others, () => perform(one)) : perform(one))
  const rows = await keeper.look()
  return { result, rows: rows.get(at.id) ?? [], twins: ids.map((id) => rows.get(id) ?? []) }
}

export interface Before {
  readonly ids: ReadonlySet<string>
  readonly keys: ReadonlySet<string>
  /** Cache of settled texts: most rows are the same each time. */
  readonly settled: Map<string, string>
}

/** The state before any case. */
export const before = async ({ at, keeper }: Stage): Promise<Before> => {
  const rows = (await keeper.look()).get(at.id) ?? []
  return { ids: uuidsIn(rows), keys: keysIn(rows), settled: new Map() }
}

/** The constant part of the texts, unordered. */
export const steady = (texts: ReadonlyArray<string>, { ids, settled: known }: Before): ReadonlyArray<string> =>
  texts
    .map((text) => {
      const one = known.get(text) ?? settled(text, ids)
      known.set(text, one)
      return one
    })
    .sort()

/** The same for a case, without keys where they depend on the order of callers. */
export const lasting = (texts: ReadonlyArray<string>, was: Before, one: Case): ReadonlyArray<string> =>
  one.twins === "held"
    ? steady(texts, was)
    : steady(texts, was)
        .map((text) => keyless(text, was.keys))
        .sort()

/** A twin's rows as the original would have them. */
export const asOriginal = (
  rows: ReadonlyArray<string>,
  { id, of, slug, word }: Twin & { readonly of: { readonly id: string; readonly slug: string } }
) => rows.map((row) => row.replaceAll(` ${word}`, "").replaceAll(slug, of.slug).replaceAll(id, of.id))
