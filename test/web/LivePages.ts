import { readFileSync } from "node:fs"
import { request } from "node:http"
import { join } from "node:path"
import { compileFunction } from "node:vm"

export interface Heard {
  readonly type: string
  readonly lastEventId: string
  readonly data: string
}

type Tell = (heard: Heard) => void

/** Reads the events of a stream as a browser does; its end and every other status than 200 are one event `error`. */
export const connect = (address: string, cookie: string, tell: Tell) => {
  let [text, lastEventId, isOver] = ["", "", false]
  const end = () => {
    if (isOver) return
    isOver = true
    tell({ type: "error", lastEventId, data: "" })
  }
  const read = (block: string) => {
    const fields = new Map(
      block.split("\n").map((line) => [line.split(": ", 1)[0], line.split(": ").slice(1).join(": ")])
    )
    lastEventId = fields.get("id") ?? lastEventId
    if (!isOver) tell({ type: fields.get("event") ?? "", lastEventId, data: fields.get("data") ?? "" })
  }
  const sent = request(address, { headers: { cookie, accept: "text/event-stream" }, agent: false }, (response) => {
    if (response.statusCode !== 200) {
      sent.destroy()
      return end()
    }
    response.setEncoding("utf8").on("data", (chunk: string) => {
      const blocks = `${text}${chunk}`.split("\n\n")
      text = blocks.pop() ?? ""
      blocks.forEach(read)
    })
    response.on("error", end).on("close", end)
  })
  sent.on("error", end).end()
  const close = () => {
    isOver = true
    sent.destroy()
  }
  return { close }
}

/** Keeps what was heard, and waits until enough was. */
export const hearing = () => {
  const heard: Array<Heard> = []
  let waiting: Array<() => void> = []
  const tell: Tell = (event) => {
    heard.push(event)
    const all = waiting
    waiting = []
    for (const resume of all) resume()
  }
  const until = async (isEnough: (heard: ReadonlyArray<Heard>) => boolean) => {
    while (!isEnough(heard)) await new Promise<void>((resume) => waiting.push(resume))
  }
  return { heard, tell, until }
}

const script = readFileSync(join(import.meta.dirname, "../../adapters/http/web/assets/live.js"), "utf8")
const names =
  "document EventSource addEventListener setTimeout setInterval CustomEvent fetch navigator BroadcastChannel".split(" ")
const compiled = compileFunction(script, names) as (...globals: ReadonlyArray<unknown>) => void

/** The parts of a browser that the script of live pages uses. */
export interface Browsing {
  readonly stream: string
  readonly after: string
  /** Opens a stream at an address; the returned function closes it. */
  readonly open: (address: string, tell: Tell) => () => void
  readonly later: (act: () => void, milliseconds: number) => void
  /** Parts of the page by their topics, with what fetches each. */
  readonly parts: ReadonlyArray<{ readonly topics: string; readonly fetch: () => void }>
  /** The document, whose events a test may tell and whose `hidden` it may set. */
  readonly page?: EventTarget & { hidden?: boolean }
  /** Status of the stream when it is asked for by itself. */
  readonly status?: () => number
  /** The other pages of the same browser; without, a page is alone. */
  readonly others?: Others
}

/** Told to a stream that was answered with an error instead. */
export const refused: Heard = { type: "error", lastEventId: "", data: "refused" }

type Listener = (message: { readonly data: unknown }) => void

/** Locks and channels that the pages of a browser share: one lock, granted in the order it was asked for. */
export const others = () => {
  const channels = new Set<{ listener: Listener }>()
  const waiting: Array<() => Promise<void> | undefined> = []
  let isHeld = false
  const grant = () => {
    const next = isHeld ? undefined : waiting.shift()
    if (next === undefined) return
    isHeld = true
    void Promise.resolve(next()).then(() => {
      isHeld = false
      grant()
    })
  }
  class BroadcastChannel {
    listener: Listener = () => {}
    constructor() {
      channels.add(this)
    }
    addEventListener(_: string, listener: Listener) {
      this.listener = listener
    }
    postMessage(data: unknown) {
      for (const one of channels) if (one !== this) one.listener({ data })
    }
    close() {
      channels.delete(this)
    }
  }
  const request = (_name: string, _options: object, own: () => Promise<void> | undefined) => {
    waiting.push(own)
    grant()
    return Promise.resolve()
  }
  return { navigator: { locks: { request } }, BroadcastChannel }
}

type Others = ReturnType<typeof others>

/** Runs the script of live pages, whose elements a test may replace. */
export const visit = ({
  after,
  later,
  open,
  page = new EventTarget(),
  parts,
  status,
  stream,
  ...browsing
}: Browsing) => {
  const { others: together } = browsing
  let leave = () => {}
  class EventSource {
    readonly listeners = new Map<string, (heard: Heard) => void>()
    readonly close: () => void
    readyState = 1
    constructor(address: string) {
      this.close = open(address, (heard) => {
        if (heard === refused) this.readyState = 2
        this.listeners.get(heard.type)?.(heard)
      })
    }
    addEventListener(type: string, listener: (heard: Heard) => void) {
      this.listeners.set(type, listener)
    }
  }
  const elements = parts.map(({ fetch, topics }) => ({
    id: topics,
    isConnected: true,
    dataset: { topics },
    dispatchEvent: fetch
  }))
  const document = Object.assign(page, {
    body: { dataset: { stream, after } },
    querySelector: () => null,
    querySelectorAll: () => elements,
    getElementById: (id: string) => elements.find((element) => element.id === id && element.isConnected) ?? null
  })
  const listen = (type: string, listener: () => void) => {
    if (type === "pagehide") leave = listener
  }
  const ask = () => Promise.resolve({ status: status?.() ?? 200 })
  compiled(
    document,
    EventSource,
    listen,
    later,
    () => {},
    CustomEvent,
    ask,
    together?.navigator ?? {},
    together?.BroadcastChannel
  )
  return { leave: () => leave(), elements }
}
