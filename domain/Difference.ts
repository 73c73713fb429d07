type Shown = Readonly<Record<string, unknown>>

/** What changed, before and after; what did not is not told. */
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
