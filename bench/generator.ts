/** A process that sends requests and times the responses; raw sockets keep its own load on the machine low. */
import { connect } from "node:net"
import type { Measured, Order } from "./Load.ts"
import { requestsOf } from "./Requests.ts"

const end = Buffer.from("\r\n\r\n")

/** Assembles one response; returns it once it is complete. */
const reader = () => {
  let chunks: Array<Buffer> = []
  let received = 0
  let awaited = Infinity
  let status = 0
  return (chunk: Buffer): { readonly status: number; readonly bytes: number } | undefined => {
    chunks.push(chunk)
    received += chunk.length
    if (awaited === Infinity) {
      const data = chunks.length === 1 ? chunk : Buffer.concat(chunks)
      const head = data.indexOf(end)
      if (head < 0) return undefined
      const headers = data.toString("latin1", 0, head)
      if (/\r\ntransfer-encoding:/i.test(headers)) throw new Error(`an answer without a length: ${headers}`)
      status = Number(headers.slice(9, 12))
      awaited = head + end.length + Number(/\r\ncontent-length: (\d+)/i.exec(headers)?.[1] ?? 0)
    }
    if (received < awaited) return undefined
    if (received > awaited) throw new Error("more was answered than was asked for")
    const bytes = received
    chunks = []
    received = 0
    awaited = Infinity
    return { status, bytes }
  }
}

const run = async (order: Order): Promise<Measured> => {
  const { hostname, port } = new URL(order.url)
  const requests = requestsOf(order)
  const times = new Float64Array(requests.length)
  const statuses: Record<number, number> = {}
  let sent = 0
  let bytes = 0
  const talk = () =>
    new Promise<void>((resolve, reject) => {
      const socket = connect({ host: hostname, port: Number(port), noDelay: true })
      const read = reader()
      let mine = -1
      let began = 0
      const next = () => {
        mine = -1
        if (sent === requests.length) return socket.end(() => resolve())
        mine = sent++
        began = performance.now()
        socket.write(requests[mine] as Buffer)
      }
      socket.on("error", reject)
      socket.on("close", () => (mine < 0 ? resolve() : reject(new Error("a connection ended before its answer"))))
      socket.on("data", (chunk) => {
        try {
          const answer = read(chunk)
          if (answer === undefined) return
          times[mine] = performance.now() - began
          statuses[answer.status] = (statuses[answer.status] ?? 0) + 1
          bytes += answer.bytes
          next()
        } catch (error) {
          socket.destroy(error instanceof Error ? error : new Error(String(error)))
        }
      })
      socket.on("connect", next)
    })
  const began = performance.now()
  await Promise.all(Array.from({ length: Math.min(order.connections, requests.length) }, talk))
  const seconds = (performance.now() - began) / 1000
  times.sort()
  const at = (share: number) => times[Math.min(times.length - 1, Math.floor(times.length * share))] as number
  return {
    requests: requests.length,
    seconds,
    began: performance.timeOrigin + began,
    p50: at(0.5),
    p99: at(0.99),
    bytes,
    statuses
  }
}

process.on("message", (order: Order) => {
  run(order).then(
    (measured) => process.send?.({ measured }),
    (error: Error) => process.send?.({ problem: error.stack })
  )
})
