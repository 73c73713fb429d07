import type { Case } from "./Case.ts"
import type { Twin } from "./Marking.ts"
import type { Stage } from "./Stage.ts"
import { keyless, keysIn, settled, uuidsIn } from "./Told.ts"

/** What came of a case: what was told, the rows of the one, and those of each twin. */
export interface Seen {
  readonly result: string
  readonly rows: ReadonlyArray<string>
  readonly twins: ReadonlyArray<ReadonlyArray<string>>
}

/** Makes all as it was, does it, and looks. */
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
  /** What was settled already: most rows are the same each time. */
  readonly settled: Map<string, string>
}

/** What there was before anything was done. */
export const before = async ({ at, keeper }: Stage): Promise<Before> => {
  const rows = (await keeper.look()).get(at.id) ?? []
  return { ids: uuidsIn(rows), keys: keysIn(rows), settled: new Map() }
}

/** What is the same each time, in no order. */
export const steady = (texts: ReadonlyArray<string>, { ids, settled: known }: Before): ReadonlyArray<string> =>
  texts
    .map((text) => {
      const one = known.get(text) ?? settled(text, ids)
      known.set(text, one)
      return one
    })
    .sort()

/** The same of a case, but for keys where they depend on who comes first. */
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
