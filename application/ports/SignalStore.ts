import { Context, type DateTime, type Effect, type Stream } from "effect"
import type { Change } from "../../domain/Change.ts"
import type { DeliveryId, DeliveryNotFound, DeliveryView, Verdict } from "../../domain/oncall/Delivery.ts"
import type { Refusal, RefusedDelivery } from "../../domain/oncall/RefusedDelivery.ts"
import type { Signal } from "../../domain/oncall/Signal.ts"
import type { SignalSource, SourceId } from "../../domain/oncall/SignalSource.ts"
import type { TriageSnapshot } from "../../domain/oncall/TriageBoard.ts"
import type { WorkspaceId } from "../../domain/workspace/Workspace.ts"
import type { Page, PageRequest } from "./Page.ts"

/** The source that a post is addressed to. */
export interface Found {
  readonly workspace: WorkspaceId
  readonly source: SignalSource
  readonly now: DateTime.Utc
}

export interface Received {
  readonly workspace: WorkspaceId
  readonly source: SourceId
  readonly id: DeliveryId
  /** Identifies a repeated delivery for a day; null when nothing identifies it. */
  readonly name: string | null
  readonly signals: ReadonlyArray<Signal>
  readonly known: ReadonlyArray<Verdict>
  /** JSON without secrets, as the ledger shows it. */
  readonly body: string
}

export interface Judged {
  readonly change: Change
  readonly verdicts: ReadonlyMap<DeliveryId, ReadonlyArray<Verdict>>
}

/** Number of alerts within an hour. */
export interface Volume {
  readonly hour: DateTime.Utc
  readonly alerts: number
}

/** Deliveries from their arrival until their triage. */
export class SignalStore extends Context.Tag("application/SignalStore")<
  SignalStore,
  {
    /** Finds the source at an address, unless it or its workspace is deleted; waits in the lane, its own by default. */
    readonly find: (token: string, lane?: string) => Effect.Effect<Found | null>
    /** Stores a delivery durably; one whose name was seen within a day is only listed as a duplicate. */
    readonly receive: (delivery: Received) => Effect.Effect<{ readonly isDuplicate: boolean }>
    /**
     * Counts a refused post, keeps it among the last of its source, and puts the notice into the inboxes of the
     * workspace's owner and admins, unless the source had one within the hour. A flood is only counted.
     */
    readonly refused: (
      found: Pick<Found, "workspace" | "source">,
      refusal: Refusal,
      notice: { readonly subject: string; readonly text: string }
    ) => Effect.Effect<void>
    /** Refusals of a source that are kept, newest first. */
    readonly refusedLedger: (
      workspace: WorkspaceId,
      source: SourceId,
      request: PageRequest
    ) => Effect.Effect<Page<RefusedDelivery>>
    /** Number of deliveries of all workspaces that wait for triage. */
    readonly waiting: Effect.Effect<number>
    /**
     * Takes up to `most` waiting deliveries of one workspace in their order, calls `judge`, and commits its change;
     * where an incident opens it calls `judge` again with the other alerts firing there. No two callers hold one
     * workspace at the same time. Returns the number of triaged deliveries.
     */
    readonly drain: (most: number, judge: (snapshot: TriageSnapshot) => Judged) => Effect.Effect<number>
    /**
     * Waits for a pause in a stream of deliveries, three seconds at most: a delivery that is not stored yet can be
     * lost, one that waits for triage cannot.
     */
    readonly calm: Effect.Effect<void>
    /** Emits whenever deliveries may be waiting. */
    readonly arrivals: Stream.Stream<void>
    /** Deliveries of a source, newest first. */
    readonly ledger: (
      workspace: WorkspaceId,
      source: SourceId,
      request: PageRequest,
      /** Only this delivery. */
      id?: DeliveryId
    ) => Effect.Effect<Page<DeliveryView>>
    /** Time of the newest delivery of each source that sent any. */
    readonly lastOfSources: (workspace: WorkspaceId) => Effect.Effect<ReadonlyMap<SourceId, DateTime.Utc>>
    /** Alerts that a source sent in this hour and the 23 before it; hours without any are left out. */
    readonly volume: (workspace: WorkspaceId, source: SourceId) => Effect.Effect<ReadonlyArray<Volume>>
    /** Queues a delivery for triage again. */
    readonly replay: (
      workspace: WorkspaceId,
      id: DeliveryId,
      audit: (source: Pick<SignalSource, "id" | "name">) => Change["audit"]
    ) => Effect.Effect<void, DeliveryNotFound>
    /** Deletes bodies after that many days, and names after one. */
    readonly purge: (days: number) => Effect.Effect<void>
  }
>() {}
