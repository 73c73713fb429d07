/** One response as received. */
export interface Answer {
  readonly status: number
  readonly head: string
  readonly headers: ReadonlyMap<string, string>
  readonly body: Buffer
}

const headersOf = (head: string) => {
  const headers = new Map<string, string>()
  for (const line of head.split("\r\n").slice(1)) {
    const [, name = "", value = ""] = /^([^:]+): ?(.*)$/.exec(line) ?? []
    headers.set(name.toLowerCase(), value)
  }
  return headers
}

/** The decoded chunked body and its end; null while some of it is missing. */
const unchunked = (bytes: Buffer, from: number): readonly [body: Buffer, end: number] | null => {
  const parts: Array<Buffer> = []
  let at = from
  for (;;) {
    const line = bytes.indexOf("\r\n", at)
    if (line === -1) return null
    const size = Number.parseInt(bytes.toString("latin1", at, line), 16)
    const end = line + 2 + size + 2
    if (bytes.length < end) return null
    if (size === 0) return [Buffer.concat(parts), end]
    parts.push(bytes.subarray(line + 2, end - 2))
    at = end
  }
}

const bodyOf = (bytes: Buffer, from: number, headers: ReadonlyMap<string, string>, isEnded: boolean) => {
  if (headers.get("transfer-encoding") === "chunked") return unchunked(bytes, from)
  const length = headers.get("content-length")
  if (length === undefined) return isEnded ? ([bytes.subarray(from), bytes.length] as const) : null
  const end = from + Number(length)
  return bytes.length < end ? null : ([bytes.subarray(from, end), end] as const)
}

/** Reads the responses to a request and the requests behind it; skips provisional ones. */
export const reader = (method: string) => {
  const answers: Array<Answer> = []
  let pieces: Array<Buffer> = []
  let isEnded = false
  let problem: string | null = null

  const next = (bytes: Buffer): Buffer | null => {
    const line = bytes.indexOf("\r\n\r\n")
    if (line === -1) return null
    const head = bytes.toString("latin1", 0, line)
    const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(head)?.[1] ?? 0)
    if (status === 0) {
      problem = `answers what is not HTTP: ${JSON.stringify(head.slice(0, 200))}`
      return null
    }
    if (status < 200) return bytes.subarray(line + 4)
    const headers = headersOf(head)
    const isHead = method === "HEAD" && answers.length === 0
    const isLast = /close/i.test(headers.get("connection") ?? "")
    const isBare = status === 204 || status === 304 || (isHead && !isLast)
    // A server that cannot parse the request cannot know that its response has no body.
    const said = isHead ? new Map<string, string>() : headers
    const found = isBare ? ([Buffer.alloc(0), line + 4] as const) : bodyOf(bytes, line + 4, said, isEnded)
    if (found === null) return null
    const [body, end] = found
    answers.push({ status, head, headers, body })
    return bytes.subarray(end)
  }

  const look = () => {
    let rest: Buffer | null = Buffer.concat(pieces)
    while (rest !== null && rest.length > 0) {
      pieces = [rest]
      rest = next(rest)
    }
    if (rest !== null) pieces = []
  }

  return {
    answers,
    take: (piece: Buffer) => {
      pieces.push(piece)
      look()
    },
    end: () => {
      isEnded = true
      look()
      if (pieces.length > 0) problem ??= "ends the connection within an answer"
    },
    problem: () => problem
  }
}
