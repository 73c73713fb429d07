import { Either, Schema } from "effect"
import type { By } from "./Actor.ts"
import * as Audit from "./Audit.ts"
import { answered, type Decided } from "../Change.ts"
import { byEmail, LastOwner, Member, MemberNotFound, Role } from "./Member.ts"

export class RoleAlreadySet extends Schema.TaggedError<RoleAlreadySet>()("RoleAlreadySet", {
  email: Schema.String,
  role: Role
}) {
  override get message() {
    return `'${this.email}' has the role ${this.role} already.`
  }
}

/** Only an owner gives or takes the role of an owner. */
export const concernsOwners = (before: Role, after: Role): boolean => before === "owner" || after === "owner"

export const memberEntity = (member: Member): Audit.Fact["entity"] => ({
  type: "member",
  id: member.id,
  name: member.name
})

/** Gives a member another role; a workspace keeps at least one owner. */
export const setRole =
  (by: By, email: string, role: Role) =>
  (members: ReadonlyArray<Member>): Either.Either<Decided<Member>, MemberNotFound | RoleAlreadySet | LastOwner> => {
    const before = byEmail(members, email)
    if (before === undefined) return Either.left(new MemberNotFound({ email }))
    if (before.role === role) return Either.left(new RoleAlreadySet({ email: before.email, role }))
    if (before.role === "owner" && members.filter((other) => other.role === "owner").length === 1)
      return Either.left(new LastOwner({ email: before.email }))
    const after = new Member({ ...before, role })
    const details = { before: { role: before.role }, after: { role } }
    return answered(
      {
        changed: { members: [after] },
        audit: [Audit.fact(by, "member_role_changed", memberEntity(after), { details })]
      },
      after
    )
  }
