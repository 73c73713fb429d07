import { Context } from "effect"

/** Limits of connections to the service; times are in milliseconds. */
export interface Limits {
  /** Interval of the sweep over all connections. */
  readonly interval: number
  /** Time a peer may accept none of the bytes pending for it. */
  readonly writeTimeout: number
  /** Limits for reading the rest of a refused body: idle time, total time, and bytes. */
  readonly lingerIdle: number
  readonly lingerTime: number
  readonly lingerBytes: number
  /** Requests of one connection that are handled at once; the next ones wait. */
  readonly pipelined: number
  /** Requests of all connections that wait for earlier ones. */
  readonly waiting: number
  readonly now: () => number
}

/** A reference, so that a test can provide its own clock. */
export class ConnectionLimits extends Context.Reference<ConnectionLimits>()("adapters/http/ConnectionLimits", {
  defaultValue: (): Limits => ({
    interval: 1000,
    writeTimeout: 15_000,
    lingerIdle: 2000,
    lingerTime: 15_000,
    lingerBytes: 8_388_608,
    pipelined: 8,
    waiting: 10_000,
    now: () => performance.now()
  })
}) {}
