import { Effect, Either } from "effect"
import * as Audit from "../domain/Audit.ts"
import type { Change } from "../domain/Change.ts"
import { byEmail, LastOwner, Member, MemberExists, type MemberId, MemberNotFound, type Role } from "../domain/Member.ts"
import * as Uuid from "../domain/Uuid.ts"
import { type Workspace, WorkspaceNotFound, type WorkspaceSlug } from "../domain/Workspace.ts"
import type { By } from "./By.ts"
import { type Roster, WorkspaceStore } from "./ports/WorkspaceStore.ts"

/** The roster of a workspace that is there, or the refusal that it is not. */
export const present = (
  slug: WorkspaceSlug,
  { workspace, ...roster }: Roster
): Either.Either<Roster & { readonly workspace: Workspace }, WorkspaceNotFound> =>
  workspace === null || workspace.deletedAt !== null
    ? Either.left(new WorkspaceNotFound({ slug }))
    : Either.right({ ...roster, workspace })

const entity = (member: Member): Audit.Fact["entity"] => ({ type: "member", id: member.id, name: member.name })

export const add = Effect.fn("Members.add")(function* (
  by: By,
  input: {
    readonly workspace: WorkspaceSlug
    readonly email: Member["email"]
    readonly name: string
    readonly role: Role
  }
) {
  const store = yield* WorkspaceStore
  const id = (yield* Uuid.make) as MemberId
  yield* store.change(input.workspace, (roster) =>
    Either.gen(function* () {
      const { members, now } = yield* present(input.workspace, roster)
      if (byEmail(members, input.email)) return yield* Either.left(new MemberExists({ email: input.email }))
      const { email, name, role } = input
      const member = new Member({ id, email, name, role, createdAt: now, removedAt: null })
      return {
        added: { members: [member] },
        audit: [Audit.fact(by, "member_added", entity(member), { details: { after: { email, role } } })]
      } satisfies Change
    })
  )
  return { id, email: input.email, role: input.role }
})

/** The member's tokens stop working with the membership. */
export const remove = Effect.fn("Members.remove")(function* (
  by: By,
  input: { readonly workspace: WorkspaceSlug; readonly email: string }
) {
  const store = yield* WorkspaceStore
  yield* store.change(input.workspace, (roster) =>
    Either.gen(function* () {
      const { members, now } = yield* present(input.workspace, roster)
      const member = byEmail(members, input.email)
      if (member === undefined) return yield* Either.left(new MemberNotFound({ email: input.email }))
      if (member.role === "owner" && members.filter((other) => other.role === "owner").length === 1)
        return yield* Either.left(new LastOwner({ email: member.email }))
      return {
        changed: { members: [new Member({ ...member, removedAt: now })] },
        audit: [
          Audit.fact(by, "member_removed", entity(member), {
            details: { before: { email: member.email, role: member.role } }
          })
        ]
      } satisfies Change
    })
  )
})
