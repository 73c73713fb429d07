import { Either } from "effect"
import { endUnfinished, type Unfinished } from "./EndUnfinished.ts"
import { answered, type Decided } from "../../Change.ts"
import type { Decision } from "../../work/Decision.ts"
import type { By } from "../../workspace/Actor.ts"
import * as Audit from "../../workspace/Audit.ts"
import type { Roster } from "../../workspace/Roster.ts"
import { NotConfirmed, Workspace, WorkspaceNotFound, type WorkspaceSlug } from "../../workspace/Workspace.ts"

/** A workspace with everything that its deletion ends. */
export interface WorkspaceContext extends Roster, Unfinished {
  readonly pendingDecisions: ReadonlyArray<Decision>
}

/** Ends everything unfinished in the workspace; rows and audit log stay. Without `keepSlug` the slug is free again. */
export const deleteWorkspace =
  (by: By, slug: WorkspaceSlug, confirm: string, keepSlug: boolean) =>
  (at: WorkspaceContext): Either.Either<Decided<void>, WorkspaceNotFound | NotConfirmed> => {
    const { now, workspace } = at
    if (workspace === null || (workspace.deletedAt !== null && keepSlug))
      return Either.left(new WorkspaceNotFound({ slug }))
    if (confirm !== slug) return Either.left(new NotConfirmed({ given: confirm, expected: slug }))
    const explanation = `${by.actor.name} deleted the workspace ${workspace.name}.`
    const { audit, rows } = endUnfinished(by, at, at.pendingDecisions, explanation)
    const retiredSlug = keepSlug ? slug : (`${slug}-${workspace.id.slice(0, 8)}` as WorkspaceSlug)
    const entity = Audit.entityOf("workspace", workspace)
    return answered(
      {
        changed: {
          workspaces: [new Workspace({ ...workspace, slug: retiredSlug, deletedAt: workspace.deletedAt ?? now })],
          ...rows
        },
        leaving: at.members,
        audit: [Audit.fact(by, "workspace_deleted", entity, { details: { before: { slug } } }), ...audit]
      },
      undefined
    )
  }
