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
import * as Uuid from "../../domain/value/Uuid.ts"
import type { WorkspaceSlug } from "../../domain/workspace/Workspace.ts"
import { admit, denial, isPerson, type Who } from "./Authorization.ts"
import { present } from "./RequireWorkspace.ts"
import { WorkspaceStore } from "../ports/WorkspaceStore.ts"
import * as DeniedTarget from "./DeniedTarget.ts"

const entity = (member: Member): Audit.Fact["entity"] => ({ type: "member", id: member.id, name: member.name })

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
      const audit = [Audit.fact(by, "member_added", entity(member), { details: { after: { email, role } } })] as const
      return yield* answered({ added: { members: [member] }, audit }, { id, email, role })
    })
  )
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
  yield* store.change(input.workspace, (roster) =>
    Either.gen(function* () {
      const { members, now } = yield* present(input.workspace, roster)
      const member = byEmail(members, input.email)
      if (member === undefined) return yield* Either.left(new MemberNotFound({ email: input.email }))
      if (member.role === "owner" && isPerson(who) && who.member.role !== "owner")
        return yield* refused(
          denial(who, "member remove owner", { entity: entity(member) }),
          new OwnerRequired({ role: who.member.role })
        )
      if (member.role === "owner" && members.filter((other) => other.role === "owner").length === 1)
        return yield* Either.left(new LastOwner({ email: member.email }))
      const details = { before: { email: member.email, role: member.role } }
      return yield* answered(
        {
          changed: { members: [new Member({ ...member, removedAt: now })] },
          audit: [Audit.fact(by, "member_removed", entity(member), { details })]
        },
        undefined
      )
    })
  )
})
