/** What a client saw of one decision, and between which moments; an answer that was never confirmed has no end. */
export interface Seen {
  readonly did: "answer" | "read"
  /** What was answered; of a read, nothing. */
  readonly option: string | null
  readonly began: number
  readonly ended: number
  /** The option that counts, as the client was told; null when nobody had answered, undefined when it was told nothing. */
  readonly saw: string | null | undefined
}

/**
 * Whether a history of one decision has an order in which each step took effect at one moment between its beginning and
 * its end, the first answer counting for ever. Such an order exists exactly if there is a moment for the one answer that
 * counts: not before it was given, nor before the last look began that saw none, and neither after it was confirmed nor
 * after the first step ended that saw it.
 */
export const problems = (history: ReadonlyArray<Seen>, end: string | null): ReadonlyArray<string> => {
  const told = history.filter(({ saw }) => saw !== undefined && saw !== null)
  const others = told.filter(({ saw }) => saw !== end)
  if (others.length > 0) return [`${others.length} were told of '${others[0]?.saw}', but '${end}' counts`]
  if (end === null) return []
  const given = history.filter(({ did, option }) => did === "answer" && option === end)
  if (given.length === 0) return [`'${end}' counts, which nobody answered`]
  const blind = history.filter(({ did, saw }) => did === "read" && saw === null)
  const earliest = Math.max(Math.min(...given.map(({ began }) => began)), ...blind.map(({ began }) => began))
  const latest = Math.min(Math.max(...given.map(({ ended }) => ended)), ...told.map(({ ended }) => ended))
  return earliest <= latest ? [] : [`a look that began at ${earliest} saw no answer, though one was known at ${latest}`]
}
