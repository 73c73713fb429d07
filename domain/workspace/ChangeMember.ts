import { Either } from "effect"
import type { By } from "./Actor.ts"
import * as Audit from "./Audit.ts"
import { answered, type Decided, refused } from "../Change.ts"
import { byEmail, LastOwner, Member, MemberExists, MemberNotFound, OwnerRequired, type Role } from "./Member.ts"
import { present, type Roster } from "./Roster.ts"
import type { WorkspaceNotFound, WorkspaceSlug } from "./Workspace.ts"

export const memberAdded = (by: By, member: Member): Audit.Fact => {
  const details = { after: { email: member.email, role: member.role } }
  return Audit.fact(by, "member_added", Audit.entityOf("member", member), { details })
}

export const add =
  (by: By, slug: WorkspaceSlug, input: Pick<Member, "id" | "email" | "name" | "role">) =>
  (roster: Roster): Either.Either<Decided<Pick<Member, "id" | "email" | "role">>, WorkspaceNotFound | MemberExists> =>
    Either.gen(function* () {
      const { members, now } = yield* present(slug, roster)
      const { email, id, name, role } = input
      if (byEmail(members, email)) return yield* Either.left(new MemberExists({ email }))
      const member = new Member({ id, email, name, role, createdAt: now, removedAt: null })
      return yield* answered({ added: { members: [member] }, audit: [memberAdded(by, member)] }, { id, email, role })
    })

/** Removes a member for a member of that role, or for the operator, who has none. */
export const remove =
  (by: By, role: Role | null, slug: WorkspaceSlug, email: string) =>
  (roster: Roster): Either.Either<Decided<void, OwnerRequired>, WorkspaceNotFound | MemberNotFound | LastOwner> =>
    Either.gen(function* () {
      const { members, now } = yield* present(slug, roster)
      const member = byEmail(members, email)
      if (member === undefined) return yield* Either.left(new MemberNotFound({ email }))
      const entity = Audit.entityOf("member", member)
      if (member.role === "owner" && role !== null && role !== "owner")
        return yield* refused(
          { audit: [Audit.denied(by, "member remove owner", { entity })] },
          new OwnerRequired({ role })
        )
      if (member.role === "owner" && members.filter((other) => other.role === "owner").length === 1)
        return yield* Either.left(new LastOwner({ email: member.email }))
      const details = { before: { email: member.email, role: member.role } }
      return yield* answered(
        {
          changed: { members: [new Member({ ...member, removedAt: now })] },
          audit: [Audit.fact(by, "member_removed", entity, { details })]
        },
        undefined
      )
    })
