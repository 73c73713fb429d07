/** A client's treatment of the connection it sends on. */
export type Manner =
  | "at once"
  /** In pieces, as networks do. */
  | "in pieces"
  /** Sends others right behind it, before any response. */
  | "pipelined"
  /** Sends its end byte by byte, for a while. */
  | "slowly"
  /** Ends its sending side, and reads. */
  | "half closed"
  /** Reads the response a little at a time. */
  | "slow to read"
  /** Leaves before the response. */
  | "hung up"
  /** Leaves in the middle of the body. */
  | "cut off"

/** The declared length of the body, true or not. */
export type Framing = "none" | "length" | "chunked" | "odd chunks" | "too short" | "too long" | "both"

/** A request as sent; texts hold one byte per character. */
export interface Request {
  readonly method: string
  readonly target: string
  readonly version: string
  readonly headers: ReadonlyArray<readonly [name: string, value: string]>
  readonly body: Buffer
  readonly framing: Framing
  readonly manner: Manner
  /** True when its proof may need a resource that tests lack. */
  readonly mayBeUnavailable: boolean
}

/** UTF-8 with one character per byte. */
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

/** Methods the parser knows; `CONNECT` is for proxies. */
const methods = /^(GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS|TRACE|PROPFIND|QUERY)$/

const largestHead = 16_000

/** True when a strict HTTP parser accepts the request; the service may not refuse it as malformed then. */
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

/** True when the server may close without a response: the client left early, or never finished. */
export const mayGoUnanswered = ({ framing, manner }: Request): boolean =>
  manner === "half closed" || framing === "too long"

export const isClosing = (request: Request): boolean =>
  request.version !== "HTTP/1.1" || /close|upgrade/i.test(valueOf(request, "connection")) || !isWellFormed(request)

/** Short enough to read, long enough to send again. */
export const shown = (request: Request): string => {
  const text = JSON.stringify(bytes(request).toString("latin1"))
  return text.length <= 2000 ? text : `${text.slice(0, 1500)}…(${text.length} characters)…${text.slice(-300)}`
}
