import { Either } from "effect"
import type { By } from "./Actor.ts"
import * as Audit from "./Audit.ts"
import { answered, type Decided } from "../Change.ts"
import { memberAdded } from "./ChangeMember.ts"
import { Member } from "./Member.ts"
import type { Roster } from "./Roster.ts"
import { isReserved, Workspace, WorkspaceSlugReserved, WorkspaceSlugTaken } from "./Workspace.ts"

/** Creates a workspace with its first owner. */
export const create =
  (
    by: By,
    input: Pick<Workspace, "id" | "slug" | "name"> & { readonly owner: Pick<Member, "id" | "email" | "name"> }
  ) =>
  ({
    now,
    workspace: existing
  }: Roster): Either.Either<Decided<Pick<Workspace, "id" | "slug">>, WorkspaceSlugTaken | WorkspaceSlugReserved> => {
    const { id, name, slug } = input
    if (isReserved(slug)) return Either.left(new WorkspaceSlugReserved({ slug }))
    if (existing !== null) return Either.left(new WorkspaceSlugTaken({ slug }))
    const workspace = new Workspace({ id, slug, name, createdAt: now, deletedAt: null })
    const owner = new Member({ ...input.owner, role: "owner", createdAt: now, removedAt: null })
    const entity = Audit.entityOf("workspace", workspace)
    return answered(
      {
        added: { workspaces: [workspace], members: [owner] },
        audit: [Audit.fact(by, "workspace_created", entity, { details: { after: { slug } } }), memberAdded(by, owner)]
      },
      { id, slug }
    )
  }
