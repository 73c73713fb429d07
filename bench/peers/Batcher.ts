interface Waiting<A, B> {
  readonly item: A
  readonly resolve: (answer: B) => void
  readonly reject: (error: unknown) => void
}

/** True when the written data is at fault, not the database. */
const isOfData = (error: unknown) => error instanceof Error && "code" in error && /^(22|23|54)/.test(String(error.code))

/** Turns one statement for many into one for each: items that arrive during a batch form the next one. */
export const batcher = <A, B>(
  run: (items: ReadonlyArray<A>) => Promise<ReadonlyArray<B>>,
  { most = 64, slots = 2 }: { readonly most?: number; readonly slots?: number } = {}
) => {
  const queue: Array<Waiting<A, B>> = []
  let busy = 0

  /** One failing item must not fail the others. */
  const settle = async (batch: ReadonlyArray<Waiting<A, B>>): Promise<void> => {
    try {
      const answers = await run(batch.map(({ item }) => item))
      batch.forEach(({ resolve }, index) => resolve(answers[index] as B))
    } catch (error) {
      if (batch.length > 1 && isOfData(error)) await Promise.all(batch.map((one) => settle([one])))
      else for (const { reject } of batch) reject(error)
    }
  }

  const flush = (): void => {
    if (queue.length === 0 || busy >= slots) return
    busy++
    void settle(queue.splice(0, most)).then(() => {
      busy--
      flush()
    })
    flush()
  }

  return (item: A) =>
    new Promise<B>((resolve, reject) => {
      queue.push({ item, resolve, reject })
      setImmediate(flush)
    })
}
