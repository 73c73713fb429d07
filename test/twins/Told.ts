import { Cause, Chunk, Exit, Redacted } from "effect"

/** Any value as text, including values that JSON leaves out: secrets, maps and large numbers. */
export const written = (value: unknown): string =>
  JSON.stringify(value, function (this: Readonly<Record<string, unknown>>, key, given: unknown) {
    const raw = this[key]
    if (Redacted.isRedacted(raw)) return Redacted.value(raw as Redacted.Redacted<unknown>)
    if (raw instanceof Map) return [...raw]
    if (raw instanceof Error) return { ...raw, message: raw.message, cause: raw.cause }
    return typeof given === "bigint" ? given.toString() : given
  }) ?? ""

/** The whole result. */
export const told = (exit: Exit.Exit<unknown, unknown>): string =>
  Exit.isSuccess(exit)
    ? written(exit.value)
    : `failed ${written(Chunk.toArray(Cause.failures(exit.cause)))} died ${written(Chunk.toArray(Cause.defects(exit.cause)))}`

const uuid = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g

export const uuidsIn = (texts: ReadonlyArray<string>): ReadonlySet<string> =>
  new Set(texts.flatMap((text) => text.match(uuid) ?? []))

/** Replaces values that are drawn anew each time: times, secrets, new ids, and numbers of counters that all share. */
export const settled = (text: string, known: ReadonlySet<string>): string =>
  text
    .replace(/\d{4}-\d\d-\d\d[T ][\d:.]+(Z|\+00(:00)?)|\b1[789]\d{11}\b/g, "<time>")
    .replace(uuid, (id) => (known.has(id) ? id : "<id>"))
    .replace(/\b[tr]k_\w+/g, "<token>")
    .replace(/\bv\d\.[0-9a-f]{8}\.[\w-]+/g, "<sealed>")
    .replace(/\b([0-9a-f]{64}|[A-Za-z0-9]{32})\b/g, "<random>")
    .replace(/^(?!audit).*"seq":"?-?\d+"?/, (row) => row.replace(/"seq":"?-?\d+"?/, '"seq"'))
    .replace(/"mark":"?\d+"?/g, '"mark"')

/** Also replaces new keys, which depend on the other operations. */
export const keyless = (text: string, known: ReadonlySet<string>): string =>
  text.replace(/\b(run|dec|inc)-[0-9a-hjkmnp-tv-z]{4}\b/g, (key) => (known.has(key) ? key : "<key>"))

export const keysIn = (texts: ReadonlyArray<string>): ReadonlySet<string> =>
  new Set(texts.flatMap((text) => text.match(/\b(run|dec|inc)-[0-9a-hjkmnp-tv-z]{4}\b/g) ?? []))
