import { type DateTime, DateTime as Time, Schema } from "effect"
import { RunnerId } from "../work/Lease.ts"
import { Line } from "../value/Text.ts"
import { Timestamp } from "../value/Timestamp.ts"
import { TokenId } from "../workspace/ApiToken.ts"
import { TeamSlug } from "../workspace/Team.ts"

/** Seconds without a call after which a runner counts as offline. */
export const silentSeconds = 90

/** A program on the customer's infrastructure that works on runs; identified by its token and name. */
export class Runner extends Schema.Class<Runner>("Runner")({
  id: RunnerId,
  token: TokenId,
  name: Line(100),
  version: Line(100),
  os: Line(100),
  arch: Line(100),
  slots: Schema.Int,
  executors: Schema.Array(Schema.Struct({ name: Line(100), version: Schema.NullOr(Line(100)) })),
  /** Teams it works for; none are all. */
  teams: Schema.Array(TeamSlug),
  registeredAt: Timestamp,
  lastSeenAt: Timestamp,
  /** Time it left, lost its token or fell silent; null while it is online. */
  offlineAt: Schema.NullOr(Timestamp),
  removedAt: Schema.NullOr(Timestamp)
}) {}

export const isSilent = ({ lastSeenAt }: Runner, now: DateTime.Utc): boolean =>
  Time.greaterThan(now, Time.add(lastSeenAt, { seconds: silentSeconds }))

export class RunnerNotFound extends Schema.TaggedError<RunnerNotFound>()("RunnerNotFound", { runner: Schema.String }) {
  override get message() {
    return `There is no runner '${this.runner}' in this workspace. POST /runner/v1/hello registers one.`
  }
}
