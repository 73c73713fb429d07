import type { IncomingMessage, ServerResponse } from "node:http"
import type { Socket } from "node:net"
import type { Limits } from "./ConnectionLimits.ts"

type Request = readonly [request: IncomingMessage, response: ServerResponse]

interface Line {
  active: number
  readonly waiting: Array<Request>
}

/**
 * Handles a few requests of a connection at once, in their order. While others wait behind them nothing more is read,
 * so that an endlessly sending client holds no more than one read of its socket.
 */
export const make = (
  { pipelined, waiting: most }: Pick<Limits, "pipelined" | "waiting">,
  handle: (request: IncomingMessage, response: ServerResponse) => void
) => {
  const lines = new WeakMap<Socket, Line>()
  let waiting = 0

  const open = (socket: Socket): Line => {
    const line: Line = { active: 0, waiting: [] }
    lines.set(socket, line)
    // Node resumes reading when there is room for responses.
    socket.on("resume", () => line.waiting.length > 0 && socket.pause())
    socket.on("close", () => {
      waiting -= line.waiting.length
      line.waiting.length = 0
    })
    return line
  }

  const begin = (line: Line, [request, response]: Request) => {
    line.active++
    response.once("close", () => {
      line.active--
      const next = line.waiting.shift()
      if (next === undefined) return
      waiting--
      begin(line, next)
      if (line.waiting.length === 0) request.socket.resume()
    })
    handle(request, response)
  }

  return (request: IncomingMessage, response: ServerResponse): void => {
    const { socket } = request
    const line = lines.get(socket) ?? open(socket)
    if (line.active < pipelined) return begin(line, [request, response])
    if (waiting >= most) {
      socket.destroy()
      return
    }
    line.waiting.push([request, response])
    waiting++
    socket.pause()
  }
}
