import { Either } from "effect"
import { type Workspace, WorkspaceNotFound, type WorkspaceSlug } from "../../domain/workspace/Workspace.ts"
import type { Roster } from "../ports/WorkspaceStore.ts"

/** The roster of a workspace that is there, or the refusal that it is not. */
export const present = (
  slug: WorkspaceSlug,
  { workspace, ...roster }: Roster
): Either.Either<Roster & { readonly workspace: Workspace }, WorkspaceNotFound> =>
  workspace === null || workspace.deletedAt !== null
    ? Either.left(new WorkspaceNotFound({ slug }))
    : Either.right({ ...roster, workspace })
