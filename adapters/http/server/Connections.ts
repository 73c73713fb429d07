import type { IncomingMessage } from "node:http"
import type { Socket } from "node:net"
import { networkOf } from "./ClientAddress.ts"
import type { Limits } from "./ConnectionLimits.ts"
import * as StalledClients from "./StalledClients.ts"

/** A connection with its last response sent, while its client still sends. */
interface Linger {
  readonly began: number
  readonly from: number
  read: number
  at: number
}

/** Peers that connect for many clients. */
const local = new Set(["127.0.0.1", "::1", "::ffff:127.0.0.1"])

/** One address may have a quarter of all connections. */
export const shareOf = (most: number): number => Math.max(1, Math.floor(most / 4))

interface Options {
  readonly most: number
  /** True when peers are proxies, which have a connection for each of their clients. */
  readonly isProxied: boolean
}

/** Admits connections within limits per address, and closes stalled ones. */
export const make = (limits: Limits, { isProxied, most }: Options) => {
  const { now } = limits
  const share = shareOf(most)
  const open = new Set<Socket>()
  const perAddress = new Map<string, number>()
  const lingering = new Map<Socket, Linger>()
  let progressOf = StalledClients.progress()
  const isStalled = StalledClients.make(limits.writeTimeout, (socket: Socket) => progressOf(socket))

  /** Returns false when the connection's address has used up its share. */
  const admit = (socket: Socket): boolean => {
    const peer = socket.remoteAddress ?? ""
    const address = networkOf(peer)
    const count = perAddress.get(address) ?? 0
    if (count >= share && !isProxied && !local.has(peer)) return false
    perAddress.set(address, count + 1)
    open.add(socket)
    socket.on("close", () => {
      open.delete(socket)
      lingering.delete(socket)
      const left = (perAddress.get(address) ?? 1) - 1
      if (left > 0) perAddress.set(address, left)
      else perAddress.delete(address)
    })
    return true
  }

  /** Delays closing: a client that still sends would get a reset instead of its response. */
  const lingerAfter = (request: IncomingMessage) => {
    const { headers, socket } = request
    if (headers["content-length"] === undefined && headers["transfer-encoding"] === undefined) return
    socket.destroySoon = () => {
      const destroySoon = () => (Object.getPrototypeOf(socket) as Socket).destroySoon.call(socket)
      if (request.complete || socket.destroyed) return destroySoon()
      const { bytesRead } = socket
      lingering.set(socket, { began: now(), from: bytesRead, read: bytesRead, at: now() })
      socket.end()
      request.once("end", destroySoon).resume()
    }
  }

  const isOver = (socket: Socket, linger: Linger, at: number) => {
    if (socket.bytesRead !== linger.read) [linger.read, linger.at] = [socket.bytesRead, at]
    const { lingerBytes, lingerIdle, lingerTime } = limits
    return linger.read - linger.from > lingerBytes || at - linger.at >= lingerIdle || at - linger.began >= lingerTime
  }

  const sweep = () => {
    const at = now()
    progressOf = StalledClients.progress()
    // A reset, since the system would keep bytes that no peer reads.
    for (const socket of open) if (isStalled(socket, at)) socket.resetAndDestroy()
    for (const [socket, linger] of lingering) if (isOver(socket, linger, at)) socket.destroy()
  }

  return {
    admit,
    lingerAfter,
    isLingering: (socket: Socket) => lingering.has(socket),
    isEmpty: () => open.size === 0,
    sweep
  }
}
