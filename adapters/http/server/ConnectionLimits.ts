import { Context } from "effect"

/** Limits of connections to the service; times are milliseconds. */
export interface Limits {
  /** How often connections are looked at. */
  readonly interval: number
  /** How long a peer may take none of the bytes that are pending for it. */
  readonly writeTimeout: number
  /** How long the rest of a refused body is read: without a byte of it, in all, and how many bytes. */
  readonly lingerIdle: number
  readonly lingerTime: number
  readonly lingerBytes: number
  /** Requests of one connection that are handled at once; those behind them wait. */
  readonly pipelined: number
  /** Requests of all connections that wait for those before them. */
  readonly waiting: number
  readonly now: () => number
}

/** A reference, so that a test has its own clock. */
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
