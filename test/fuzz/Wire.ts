/** How a client treats the connection it sends its request on. */
export type Manner =
  | "at once"
  /** In pieces, as networks do. */
  | "in pieces"
  /** With others right behind it, before any answer. */
  | "pipelined"
  /** Byte by byte in the end, for a while. */
  | "slowly"
  /** Says it is done sending, and listens. */
  | "half closed"
  /** Takes the answer a little at a time. */
  | "slow to read"
  /** Is gone before the answer. */
  | "hung up"
  /** Is gone in the middle of the body. */
  | "cut off"

/** What is said of how long the body is, true or not. */
export type Framing = "none" | "length" | "chunked" | "odd chunks" | "too short" | "too long" | "both"

/** A request as it goes over the wire; texts hold one byte per character. */
export interface Request {
  readonly method: string
  readonly target: string
  readonly version: string
  readonly headers: ReadonlyArray<readonly [name: string, value: string]>
  readonly body: Buffer
  readonly framing: Framing
  readonly manner: Manner
  /** Whether a proof of where it comes from may need what is not there in a test. */
  readonly mayBeUnavailable: boolean
}

/** One byte per character, those of UTF-8. */
export const bytesOf = (text: string): string => Buffer.from(text, "utf8").toString("latin1")

const chunk = (bytes: Buffer, extension: string) =>
  Buffer.concat([Buffer.from(`${bytes.length.toString(16)}${extension}\r\n`), bytes, Buffer.from("\r\n")])

const chunked = (body: Buffer, extension: string, trailer: string) => {
  const half = Math.ceil(body.length / 2)
  const parts = [body.subarray(0, half), body.subarray(half)].filter((part) => part.length > 0)
  const end = Buffer.from(`0\r\n${trailer}\r\n`)
  return Buffer.concat([...parts.map((part) => chunk(part, extension)), end])
}

const framed = ({ body, framing }: Request): readonly [headers: ReadonlyArray<string>, body: Buffer] => {
  const length = (bytes: number) => `content-length: ${Math.max(0, bytes)}`
  switch (framing) {
    case "none":
      return [[], Buffer.alloc(0)]
    case "length":
      return [[length(body.length)], body]
    case "chunked":
      return [["transfer-encoding: chunked"], chunked(body, "", "")]
    case "odd chunks":
      return [["Transfer-Encoding:  Chunked"], chunked(body, ';a="b;c"', "X-Trailer: 1\r\nAuthorization: Bearer x\r\n")]
    case "too short":
      return [[length(body.length - 7)], body]
    case "too long":
      return [[length(body.length + 7)], body]
    case "both":
      return [[length(body.length), "transfer-encoding: chunked"], chunked(body, "", "")]
  }
}

export const bytes = (request: Request): Buffer => {
  const { headers, method, target, version } = request
  const [framing, body] = framed(request)
  const lines = [`${method} ${target} ${version}`, ...headers.map(([name, value]) => `${name}: ${value}`), ...framing]
  return Buffer.concat([Buffer.from(`${lines.join("\r\n")}\r\n\r\n`, "latin1"), body])
}

const valueOf = ({ headers }: Request, wanted: string) =>
  headers.find(([name]) => name.toLowerCase() === wanted)?.[1] ?? ""

const isHeader = ([name, value]: readonly [string, string]) =>
  // oxlint-disable-next-line no-control-regex
  /^[\w!#$%&'*+.^`|~-]+$/.test(name) && !/[\x00-\x08\x0a-\x1f\x7f]/.test(value)

/** Known to the parser; `CONNECT` is for proxies. */
const methods = /^(GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS|TRACE|PROPFIND|QUERY)$/

const largestHead = 16_000

/** Whether a strict reader of HTTP takes the request; nobody may refuse it as malformed then. */
export const isWellFormed = (request: Request): boolean =>
  methods.test(request.method) &&
  /^HTTP\/1\.[01]$/.test(request.version) &&
  /^(\/|https?:\/\/)[\x21-\x7e]*$/i.test(request.target) &&
  request.headers.every(isHeader) &&
  request.headers.every(([name]) => !/^(content-length|transfer-encoding)$/i.test(name)) &&
  !["both", "too short", "too long"].includes(request.framing) &&
  (request.version === "HTTP/1.1" || !request.framing.includes("chunk")) &&
  request.target.length + request.headers.reduce((sum, [name, value]) => sum + name.length + value.length + 4, 0) <
    largestHead

/** Whether the server may end the connection without a word: the client did not stay for one, or never finished. */
export const mayGoUnanswered = ({ framing, manner }: Request): boolean =>
  manner === "half closed" || framing === "too long"

export const isClosing = (request: Request): boolean =>
  request.version !== "HTTP/1.1" || /close|upgrade/i.test(valueOf(request, "connection")) || !isWellFormed(request)

/** Short enough to be read by people, long enough to be sent again. */
export const shown = (request: Request): string => {
  const text = JSON.stringify(bytes(request).toString("latin1"))
  return text.length <= 2000 ? text : `${text.slice(0, 1500)}…(${text.length} characters)…${text.slice(-300)}`
}
