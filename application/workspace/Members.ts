import { Effect } from "effect"
import * as ChangeMember from "../../domain/workspace/ChangeMember.ts"
import type { Member, MemberId, Role } from "../../domain/workspace/Member.ts"
import * as Uuid from "../../domain/value/Uuid.ts"
import type { WorkspaceSlug } from "../../domain/workspace/Workspace.ts"
import { admit, isPerson, type Who } from "./Authorization.ts"
import { WorkspaceStore } from "../ports/WorkspaceStore.ts"
import * as DeniedTarget from "./DeniedTarget.ts"

export const add = Effect.fn("Members.add")(function* (
  who: Who,
  input: {
    readonly workspace: WorkspaceSlug
    readonly email: Member["email"]
    readonly name: string
    readonly role: Role
  }
) {
  const target = Effect.succeed({ entity: { type: "member", id: input.email, name: input.name } } as const)
  const by = yield* admit(who, input.role === "owner" ? "member add owner" : "member add", target)
  const store = yield* WorkspaceStore
  const id = (yield* Uuid.make) as MemberId
  return yield* store.change(input.workspace, ChangeMember.add(by, input.workspace, { ...input, id }))
})

/** Removes a member; the member's tokens stop working. */
export const remove = Effect.fn("Members.remove")(function* (
  who: Who,
  input: { readonly workspace: WorkspaceSlug; readonly email: string }
) {
  const by = yield* admit(
    who,
    "member remove",
    Effect.suspend(() =>
      isPerson(who)
        ? DeniedTarget.ofMember(who, input.email)
        : Effect.succeed(DeniedTarget.named("member", input.email))
    )
  )
  const store = yield* WorkspaceStore
  const role = isPerson(who) ? who.member.role : null
  yield* store.change(input.workspace, ChangeMember.remove(by, role, input.workspace, input.email))
})
