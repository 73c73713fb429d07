import { connect, type Socket } from "node:net"
import { type Answer, reader } from "./Answers.ts"
import { bytes, isClosing, mayGoUnanswered, type Request } from "./Wire.ts"

/** A client's result: the responses in order, and the connection's failure. */
export interface Outcome {
  /** The previous request on the same connection. */
  readonly after: Request | null
  readonly answers: ReadonlyArray<Answer>
  readonly trouble: string | null
}

/** A connection that is used until one side closes it. */
export interface Lane {
  readonly send: (request: Request) => Promise<Outcome>
  readonly close: () => void
}

/** Nothing is read after a request that closes its connection. */
const isFollowed = (request: Request) => request.manner === "pipelined" && !isClosing(request)

const behind = Buffer.from("GET /healthz HTTP/1.1\r\nhost: behind\r\nx-request-id: behind\r\n\r\n")
const followers = 2

const soon = () => new Promise((resolve) => setImmediate(resolve))
const later = (millis: number) => new Promise((resolve) => setTimeout(resolve, millis))

/** Milliseconds by which patience is counted. */
const tick = 100

/** Gives the server time to read a part before the next arrives. */
const pieces = async (socket: Socket, sent: Buffer) => {
  const size = Math.ceil(sent.length / 5)
  for (let at = 0; at < sent.length && socket.writable; at += size) {
    socket.write(sent.subarray(at, at + size))
    await soon()
  }
}

const slowly = async (socket: Socket, sent: Buffer) => {
  const slow = Math.min(sent.length, 20)
  socket.write(sent.subarray(0, -slow))
  for (const byte of sent.subarray(-slow)) {
    if (socket.writable) socket.write(Buffer.of(byte))
    await later(10)
  }
}

/** Reads for a moment, then pauses. */
const inSips = (socket: Socket) => {
  let turn = 0
  const sip = setInterval(() => {
    if (turn++ % 3 === 0 || turn > 30) socket.resume()
    else socket.pause()
    if (turn > 30) clearInterval(sip)
  }, 5)
}

const write = async (socket: Socket, request: Request) => {
  const sent = bytes(request)
  if (request.manner === "slow to read") inSips(socket)
  if (request.manner === "in pieces") await pieces(socket, sent)
  else if (request.manner === "slowly") await slowly(socket, sent)
  else if (isFollowed(request)) socket.write(Buffer.concat([sent, ...Array.from({ length: followers }, () => behind)]))
  else socket.write(sent)
  if (request.manner === "half closed" || request.framing === "too long") socket.end()
}

const isOver = (answer: Answer | undefined) => /close/i.test(answer?.headers.get("connection") ?? "")

const shortage = (request: Request, answers: ReadonlyArray<Answer>, wanted: number) => {
  if (mayGoUnanswered(request) || answers.length >= wanted) return null
  if (answers.length === 0) return "ends the connection without an answer"
  return isOver(answers.at(-1)) ? null : `ends the connection after ${answers.length} of ${wanted} answers`
}

/** Sends requests one after the other to an address, on a connection kept as long as both sides allow. */
export const lane = (url: string, patience: number): Lane => {
  const { hostname, port } = new URL(url)
  let open: Socket | null = null
  let before: Request | null = null

  const fresh = () => {
    const socket = connect({ host: hostname, port: Number(port), noDelay: true })
    // A reset is judged by the responses before it.
    socket.on("error", () => {})
    return socket
  }

  const hangUp = async (request: Request): Promise<Outcome> => {
    const socket = fresh()
    await new Promise((resolve) => socket.once("connect", resolve))
    const sent = bytes(request)
    socket.write(
      request.manner === "cut off" ? sent.subarray(0, sent.length - Math.ceil(request.body.length / 2)) : sent
    )
    await soon()
    socket.resetAndDestroy()
    return { after: null, answers: [], trouble: null }
  }

  const exchange = async (request: Request): Promise<Outcome> => {
    const kept = open
    const socket = kept !== null && kept.writable && !kept.destroyed ? kept : fresh()
    open = null
    const after = socket === kept ? before : null
    const wanted = isFollowed(request) ? 1 + followers : 1
    const reading = reader(request.method)
    let isEnded = false
    let hear = () => {}
    const listen = (piece: Buffer) => {
      reading.take(piece)
      hear()
    }
    const end = () => {
      isEnded = true
      reading.end()
      hear()
    }
    socket.on("data", listen).once("close", end)
    await write(socket, request)
    const isDone = () => isEnded || reading.answers.length >= wanted || isOver(reading.answers.at(-1))
    await new Promise<void>((resolve) => {
      let ticks = patience / tick
      const done = () => {
        clearInterval(timer)
        resolve()
      }
      // A machine that stops this whole process for seconds takes one tick of it.
      const timer = setInterval(() => --ticks <= 0 && done(), tick)
      hear = () => void (isDone() && done())
      hear()
    })
    socket.off("data", listen).off("close", end)
    const { answers, problem } = reading
    const isKept = isDone() && !isEnded && !isClosing(request) && !isOver(answers.at(-1)) && problem() === null
    if (isKept) open = socket
    else socket.destroy()
    before = request
    const hanging = isDone() ? null : `hangs: ${answers.length} of ${wanted} answers after ${patience} ms`
    return { after, answers, trouble: problem() ?? hanging ?? shortage(request, answers, wanted) }
  }

  return {
    send: (request) =>
      request.manner === "hung up" || request.manner === "cut off" ? hangUp(request) : exchange(request),
    close: () => open?.destroy()
  }
}
