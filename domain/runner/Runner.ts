import { type DateTime, DateTime as Time, Schema } from "effect"
import { RunnerId } from "../work/Lease.ts"
import { Line } from "../value/Text.ts"
import { Timestamp } from "../value/Timestamp.ts"
import { TokenId } from "../workspace/ApiToken.ts"
import { TeamSlug } from "../workspace/Team.ts"

/** Seconds without a call after which a runner counts as offline. */
export const silentSeconds = 90

/** Runners of a workspace that are not removed. */
export const mostRunners = 200

/** Time offline after which a runner may be forgotten for another one. */
export const idleMinutes = 60

/** Days after which a removed runner is forgotten. */
export const removedDays = 7

/** Text of a runner that lists show: it cannot look like an option, another line or other text. */
export const Label = Line(100).pipe(
  Schema.pattern(/^[\p{L}\p{N}](?:[\p{L}\p{M}\p{N}\p{P}\p{S} ]*[\p{L}\p{M}\p{N}\p{P}\p{S}])?$/u, {
    message: () => "must begin with a letter or a digit, and hold only characters that can be printed in one line"
  })
)

/** A program on the customer's infrastructure that works on runs; identified by its token and name. */
export class Runner extends Schema.Class<Runner>("Runner")({
  id: RunnerId,
  token: TokenId,
  name: Label,
  version: Label,
  os: Label,
  arch: Label,
  slots: Schema.Int,
  executors: Schema.Array(
    Schema.Struct({
      name: Label,
      version: Schema.NullOr(Label),
      /** True when the runner found no key of the agent's model. */
      lacksKey: Schema.optionalWith(Schema.Boolean, { exact: true })
    })
  ),
  /** Teams it works for; none are all. */
  teams: Schema.Array(TeamSlug),
  registeredAt: Timestamp,
  lastSeenAt: Timestamp,
  /** Time since which it finishes its work and leases nothing more; null unless a person asked for it. */
  drainingAt: Schema.NullOr(Timestamp),
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

/** The end of a drain, for the runner that asks for another lease. */
export class RunnerDraining extends Schema.TaggedError<RunnerDraining>()("RunnerDraining", { runner: Schema.String }) {
  override get message() {
    return `A person drains the runner '${this.runner}': it finishes its work and leases nothing more. Started again, it works again.`
  }
}

export class RunnerOffline extends Schema.TaggedError<RunnerOffline>()("RunnerOffline", { runner: Schema.String }) {
  override get message() {
    return `The runner '${this.runner}' is offline and leases nothing, so there is nothing to drain.`
  }
}

export class SeveralRunners extends Schema.TaggedError<SeveralRunners>()("SeveralRunners", {
  runner: Schema.String,
  ids: Schema.Array(RunnerId)
}) {
  override get message() {
    return `${this.ids.length} runners are named '${this.runner}'. Name one by its id: ${this.ids.join(", ")}.`
  }
}

export class TooManyRunners extends Schema.TaggedError<TooManyRunners>()("TooManyRunners", {}) {
  override get message() {
    return `This workspace has ${mostRunners} runners, the most it may have. Remove one with 'gatehouse runner remove', or come back when one was offline for ${idleMinutes} minutes.`
  }
}
