import pg from "pg"

/** Why a statement is sent along with another; its text begins with it. */
const along = { next: "/* with the next */ ", commit: "/* with the commit */ " }

/** Made once: a text that is put together anew has to be read through to be known again. */
const marking = (mark: string) => {
  const marked = new Map<string, string>()
  return (text: string): string => {
    const known = marked.get(text) ?? mark + text
    marked.set(text, known)
    return known
  }
}

/** A statement whose answer nobody needs: it goes out together with the next one, which fails if it does. */
export const withNext = marking(along.next)

/** The last statement of a transaction: the commit goes out with it, so that no lock waits for this process. */
export const withCommit = marking(along.commit)

const names = new Map<string, string>()

/** More texts than the service has; one that is made up as it goes must not fill the memory of every connection. */
const mostNames = 500

const nameOf = (text: string): string | undefined => {
  const known = names.get(text)
  if (known !== undefined || names.size >= mostNames) return known
  const name = `gatehouse_${names.size}`
  names.set(text, name)
  return name
}

/** The connection was lost after a commit was sent and before it was confirmed. */
export class OutcomeUnknown extends Error {}

/** What Postgres itself refused has a code of five characters; in classes 08 and 57 it speaks of the connection. */
const isRefusal = (error: Error) => "code" in error && /^(?!08|57)[0-9A-Z]{5}$/.test(String(error.code))

const uncertain = (error: Error | null) =>
  error === null || isRefusal(error) ? error : new OutcomeUnknown("commit", { cause: error })

type Callback = (error: Error | null, result?: pg.QueryResult) => void
type Ask = (query: pg.QueryConfig, callback: Callback) => void

const nothing = { command: "", rowCount: 0, oid: 0, fields: [], rows: [] }

/**
 * A connection on which every statement with parameters has a name, so that Postgres reads and plans it once, and which
 * writes to its socket as seldom as it can: the beginning of a transaction goes out with the first statement of it.
 */
export class Wire extends pg.Client {
  #held: Array<pg.QueryConfig> = []
  #isOver = false

  /** Unknown, so that no statement is cancelled by the number of its connection, which may serve somebody else by then. */
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

  #ask(text: string, values: Array<unknown>, done: Callback, send: Ask) {
    const name = values.length > 0 ? nameOf(text) : undefined
    const query = name === undefined ? { text, values } : { name, text, values }
    const answer = () => queueMicrotask(() => done(null, nothing))
    if (text === "BEGIN" || text.startsWith(along.next)) {
      this.#isOver = false
      this.#held.push(query)
      return answer()
    }
    const isEnd = text === "COMMIT" || text === "ROLLBACK"
    // Nothing was sent of a transaction that held all it had, nor is there more to end of one that ended itself.
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
