import { Schema } from "effect"
import { TokenId } from "../workspace/ApiToken.ts"
import { Timestamp } from "../value/Timestamp.ts"

/** One form only: Postgres takes an id in any case, and a comparison of texts does not. */
const LowerUuid = Schema.UUID.pipe(Schema.lowercased({ message: () => "must be in lower case" }))

export const RunnerId = LowerUuid.pipe(Schema.brand("RunnerId"))
export type RunnerId = typeof RunnerId.Type
export const LeaseId = LowerUuid.pipe(Schema.brand("LeaseId"))
export type LeaseId = typeof LeaseId.Type

/** One process of a runner, by an id that it draws at its start. */
export const InstanceId = LowerUuid.pipe(Schema.brand("InstanceId"))
export type InstanceId = typeof InstanceId.Type

export const leaseSeconds = 60
export const renewSeconds = 20
/** Duration of a lease taken on the command line. */
export const handHours = 24
/** Time after an answer in which only the last runner may take the run. */
export const returnSeconds = 120
/** Lapses in a row after which a run stays failed. */
export const mostLapses = 3

/** The right to work on an attempt, until its deadline. */
export const Lease = Schema.Struct({
  id: LeaseId,
  /** Number of the lease in its run; a call that names an older one is refused. */
  fence: Schema.Int.pipe(Schema.positive()),
  /** Null when the lease was taken on the command line. */
  runner: Schema.NullOr(RunnerId),
  /** Token of the runner; its revocation ends the lease. */
  token: Schema.NullOr(TokenId),
  /** SHA-256 of the credential bound to the run. */
  credential: Schema.NullOr(Schema.String),
  /** The process that took it, if it said so: its goodbye gives the lease back, and that of another one does not. */
  instance: Schema.optionalWith(InstanceId, { exact: true }),
  expiresAt: Timestamp
})
export type Lease = typeof Lease.Type

/** The newest lease of a run, also after its end, so that a call sent twice is recognised. */
export const LastLease = Schema.Struct({
  id: LeaseId,
  runner: Schema.NullOr(RunnerId),
  token: Schema.NullOr(TokenId),
  /** Number of the attempt that it was given for. */
  attempt: Schema.Int.pipe(Schema.positive()),
  /** Sequence number of the last report that was applied. */
  seq: Schema.NonNegativeInt,
  /** True when a report of its holder ended it. */
  released: Schema.Boolean,
  finished: Schema.Boolean
})
export type LastLease = typeof LastLease.Type

export class LeaseLost extends Schema.TaggedError<LeaseLost>()("LeaseLost", {
  /** Id of the lease, or its number and run. */
  lease: Schema.String,
  reason: Schema.String
}) {
  override get message() {
    return `The lease ${this.lease} is over: ${this.reason}. Stop the agent, keep its files, and lease again.`
  }
}
