import { type Array, Schema } from "effect"
import { Email, MemberId, Role } from "./Member.ts"
import { WorkspaceId, WorkspaceSlug } from "./Workspace.ts"

/** An e-mail address in the form people are found by in all workspaces. */
export const AddressKey = Schema.String.pipe(Schema.brand("AddressKey"))
export type AddressKey = typeof AddressKey.Type

/** Folds ASCII letters only: other letters may fold to the address of somebody else, such as K (U+212A) to k. */
export const addressKey = (email: string): AddressKey =>
  email.trim().replace(/[A-Z]+/g, (letters) => letters.toLowerCase()) as AddressKey

/** A workspace that a person belongs to, and who they are in it. */
export const Membership = Schema.Struct({
  workspace: WorkspaceId,
  workspaceSlug: WorkspaceSlug,
  workspaceName: Schema.String,
  member: Schema.Struct({ id: MemberId, email: Email, name: Schema.String, role: Role })
})
export type Membership = typeof Membership.Type
export type Memberships = Array.NonEmptyReadonlyArray<Membership>

/**
 * The workspaces that a sign-in opens. A link handed over by an operator proves nothing about the address, which any
 * workspace may add as its member, so it opens the one workspace it was made for, as the member of that time.
 */
export const SignInReach = Schema.Union(
  Schema.Struct({ type: Schema.Literal("workspace"), workspace: WorkspaceId, member: MemberId }),
  Schema.Struct({ type: Schema.Literal("address") })
)
export type SignInReach = typeof SignInReach.Type

/** The memberships of an address that a reach opens. */
export const within = (reach: SignInReach, memberships: ReadonlyArray<Membership>): ReadonlyArray<Membership> =>
  reach.type === "address"
    ? memberships
    : memberships.filter(({ member, workspace }) => workspace === reach.workspace && member.id === reach.member)

/** True when a sign-in of the first reach may list and end what has the second, for the same address. */
export const governs = (own: SignInReach, other: SignInReach): boolean =>
  own.type === "address" ||
  (other.type === "workspace" && own.workspace === other.workspace && own.member === other.member)
