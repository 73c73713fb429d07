import { Either } from "effect"
import { answered, type Decided } from "../Change.ts"
import type { By } from "./Actor.ts"
import * as Audit from "./Audit.ts"
import { present, type Roster } from "./Roster.ts"
import {
  isReserved,
  Workspace,
  type WorkspaceNotFound,
  type WorkspaceSlug,
  WorkspaceSlugReserved
} from "./Workspace.ts"

/** Gives a workspace another slug; its links with the old one end. */
export const rename =
  (by: By, slug: WorkspaceSlug, to: WorkspaceSlug) =>
  (roster: Roster): Either.Either<Decided<Pick<Workspace, "id" | "slug">>, WorkspaceNotFound | WorkspaceSlugReserved> =>
    Either.gen(function* () {
      const { workspace } = yield* present(slug, roster)
      if (isReserved(to)) return yield* Either.left(new WorkspaceSlugReserved({ slug: to }))
      const details = { before: { slug }, after: { slug: to } }
      const fact = Audit.fact(by, "workspace_changed", Audit.entityOf("workspace", workspace), { details })
      const renamed = new Workspace({ ...workspace, slug: to })
      return yield* answered({ changed: { workspaces: [renamed] }, audit: [fact] }, { id: workspace.id, slug: to })
    })
