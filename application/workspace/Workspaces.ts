import { Effect } from "effect"
import { deleteWorkspace } from "../../domain/oncall/commands/DeleteWorkspace.ts"
import * as CreateWorkspace from "../../domain/workspace/CreateWorkspace.ts"
import type { Member, MemberId } from "../../domain/workspace/Member.ts"
import * as Uuid from "../../domain/value/Uuid.ts"
import { present } from "../../domain/workspace/Roster.ts"
import type { WorkspaceId, WorkspaceSlug } from "../../domain/workspace/Workspace.ts"
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
