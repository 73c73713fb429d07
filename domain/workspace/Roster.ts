import { type DateTime, Either } from "effect"
import type { Member } from "./Member.ts"
import { type Workspace, WorkspaceNotFound, type WorkspaceSlug } from "./Workspace.ts"

/** A workspace with its members, as a command reads it under lock. */
export interface Roster {
  /** Also deleted ones, since their slugs are not reused. */
  readonly workspace: Workspace | null
  readonly members: ReadonlyArray<Member>
  readonly now: DateTime.Utc
}

/** Returns the roster of an existing workspace, or fails. */
export const present = (
  slug: WorkspaceSlug,
  { workspace, ...roster }: Roster
): Either.Either<Roster & { readonly workspace: Workspace }, WorkspaceNotFound> =>
  workspace === null || workspace.deletedAt !== null
    ? Either.left(new WorkspaceNotFound({ slug }))
    : Either.right({ ...roster, workspace })
