import { Context, type DateTime, type Effect, type Either } from "effect"
import type { Alert } from "../../domain/oncall/Alert.ts"
import type { Decided } from "../../domain/Change.ts"
import type { Decision } from "../../domain/work/Decision.ts"
import type { Standing } from "../../domain/oncall/Incident.ts"
import type { Member } from "../../domain/workspace/Member.ts"
import type { Run } from "../../domain/work/Run.ts"
import type { Workspace, WorkspaceSlug } from "../../domain/workspace/Workspace.ts"

export interface Roster {
  /** Also deleted ones, since their slugs are not reused. */
  readonly workspace: Workspace | null
  readonly members: ReadonlyArray<Member>
  readonly now: DateTime.Utc
}

/** A roster with everything that a deletion ends. */
export interface Estate extends Roster {
  readonly unfinishedRuns: ReadonlyArray<Run>
  readonly pendingDecisions: ReadonlyArray<Decision>
  readonly openIncidents: ReadonlyArray<Standing>
  readonly firingAlerts: ReadonlyArray<Alert>
}

/** A workspace as the operator's list shows it. */
export interface Listed {
  readonly workspace: Workspace
  readonly members: number
  readonly teams: number
}

export class WorkspaceStore extends Context.Tag("application/WorkspaceStore")<
  WorkspaceStore,
  {
    /** True when no workspace was ever created. */
    readonly isEmpty: Effect.Effect<boolean>
    /** Every workspace that is not deleted, by slug in code point order: at most `limit` after `after`. */
    readonly list: (after: WorkspaceSlug | null, limit: number) => Effect.Effect<ReadonlyArray<Listed>>
    readonly roster: (slug: WorkspaceSlug) => Effect.Effect<Roster>
    /** Locks the workspace, calls `decide`, and commits its change; a refusal changes nothing. */
    readonly change: <A, E, F>(
      slug: WorkspaceSlug,
      decide: (roster: Roster) => Either.Either<Decided<A, F>, E>
    ) => Effect.Effect<A, E | F>
    readonly close: <A, E, F>(
      slug: WorkspaceSlug,
      decide: (estate: Estate) => Either.Either<Decided<A, F>, E>
    ) => Effect.Effect<A, E | F>
  }
>() {}
