import { Schema } from "effect"
import { Line, Text } from "../value/Text.ts"
import { Timestamp } from "../value/Timestamp.ts"

export const MemberId = Schema.UUID.pipe(Schema.brand("MemberId"))
export type MemberId = typeof MemberId.Type

export const Role = Schema.Literal("member", "admin", "owner")
export type Role = typeof Role.Type

const rank: Record<Role, number> = { member: 0, admin: 1, owner: 2 }

/** Each role has every right of the roles below it. */
export const atLeast = (role: Role, least: Role): boolean => rank[role] >= rank[least]

export const Email = Text.pipe(
  Schema.maxLength(254),
  Schema.pattern(/^[^\s@]+@[^\s@]+$/, { message: () => "must be an e-mail address" }),
  Schema.brand("Email")
)
export type Email = typeof Email.Type

/** An address that is typed: rows of earlier versions may hold other characters. */
export const NewEmail = Email.pipe(
  Schema.filter((text) => !/[\p{Cc}\p{Cf}]/u.test(text) || "must be an e-mail address without control characters")
)

export class Member extends Schema.Class<Member>("Member")({
  id: MemberId,
  email: Email,
  name: Line(200),
  role: Role,
  createdAt: Timestamp,
  removedAt: Schema.NullOr(Timestamp)
}) {}

export const byEmail = <M extends Pick<Member, "email">>(members: ReadonlyArray<M>, email: string): M | undefined =>
  members.find((member) => member.email.toLowerCase() === email.toLowerCase())

export class MemberNotFound extends Schema.TaggedError<MemberNotFound>()("MemberNotFound", { email: Schema.String }) {
  override get message() {
    return `The workspace has no member '${this.email}'; 'gatehouse member list' shows them, and 'gatehouse member add' adds one.`
  }
}

export class MemberExists extends Schema.TaggedError<MemberExists>()("MemberExists", { email: Schema.String }) {
  override get message() {
    return `'${this.email}' is a member of this workspace already.`
  }
}

export class LastOwner extends Schema.TaggedError<LastOwner>()("LastOwner", { email: Schema.String }) {
  override get message() {
    return `'${this.email}' is the last owner, who cannot be removed or get another role. Add another owner first, or delete the workspace.`
  }
}

export class OwnerRequired extends Schema.TaggedError<OwnerRequired>()("OwnerRequired", { role: Role }) {
  override get message() {
    return `Only an owner of the workspace may do this; your role is ${this.role}. Ask an owner.`
  }
}

export class AdminRequired extends Schema.TaggedError<AdminRequired>()("AdminRequired", { role: Role }) {
  override get message() {
    return `Only owners and admins of the workspace may do this; your role is ${this.role}. Ask one of them.`
  }
}
