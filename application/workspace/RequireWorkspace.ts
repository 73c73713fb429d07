import { Either } from "effect"
import { type Workspace, WorkspaceNotFound, type WorkspaceSlug } from "../../domain/workspace/Workspace.ts"
import type { Roster } from "../ports/WorkspaceStore.ts"

/** Returns the roster of an existing workspace, or fails. */
export const present = (
  slug: WorkspaceSlug,
  { workspace, ...roster }: Roster
): Either.Either<Roster & { readonly workspace: Workspace }, WorkspaceNotFound> =>
  workspace === null || workspace.deletedAt !== null
    ? Either.left(new WorkspaceNotFound({ slug }))
    : Either.right({ ...roster, workspace })
