/** A client's observation of one decision, with its start and end; an unconfirmed answer has no end. */
export interface Seen {
  readonly did: "answer" | "read"
  /** The answer's option; null for a read. */
  readonly option: string | null
  readonly began: number
  readonly ended: number
  /** The valid option as the client saw it; null when there was no answer, undefined without a response. */
  readonly saw: string | null | undefined
}

/**
 * Checks that a history of one decision is linearizable: each step took effect at one moment between its start and its
 * end, and the first answer stays valid. Such an order exists exactly if there is a moment for the one valid answer:
 * not before it was sent, nor before the start of the last read that saw none, and neither after it was confirmed nor
 * after the end of the first step that saw it.
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
