import { Either, Schema } from "effect"
import type { By } from "./Actor.ts"
import * as Audit from "./Audit.ts"
import { answered, type Decided, refused } from "../Change.ts"
import { byEmail, LastOwner, Member, MemberExists, MemberNotFound, OwnerRequired, Role } from "./Member.ts"
import { present, type Roster } from "./Roster.ts"
import type { WorkspaceNotFound, WorkspaceSlug } from "./Workspace.ts"

export class RoleAlreadySet extends Schema.TaggedError<RoleAlreadySet>()("RoleAlreadySet", {
  email: Schema.String,
  role: Role
}) {
  override get message() {
    return `'${this.email}' has the role ${this.role} already.`
  }
}

const isLastOwner = (members: ReadonlyArray<Member>, { role }: Member): boolean =>
  role === "owner" && members.filter((other) => other.role === "owner").length === 1

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

/** Gives a member another role for a member of the role `own`, or for the operator, who has none. */
export const set =
  (by: By, own: Role | null, slug: WorkspaceSlug, { email, role }: { readonly email: string; readonly role: Role }) =>
  (
    roster: Roster
  ): Either.Either<Decided<Member, OwnerRequired>, WorkspaceNotFound | MemberNotFound | RoleAlreadySet | LastOwner> =>
    Either.gen(function* () {
      const { members } = yield* present(slug, roster)
      const before = byEmail(members, email)
      if (before === undefined) return yield* Either.left(new MemberNotFound({ email }))
      const entity = Audit.entityOf("member", before)
      if ((before.role === "owner" || role === "owner") && own !== null && own !== "owner")
        return yield* refused(
          { audit: [Audit.denied(by, "member set owner", { entity })] },
          new OwnerRequired({ role: own })
        )
      if (before.role === role) return yield* Either.left(new RoleAlreadySet({ email: before.email, role }))
      if (isLastOwner(members, before)) return yield* Either.left(new LastOwner({ email: before.email }))
      const after = new Member({ ...before, role })
      const details = { before: { role: before.role }, after: { role } }
      return yield* answered(
        { changed: { members: [after] }, audit: [Audit.fact(by, "member_role_changed", entity, { details })] },
        after
      )
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
      if (isLastOwner(members, member)) return yield* Either.left(new LastOwner({ email: member.email }))
      const details = { before: { email: member.email, role: member.role } }
      return yield* answered(
        {
          changed: { members: [new Member({ ...member, removedAt: now })] },
          leaving: [member],
          audit: [Audit.fact(by, "member_removed", entity, { details })]
        },
        undefined
      )
    })
