import pg from "pg"

/** Prefixes that mark a statement to be sent along with another. */
const along = { next: "/* with the next */ ", commit: "/* with the commit */ " }

/** Caches marked texts: a newly built string must be hashed again for each lookup. */
const marking = (mark: string) => {
  const marked = new Map<string, string>()
  return (text: string): string => {
    const known = marked.get(text) ?? mark + text
    marked.set(text, known)
    return known
  }
}

/** Marks a statement whose result is unused: it is sent with the next one, which fails if it does. */
export const withNext = marking(along.next)

/** Marks the last statement of a transaction: the commit is sent with it, so that no lock waits for this process. */
export const withCommit = marking(along.commit)

/** More statements than the service has; texts built at run time must not fill the memory of every connection. */
const mostNames = 500

/** The connection was lost after a commit was sent and before it was confirmed. */
export class OutcomeUnknown extends Error {}

/** Errors of Postgres itself have a code of five characters; classes 08 and 57 are about the connection. */
const isRefusal = (error: Error) => "code" in error && /^(?!08|57)[0-9A-Z]{5}$/.test(String(error.code))

const uncertain = (error: Error | null) =>
  error === null || isRefusal(error) ? error : new OutcomeUnknown("commit", { cause: error })

type Callback = (error: Error | null, result?: pg.QueryResult) => void
type Ask = (query: pg.QueryConfig, callback: Callback) => void

const nothing = { command: "", rowCount: 0, oid: 0, fields: [], rows: [] }

/**
 * A connection that names every statement with parameters, so that Postgres parses and plans it once, and writes to its
 * socket as rarely as it can: a transaction's BEGIN is sent with its first statement.
 */
export class PipelinedClient extends pg.Client {
  #held: Array<pg.QueryConfig> = []
  #isOver = false
  readonly #names = new Map<string, string>()

  /** Undefined, so that no cancel request hits another client that uses the connection's process by then. */
  get processID() {
    return undefined
  }
  set processID(_: unknown) {}

  // oxlint-disable-next-line typescript/no-explicit-any
  override query(...given: Array<any>): any {
    const [text, values] = given
    const callback: unknown = given.at(-1)
    const ask = super.query as (...given: ReadonlyArray<unknown>) => unknown
    if (typeof text !== "string" || typeof callback !== "function") return ask.apply(this, given)
    const send: Ask = (query, done) => ask.call(this, query, done)
    return this.#ask(text, Array.isArray(values) ? values : [], callback as Callback, send)
  }

  #nameOf(text: string): string | undefined {
    const known = this.#names.get(text)
    if (known !== undefined || this.#names.size >= mostNames) return known
    const name = `gatehouse_${this.#names.size}`
    this.#names.set(text, name)
    return name
  }

  #ask(text: string, values: Array<unknown>, done: Callback, send: Ask) {
    const name = values.length > 0 ? this.#nameOf(text) : undefined
    const query = name === undefined ? { text, values } : { name, text, values }
    const answer = () => queueMicrotask(() => done(null, nothing))
    if (text === "BEGIN" || text.startsWith(along.next)) {
      this.#isOver = false
      this.#held.push(query)
      return answer()
    }
    const isEnd = text === "COMMIT" || text === "ROLLBACK"
    // Sends no end for a transaction that was never sent, nor for one that already ended with its last statement.
    if (isEnd && (this.#isOver || this.#held.some((held) => held.text === "BEGIN"))) {
      this.#held = []
      return answer()
    }
    let failure: Error | null = null
    const noted: Callback = (error) => (failure ??= error)
    const { stream } = this.connection
    stream.cork()
    for (const held of this.#held) send(held, noted)
    this.#held = []
    if (text.startsWith(along.commit)) {
      this.#isOver = true
      let written: pg.QueryResult | undefined
      send(query, (error, result) => {
        noted(error)
        written = result
      })
      send({ text: "COMMIT" }, (error) => done(uncertain(failure ?? error), written))
    } else send(query, (error, result) => done(text === "COMMIT" ? uncertain(error) : (failure ?? error), result))
    stream.uncork()
  }
}
