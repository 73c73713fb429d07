import { Effect, Either } from "effect"
import * as Audit from "../../domain/workspace/Audit.ts"
import { answered, refused } from "../../domain/Change.ts"
import {
  byEmail,
  LastOwner,
  Member,
  MemberExists,
  type MemberId,
  MemberNotFound,
  OwnerRequired,
  type Role
} from "../../domain/workspace/Member.ts"
import { concernsOwners, memberEntity, setRole } from "../../domain/workspace/SetRole.ts"
import * as Uuid from "../../domain/value/Uuid.ts"
import type { WorkspaceSlug } from "../../domain/workspace/Workspace.ts"
import { admit, denial, isPerson, type Who } from "./Authorization.ts"
import { present } from "./RequireWorkspace.ts"
import { WorkspaceStore } from "../ports/WorkspaceStore.ts"
import * as DeniedTarget from "./DeniedTarget.ts"

const targetOf = (who: Who, email: string) =>
  Effect.suspend(() =>
    isPerson(who) ? DeniedTarget.ofMember(who, email) : Effect.succeed(DeniedTarget.named("member", email))
  )

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
  return yield* store.change(input.workspace, (roster) =>
    Either.gen(function* () {
      const { members, now } = yield* present(input.workspace, roster)
      if (byEmail(members, input.email)) return yield* Either.left(new MemberExists({ email: input.email }))
      const { email, name, role } = input
      const member = new Member({ id, email, name, role, createdAt: now, removedAt: null })
      const audit = [
        Audit.fact(by, "member_added", memberEntity(member), { details: { after: { email, role } } })
      ] as const
      return yield* answered({ added: { members: [member] }, audit }, { id, email, role })
    })
  )
})

/** Gives a member another role; only an owner gives or takes the role of an owner. */
export const set = Effect.fn("Members.set")(function* (
  who: Who,
  input: { readonly workspace: WorkspaceSlug; readonly email: string; readonly role: Role }
) {
  const { email, role, workspace } = input
  const by = yield* admit(who, role === "owner" ? "member set owner" : "member set", targetOf(who, email))
  const store = yield* WorkspaceStore
  return yield* store.change(workspace, (roster) =>
    Either.gen(function* () {
      const { members } = yield* present(workspace, roster)
      const before = byEmail(members, email)
      if (before && concernsOwners(before.role, role) && isPerson(who) && who.member.role !== "owner")
        return yield* refused(
          denial(who, "member set owner", { entity: memberEntity(before) }),
          new OwnerRequired({ role: who.member.role })
        )
      return yield* setRole(by, email, role)(members)
    })
  )
})

/** Removes a member; the member's tokens stop working. */
export const remove = Effect.fn("Members.remove")(function* (
  who: Who,
  input: { readonly workspace: WorkspaceSlug; readonly email: string }
) {
  const by = yield* admit(who, "member remove", targetOf(who, input.email))
  const store = yield* WorkspaceStore
  yield* store.change(input.workspace, (roster) =>
    Either.gen(function* () {
      const { members, now } = yield* present(input.workspace, roster)
      const member = byEmail(members, input.email)
      if (member === undefined) return yield* Either.left(new MemberNotFound({ email: input.email }))
      if (member.role === "owner" && isPerson(who) && who.member.role !== "owner")
        return yield* refused(
          denial(who, "member remove owner", { entity: memberEntity(member) }),
          new OwnerRequired({ role: who.member.role })
        )
      if (member.role === "owner" && members.filter((other) => other.role === "owner").length === 1)
        return yield* Either.left(new LastOwner({ email: member.email }))
      const details = { before: { email: member.email, role: member.role } }
      return yield* answered(
        {
          changed: { members: [new Member({ ...member, removedAt: now })] },
          audit: [Audit.fact(by, "member_removed", memberEntity(member), { details })]
        },
        undefined
      )
    })
  )
})
