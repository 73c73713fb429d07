import { readFileSync, readlinkSync } from "node:fs"
import type { Socket } from "node:net"

/** Progress of a connection's peer with the bytes written for it. */
export interface Progress {
  /** Bytes that this process still holds. */
  readonly pending: number
  /** Bytes that the operating system accepted. */
  readonly taken: number
  /** Accepted bytes that the peer has not acknowledged; null if unknown. */
  readonly unacknowledged: () => number | null
}

interface Seen {
  readonly taken: number
  readonly unacknowledged: number | null
  readonly since: number
}

/** Finds connections whose peer accepted none of the pending bytes for `patience` milliseconds. */
export const make = <C extends object>(patience: number, progressOf: (connection: C) => Progress) => {
  const seen = new WeakMap<C, Seen>()
  return (connection: C, now: number): boolean => {
    const { pending, taken, unacknowledged } = progressOf(connection)
    const before = seen.get(connection)
    if (pending === 0) {
      if (before !== undefined) seen.delete(connection)
      return false
    }
    if (before === undefined || before.taken !== taken) {
      seen.set(connection, { taken, unacknowledged: null, since: now })
      return false
    }
    // The system accepts more only once a third of its buffer is free: long after a slow peer has read some.
    const left = unacknowledged()
    const isSlow = before.unacknowledged !== null && left !== before.unacknowledged
    if (isSlow || before.unacknowledged === null)
      seen.set(connection, { taken, unacknowledged: left, since: isSlow ? now : before.since })
    return !isSlow && now - before.since >= patience
  }
}

/** Linux's table of connections: unacknowledged bytes by the inode of the socket. */
const table = (): ReadonlyMap<string, number> => {
  const queues = new Map<string, number>()
  for (const file of ["/proc/net/tcp", "/proc/net/tcp6"]) {
    let text = ""
    try {
      text = readFileSync(file, "latin1")
    } catch {
      continue
    }
    for (const line of text.split("\n").slice(1)) {
      const columns = line.trim().split(/\s+/)
      const [queue = "", inode = ""] = [columns[4], columns[9]]
      if (inode !== "" && inode !== "0") queues.set(inode, Number.parseInt(queue, 16))
    }
  }
  return queues
}

const inodeOf = (fd: number): string => {
  try {
    return /\[(\d+)\]/.exec(readlinkSync(`/proc/self/fd/${fd}`))?.[1] ?? ""
  } catch {
    return ""
  }
}

/** The native half of a socket: Node's own timeouts read the same counters. */
interface Handle {
  readonly fd?: number
  readonly bytesWritten?: number
  readonly writeQueueSize?: number
}

/** Reads the progress of sockets; reads the system's table once at most, and only when needed. */
export const progress = () => {
  let known: ReadonlyMap<string, number> | null = null
  return (socket: Socket): Progress => {
    const { bytesWritten = 0, fd = -1, writeQueueSize = 0 } = (socket as { _handle?: Handle })._handle ?? {}
    return {
      pending: writeQueueSize,
      taken: bytesWritten - writeQueueSize,
      unacknowledged: () => {
        known ??= table()
        return known.get(inodeOf(fd)) ?? null
      }
    }
  }
}
