import { Context, type DateTime, type Effect, type Either } from "effect"
import type { AlertView } from "../../domain/oncall/Alert.ts"
import type { Decided } from "../../domain/Change.ts"
import type { IncidentHistory, IncidentNotFound, IncidentView } from "../../domain/oncall/Incident.ts"
import type { IncidentKey } from "../../domain/value/IncidentKey.ts"
import type { OnCall, OnCallContext } from "../../domain/oncall/commands/OnCallContext.ts"
import type { FindingContext } from "../../domain/oncall/FindingOutcome.ts"
import type { Rows } from "../../domain/Change.ts"
import type { Evidence } from "../../domain/oncall/Investigation.ts"
import type { FollowContext } from "../../domain/oncall/NotifyPlan.ts"
import type { JobId } from "../../domain/work/Job.ts"
import type { SignalSource } from "../../domain/oncall/SignalSource.ts"
import type { WorkspaceId } from "../../domain/workspace/Workspace.ts"
import type { Json } from "./Json.ts"
import type { Page, PageRequest } from "./Page.ts"

/** Number of a source's refused posts. */
export interface Refusals {
  readonly count: number
  readonly lastAt: DateTime.Utc | null
  readonly last: string | null
}

/** Object of a change. */
export interface Scope {
  readonly incident?: IncidentKey
  /** The service's name. */
  readonly service?: string
  readonly source?: string
}

/** Names are matched in any case. */
export interface IncidentFilter {
  readonly status: IncidentView["status"] | null
  readonly service: string | null
  /** Opened then or later. */
  readonly since: DateTime.Utc | null
}

export interface AlertFilter {
  readonly incident: IncidentKey | null
  readonly source: string | null
  readonly status: AlertView["status"] | null
}

export class OnCallStore extends Context.Tag("application/OnCallStore")<
  OnCallStore,
  {
    readonly look: (workspace: WorkspaceId) => Effect.Effect<OnCall>
    /** The sources alone, without the rows around them. */
    readonly sources: (workspace: WorkspaceId) => Effect.Effect<Pick<OnCall, "now" | "sources">>
    readonly refusals: (workspace: WorkspaceId) => Effect.Effect<ReadonlyMap<SignalSource["id"], Refusals>>
    readonly incident: (workspace: WorkspaceId, key: IncidentKey) => Effect.Effect<Json<IncidentView>, IncidentNotFound>
    readonly history: (workspace: WorkspaceId, key: IncidentKey) => Effect.Effect<Json<IncidentHistory>>
    readonly incidentPage: (
      workspace: WorkspaceId,
      filter: IncidentFilter,
      request: PageRequest
    ) => Effect.Effect<Page<IncidentView>>
    readonly alertPage: (
      workspace: WorkspaceId,
      filter: AlertFilter,
      request: PageRequest
    ) => Effect.Effect<Page<AlertView>>
    /** Every alert of an incident, newest first. */
    readonly alerts: (workspace: WorkspaceId, incident: IncidentKey) => Effect.Effect<ReadonlyArray<Json<AlertView>>>
    /** Holds off triage, calls `decide`, and commits its change. */
    readonly change: <A, E, F>(
      workspace: WorkspaceId,
      scope: Scope,
      decide: (at: OnCallContext) => Either.Either<Decided<A, F>, E>
    ) => Effect.Effect<A, E | F>
    /** Calls `plan` with a job about an incident and commits its rows; does nothing when the job is done or gone. */
    readonly follow: (
      workspace: WorkspaceId,
      job: JobId,
      plan: (at: FollowContext) => { readonly added: Rows; readonly changed: Rows }
    ) => Effect.Effect<void>
    /** Evidence for the investigation of an incident; null when it is gone. */
    readonly evidence: (workspace: WorkspaceId, incident: IncidentKey) => Effect.Effect<Evidence | null>
    /** Holds off triage and the numbering of stories, calls `decide`, and commits its change. */
    readonly conclude: (
      workspace: WorkspaceId,
      job: JobId,
      decide: (at: FindingContext) => Either.Either<Decided<void>, unknown>
    ) => Effect.Effect<void>
  }
>() {}
