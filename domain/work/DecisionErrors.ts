import { DateTime, Schema } from "effect"
import { Channel } from "../workspace/Actor.ts"
import { type Decision, DecisionKey, longestNote } from "./Decision.ts"
import { Role } from "../workspace/Member.ts"

export class InsufficientAuthority extends Schema.TaggedError<InsufficientAuthority>()("InsufficientAuthority", {
  decision: DecisionKey,
  needed: Role,
  role: Role
}) {
  override get message() {
    const who = this.needed === "owner" ? "an owner" : "an owner or admin"
    return `${this.decision} must be answered by ${who} of the workspace; your role is ${this.role}. Ask one of them.`
  }
}

/** An agent does not answer itself. */
export class OwnQuestion extends Schema.TaggedError<OwnQuestion>()("OwnQuestion", { decision: DecisionKey }) {
  override get message() {
    return `${this.decision} was asked with this token, so this token cannot answer it here. A person answers it in the app.`
  }
}

export class DecisionAlreadyResolved extends Schema.TaggedError<DecisionAlreadyResolved>()("DecisionAlreadyResolved", {
  decision: DecisionKey,
  by: Schema.NullOr(Schema.String),
  via: Schema.NullOr(Channel),
  at: Schema.NullOr(Schema.DateTimeUtcFromSelf),
  answer: Schema.NullOr(Schema.String)
}) {
  override get message() {
    const words = [
      this.by === null ? "" : ` by ${this.by}`,
      this.at === null ? "" : ` at ${DateTime.formatIso(this.at)}`,
      this.via === null ? "" : ` via ${this.via}`,
      this.answer === null ? "" : ` with '${this.answer}'`
    ]
    return `${this.decision} was answered already${words.join("")}. The first answer stands.`
  }
}

export class DecisionExpired extends Schema.TaggedError<DecisionExpired>()("DecisionExpired", {
  decision: DecisionKey,
  at: Schema.NullOr(Schema.DateTimeUtcFromSelf)
}) {
  override get message() {
    const when = this.at === null ? "" : ` at ${DateTime.formatIso(this.at)}`
    return `${this.decision} expired${when} without an answer. Retry its run to be asked again.`
  }
}

export class DecisionCancelled extends Schema.TaggedError<DecisionCancelled>()("DecisionCancelled", {
  decision: DecisionKey
}) {
  override get message() {
    return `${this.decision} was cancelled: its run ended or its story left. There is nothing to answer any more.`
  }
}

export class DecisionSuperseded extends Schema.TaggedError<DecisionSuperseded>()("DecisionSuperseded", {
  decision: DecisionKey
}) {
  override get message() {
    return `${this.decision} was superseded by a newer decision of the same kind; answer that one. The run lists it.`
  }
}

export class UnknownOption extends Schema.TaggedError<UnknownOption>()("UnknownOption", {
  decision: DecisionKey,
  optionId: Schema.String,
  allowed: Schema.Array(Schema.String)
}) {
  override get message() {
    return `optionId must be one of ${this.allowed.join(", ")} for ${this.decision}; got '${this.optionId.slice(0, 200)}'.`
  }
}

export class NoteTooLong extends Schema.TaggedError<NoteTooLong>()("NoteTooLong", { length: Schema.Int }) {
  override get message() {
    return `note must be at most ${longestNote} characters; got ${this.length}. Shorten it.`
  }
}

export type Final = DecisionAlreadyResolved | DecisionExpired | DecisionCancelled | DecisionSuperseded

/** Returns why a decision that is no longer pending cannot be resolved. */
export const finality = (decision: Decision): Final | null => {
  switch (decision.status) {
    case "pending":
      return null
    case "resolved":
      return new DecisionAlreadyResolved({
        decision: decision.key,
        by: decision.resolvedBy,
        via: decision.resolvedVia,
        at: decision.resolvedAt,
        answer: decision.options.find((option) => option.id === decision.resolution?.optionId)?.label ?? null
      })
    case "expired":
      return new DecisionExpired({ decision: decision.key, at: decision.expiresAt })
    case "cancelled":
      return new DecisionCancelled({ decision: decision.key })
    case "superseded":
      return new DecisionSuperseded({ decision: decision.key })
  }
}
