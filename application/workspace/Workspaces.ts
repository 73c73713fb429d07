import { Effect, Either } from "effect"
import * as Audit from "../../domain/workspace/Audit.ts"
import { answered, type Decided } from "../../domain/Change.ts"
import * as Decision from "../../domain/work/Decision.ts"
import { ended } from "../../domain/oncall/EndAlerts.ts"
import { Member, type MemberId } from "../../domain/workspace/Member.ts"
import * as RunTransitions from "../../domain/work/RunTransitions.ts"
import * as Uuid from "../../domain/value/Uuid.ts"
import {
  NotConfirmed,
  Workspace,
  type WorkspaceId,
  WorkspaceNotFound,
  type WorkspaceSlug
} from "../../domain/workspace/Workspace.ts"
import { WorkspaceSlugTaken } from "../../domain/workspace/Workspace.ts"
import type { By } from "../../domain/workspace/Actor.ts"
import { incidentFact } from "../../domain/oncall/IncidentFact.ts"
import { type WorkspaceContext, WorkspaceStore } from "../ports/WorkspaceStore.ts"

const entity = (workspace: Workspace): Audit.Fact["entity"] => ({
  type: "workspace",
  id: workspace.id,
  name: workspace.name
})

export const create = Effect.fn("Workspaces.create")(function* (
  by: By,
  input: {
    readonly slug: WorkspaceSlug
    readonly name: string
    readonly owner: { readonly email: Member["email"]; readonly name: string }
  }
) {
  const store = yield* WorkspaceStore
  const id = (yield* Uuid.make) as WorkspaceId
  const ownerId = (yield* Uuid.make) as MemberId
  return yield* store.change(input.slug, ({ now, workspace: existing }) => {
    if (existing !== null) return Either.left(new WorkspaceSlugTaken({ slug: input.slug }))
    const workspace = new Workspace({ id, slug: input.slug, name: input.name, createdAt: now, deletedAt: null })
    const owner = new Member({ id: ownerId, ...input.owner, role: "owner", createdAt: now, removedAt: null })
    return answered(
      {
        added: { workspaces: [workspace], members: [owner] },
        audit: [
          Audit.fact(by, "workspace_created", entity(workspace), { details: { after: { slug: workspace.slug } } }),
          Audit.fact(
            by,
            "member_added",
            { type: "member", id: owner.id, name: owner.name },
            {
              details: { after: { email: owner.email, role: owner.role } }
            }
          )
        ]
      },
      { id, slug: input.slug }
    )
  })
})

/** Ends everything unfinished in the workspace; rows and audit log stay. */
const closing =
  (by: By, slug: WorkspaceSlug, confirm: string, keepSlug: boolean) =>
  ({
    firingAlerts,
    now,
    openIncidents,
    pendingDecisions,
    unfinishedRuns,
    workspace
  }: WorkspaceContext): Either.Either<Decided<void>, WorkspaceNotFound | NotConfirmed> => {
    if (workspace === null || (workspace.deletedAt !== null && keepSlug))
      return Either.left(new WorkspaceNotFound({ slug }))
    if (confirm !== slug) return Either.left(new NotConfirmed({ given: confirm, expected: slug }))
    const over = ended(firingAlerts, openIncidents, now, `${by.actor.name} deleted the workspace ${workspace.name}.`)
    const retiredSlug = keepSlug ? slug : (`${slug}-${workspace.id.slice(0, 8)}` as WorkspaceSlug)
    return answered(
      {
        changed: {
          workspaces: [new Workspace({ ...workspace, slug: retiredSlug, deletedAt: workspace.deletedAt ?? now })],
          runs: unfinishedRuns.map((run) => RunTransitions.stop(run, now)),
          decisions: pendingDecisions.map((decision) => Decision.close(decision, "cancelled")),
          ...over
        },
        audit: [
          Audit.fact(by, "workspace_deleted", entity(workspace), { details: { before: { slug } } }),
          ...unfinishedRuns.map((run) =>
            Audit.fact(
              by,
              "run_state_changed",
              { type: "run", id: run.key, name: run.key },
              {
                team: run.team,
                runKey: run.key,
                details: { before: { status: run.latest.status }, after: { status: "stopped" } }
              }
            )
          ),
          ...pendingDecisions.map((decision) =>
            Audit.fact(
              by,
              "decision_cancelled",
              { type: "decision", id: decision.key, name: decision.title },
              {
                team: decision.team,
                runKey: decision.runKey
              }
            )
          ),
          ...over.incidents.map((incident) => incidentFact(by, "incident_resolved", incident))
        ]
      },
      undefined
    )
  }

export const remove = Effect.fn("Workspaces.remove")(function* (
  by: By,
  input: { readonly slug: WorkspaceSlug; readonly confirm: string }
) {
  const store = yield* WorkspaceStore
  yield* store.close(input.slug, closing(by, input.slug, input.confirm, true))
})

/** Deletes a workspace and frees its slug; only the demo may do so. */
export const retire = Effect.fn("Workspaces.retire")(function* (by: By, slug: WorkspaceSlug) {
  const store = yield* WorkspaceStore
  yield* store.close(slug, closing(by, slug, slug, false))
})

/** The id of an existing workspace. */
export const idOf = Effect.fn("Workspaces.idOf")(function* (slug: WorkspaceSlug) {
  const store = yield* WorkspaceStore
  const { workspace } = yield* store.roster(slug)
  if (workspace === null || workspace.deletedAt !== null) return yield* new WorkspaceNotFound({ slug })
  return workspace.id
})
