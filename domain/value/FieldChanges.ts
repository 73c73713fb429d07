import { Record } from "effect"
import { cut } from "./Text.ts"

type Shown = Readonly<Record<string, unknown>>

/** Returns the changed fields before and after; unchanged fields are left out. */
export const difference = (
  before: Shown | null,
  after: Shown | null
): { readonly before?: Shown; readonly after?: Shown } => {
  const [old, fresh] = [before ?? {}, after ?? {}]
  const names = [...new Set([...Object.keys(old), ...Object.keys(fresh)])]
  const changed = names.filter((name) => JSON.stringify(old[name]) !== JSON.stringify(fresh[name]))
  const pick = (from: Shown) => Object.fromEntries(changed.map((name) => [name, from[name] ?? null]))
  return { ...(before !== null && { before: pick(old) }), ...(after !== null && { after: pick(fresh) }) }
}

const longest = 500
const most = 20

const bounded = (value: unknown): unknown => {
  if (typeof value === "string") return cut(value, longest)
  if (!Array.isArray(value)) return value
  const kept = value.slice(0, most).map(bounded)
  return value.length > most ? [...kept, `… and ${value.length - most} more`] : kept
}

/** Same as `difference`, with texts cut to 500 characters and lists to 20, for fields that people write at length. */
export const boundedDifference = (before: Shown, after: Shown) => {
  const { after: fresh = {}, before: old = {} } = difference(before, after)
  return { before: Record.map(old, bounded), after: Record.map(fresh, bounded) }
}
