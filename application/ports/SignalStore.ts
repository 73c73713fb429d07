import { Context, type DateTime, type Effect, type Stream } from "effect"
import type { Change } from "../../domain/Change.ts"
import type { DeliveryId, DeliveryNotFound, DeliveryView, Verdict } from "../../domain/oncall/Delivery.ts"
import type { Refusal, RefusedDelivery } from "../../domain/oncall/RefusedDelivery.ts"
import type { Signal } from "../../domain/oncall/Signal.ts"
import type { SignalSource, SourceId } from "../../domain/oncall/SignalSource.ts"
import type { Ward } from "../../domain/oncall/TriageBoard.ts"
import type { WorkspaceId } from "../../domain/workspace/Workspace.ts"
import type { Json } from "./Json.ts"

/** A source as a post finds it. */
export interface Found {
  readonly workspace: WorkspaceId
  readonly source: SignalSource
  readonly now: DateTime.Utc
}

export interface Received {
  readonly workspace: WorkspaceId
  readonly source: SourceId
  readonly id: DeliveryId
  /** By which the same delivery is known again for a day; null when nothing names it. */
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

/** Deliveries on their way from the address they were posted to until they are judged. */
export class SignalStore extends Context.Tag("application/SignalStore")<
  SignalStore,
  {
    /** The source at an address, unless it or its workspace was deleted; waits in the lane, its own by default. */
    readonly find: (token: string, lane?: string) => Effect.Effect<Found | null>
    /** Keeps a delivery for good; one whose name was seen within a day is only listed as a duplicate. */
    readonly receive: (delivery: Received) => Effect.Effect<{ readonly isDuplicate: boolean }>
    /**
     * Counts a post that was refused, keeps it among the last of its source, and puts the notice into the inboxes of the
     * workspace's owner and admins, unless the source had one within the hour. A flood is only counted.
     */
    readonly refused: (
      found: Pick<Found, "workspace" | "source">,
      refusal: Refusal,
      notice: { readonly subject: string; readonly text: string }
    ) => Effect.Effect<void>
    /** The newest refusals of a source, newest first. */
    readonly refusedLedger: (
      workspace: WorkspaceId,
      source: SourceId,
      most: number
    ) => Effect.Effect<ReadonlyArray<Json<RefusedDelivery>>>
    /** How many deliveries wait to be judged, of all workspaces. */
    readonly waiting: Effect.Effect<number>
    /**
     * Takes up to `most` waiting deliveries of one workspace in their order, asks `judge`, and commits its change; where
     * an incident opens it is asked again with what else fires there. No two callers have the same workspace at once.
     * Answers how many were judged.
     */
    readonly drain: (most: number, judge: (ward: Ward) => Judged) => Effect.Effect<number>
    /**
     * Waits while deliveries come one upon the other, three seconds at most: what is not kept yet can be lost, what waits
     * to be judged can not.
     */
    readonly calm: Effect.Effect<void>
    /** A word whenever something may be waiting. */
    readonly arrivals: Stream.Stream<void>
    /** The newest deliveries of a source, newest first. */
    readonly ledger: (
      workspace: WorkspaceId,
      source: SourceId,
      most: number
    ) => Effect.Effect<ReadonlyArray<Json<DeliveryView>>>
    /** Lets a delivery be judged once more. */
    readonly replay: (
      workspace: WorkspaceId,
      id: DeliveryId,
      audit: (source: Pick<SignalSource, "id" | "name">) => Change["audit"]
    ) => Effect.Effect<void, DeliveryNotFound>
    /** Forgets bodies after so many days, and names after one. */
    readonly purge: (days: number) => Effect.Effect<void>
  }
>() {}
