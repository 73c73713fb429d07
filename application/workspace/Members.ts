import { Effect } from "effect"
import * as ChangeMember from "../../domain/workspace/ChangeMember.ts"
import type { Member, MemberId, Role } from "../../domain/workspace/Member.ts"
import * as Uuid from "../../domain/value/Uuid.ts"
import type { WorkspaceSlug } from "../../domain/workspace/Workspace.ts"
import { admit, isPerson, type Who } from "./Authorization.ts"
import { WorkspaceStore } from "../ports/WorkspaceStore.ts"
import * as DeniedTarget from "./DeniedTarget.ts"

const targetOf = (who: Who, email: string) =>
  Effect.suspend(() =>
    isPerson(who) ? DeniedTarget.ofMember(who, email) : Effect.succeed(DeniedTarget.named("member", email))
  )

const roleOf = (who: Who): Role | null => (isPerson(who) ? who.member.role : null)

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

/** Gives a member another role; only an owner gives or takes the role of an owner. */
export const set = Effect.fn("Members.set")(function* (
  who: Who,
  input: { readonly workspace: WorkspaceSlug; readonly email: string; readonly role: Role }
) {
  const { email, role, workspace } = input
  const by = yield* admit(who, role === "owner" ? "member set owner" : "member set", targetOf(who, email))
  const store = yield* WorkspaceStore
  return yield* store.change(workspace, ChangeMember.set(by, roleOf(who), workspace, { email, role }))
})

/** Removes a member; the member's tokens stop working. */
export const remove = Effect.fn("Members.remove")(function* (
  who: Who,
  input: { readonly workspace: WorkspaceSlug; readonly email: string }
) {
  const by = yield* admit(who, "member remove", targetOf(who, input.email))
  const store = yield* WorkspaceStore
  yield* store.change(input.workspace, ChangeMember.remove(by, roleOf(who), input.workspace, input.email))
})
