import { Effect } from "effect"
import { deleteWorkspace } from "../../domain/oncall/commands/DeleteWorkspace.ts"
import * as RenameWorkspace from "../../domain/workspace/RenameWorkspace.ts"
import * as CreateWorkspace from "../../domain/workspace/CreateWorkspace.ts"
import type { Member, MemberId } from "../../domain/workspace/Member.ts"
import * as Uuid from "../../domain/value/Uuid.ts"
import { present } from "../../domain/workspace/Roster.ts"
import {
  reservedSlugs,
  type WorkspaceId,
  type WorkspaceSlug,
  WorkspaceSlugTaken
} from "../../domain/workspace/Workspace.ts"
import type { By } from "../../domain/workspace/Actor.ts"
import { WorkspaceStore } from "../ports/WorkspaceStore.ts"

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
  const owner = { ...input.owner, id: (yield* Uuid.make) as MemberId }
  return yield* store.change(input.slug, CreateWorkspace.create(by, { ...input, id, owner }))
})

/** Gives a workspace another slug. */
export const rename = Effect.fn("Workspaces.rename")(function* (
  by: By,
  input: { readonly slug: WorkspaceSlug; readonly to: WorkspaceSlug }
) {
  const store = yield* WorkspaceStore
  if ((yield* store.roster(input.to)).workspace !== null) return yield* new WorkspaceSlugTaken({ slug: input.to })
  return yield* store.change(input.slug, RenameWorkspace.rename(by, input.slug, input.to))
})

/** Logs how to rename workspaces from before their slug was reserved: the API serves them, but they have no pages. */
export const warnOfReserved = Effect.fn("Workspaces.warnOfReserved")(function* () {
  const store = yield* WorkspaceStore
  for (const slug of reservedSlugs) {
    const { workspace } = yield* store.roster(slug as WorkspaceSlug)
    if (workspace !== null && workspace.deletedAt === null)
      yield* Effect.logWarning(
        `The workspace '${slug}' has no pages, since its slug is a path of the service. Rename it: gatehouse workspace rename --workspace ${slug} --to ${slug}-team`
      )
  }
})

export const remove = Effect.fn("Workspaces.remove")(function* (
  by: By,
  input: { readonly slug: WorkspaceSlug; readonly confirm: string }
) {
  const store = yield* WorkspaceStore
  yield* store.close(input.slug, deleteWorkspace(by, input.slug, input.confirm, true))
})

/** Deletes a workspace and frees its slug; only the demo may do so. */
export const retire = Effect.fn("Workspaces.retire")(function* (by: By, slug: WorkspaceSlug) {
  const store = yield* WorkspaceStore
  yield* store.close(slug, deleteWorkspace(by, slug, slug, false))
})

/** The id of an existing workspace. */
export const idOf = Effect.fn("Workspaces.idOf")(function* (slug: WorkspaceSlug) {
  const store = yield* WorkspaceStore
  return (yield* present(slug, yield* store.roster(slug))).workspace.id
})
