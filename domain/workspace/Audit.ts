import { Option, Schema } from "effect"
import { Actor, type By } from "./Actor.ts"
import { RunKey } from "../value/RunKey.ts"
import { TeamSlug } from "./Team.ts"
import { Text } from "../value/Text.ts"
import { Timestamp } from "../value/Timestamp.ts"

export const Event = Schema.Literal(
  "decision_resolved",
  "policy_changed",
  "team_paused",
  "team_resumed",
  "run_state_changed",
  "story_written",
  "service_changed",
  "signal_source_changed",
  "signal_received",
  "incident_opened",
  "incident_updated",
  "incident_resolved",
  "alert_updated_in_source",
  "decision_raised",
  "decision_expired",
  "decision_cancelled",
  "decision_superseded",
  "token_created",
  "token_revoked",
  "audit_exported",
  "story_moved",
  "member_added",
  "member_removed",
  "member_role_changed",
  "workspace_created",
  "workspace_deleted",
  "workspace_changed",
  "team_created",
  "team_deleted",
  "team_changed",
  "story_changed",
  "access_denied",
  "signed_in",
  "signed_out",
  "passkey_changed",
  "runner_registered",
  "runner_offline",
  "runner_draining",
  "lease_lost",
  "connection_changed"
)

export type Event = typeof Event.Type

/** Parses an event's id or its display name: "Signal received". */
export const parseEvent = (text: string): Option.Option<Event> => {
  // No event has a longer name.
  const id = text.trim().slice(0, 100).toLowerCase().replaceAll(" ", "_")
  return Option.fromNullable(Event.literals.find((event) => event === id))
}

export const Result = Schema.Literal("success", "denied", "failure", "partial")

export const EntityType = Schema.Literal(
  "workspace",
  "member",
  "team",
  "policy",
  "story",
  "run",
  "decision",
  "token",
  "service",
  "signal_source",
  "alert",
  "incident",
  "audit_export",
  "runner",
  "webhook",
  "session",
  "connection"
)

const fields = {
  actor: Actor,
  team: Schema.NullOr(TeamSlug),
  runKey: Schema.NullOr(RunKey),
  event: Event,
  result: Result,
  entity: Schema.Struct({ type: EntityType, id: Schema.String, name: Text }),
  details: Schema.Record({ key: Schema.String, value: Schema.Unknown })
}

/** An audit entry before the store adds its id and time. */
export const Fact = Schema.Struct(fields)
export type Fact = typeof Fact.Type

export const AuditEntry = Schema.Struct({ id: Schema.UUID, timestamp: Timestamp, ...fields }).annotations({
  identifier: "AuditEntry"
})
export type AuditEntry = typeof AuditEntry.Type

/** An entry as the log holds it: a later version may have written events and types that this one does not know. */
export const RecordedEntry = Schema.Struct({
  ...AuditEntry.fields,
  event: Schema.String,
  result: Schema.String,
  entity: Schema.Struct({ ...fields.entity.fields, type: Schema.String })
})
export type RecordedEntry = typeof RecordedEntry.Type

/** Entity of an object with an id and a name, or with a key and a title. */
export const entityOf = (
  type: typeof EntityType.Type,
  of: { readonly id: string; readonly name: string } | { readonly key: string; readonly title: string }
): Fact["entity"] => ("title" in of ? { type, id: of.key, name: of.title } : { type, id: of.id, name: of.name })

/** Builds a fact of the ordinary case: it succeeded, and belongs to no team or run. */
export const fact = (
  by: By,
  event: Fact["event"],
  entity: Fact["entity"],
  more: { readonly team?: TeamSlug; readonly runKey?: RunKey | null; readonly details?: Fact["details"] } = {}
): Fact => ({
  actor: by.actor,
  team: more.team ?? null,
  runKey: more.runKey ?? null,
  event,
  result: "success",
  entity,
  details: { v: 1, requestId: by.requestId, ...(by.channel && { channel: by.channel }), ...more.details }
})

/** The object of a refused operation, with its team. */
export interface Target {
  readonly entity: Fact["entity"]
  readonly team?: TeamSlug
  /** Names an object that has no entity of its own. */
  readonly details?: Fact["details"]
}

/** Fact of an operation that the actor's role does not allow. */
export const denied = (by: By, operation: string, { details, entity, team }: Target): Fact => ({
  ...fact(by, "access_denied", entity, { ...(team && { team }), details: { operation, ...details } }),
  result: "denied"
})
