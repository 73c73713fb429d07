import { Either } from "effect"
import { assert, describe, it } from "vitest"
import { type Email, Member, type MemberId, Role } from "../../../domain/workspace/Member.ts"
import { concernsOwners, setRole } from "../../../domain/workspace/SetRole.ts"
import * as Sample from "../Sample.ts"

const member = (role: Role, index: number) =>
  new Member({
    id: `00000000-0000-4000-8000-00000000000${index}` as MemberId,
    email: `${role}${index}@acme.test` as Email,
    name: `${role} ${index}`,
    role,
    createdAt: Sample.before,
    removedAt: null
  })

const all = Role.literals.map(member)
const pairs = Role.literals.flatMap((from) => Role.literals.map((to) => [from, to] as const))

const outcome = (members: ReadonlyArray<Member>, email: string, role: Role) =>
  Either.match(setRole(Sample.ana, email, role)(members), {
    onLeft: ({ _tag }) => _tag,
    onRight: ({ answer }) => Either.getOrThrow(answer).role
  })

describe("another role", () => {
  it.each(pairs)("from %s to %s is given while another owner stays", (from, to) => {
    const email = all.find(({ role }) => role === from)?.email ?? ""
    assert.strictEqual(outcome([...all, member("owner", 9)], email, to), from === to ? "RoleAlreadySet" : to)
    assert.strictEqual(concernsOwners(from, to), from === "owner" || to === "owner")
  })

  it.each(["member", "admin"] as const)("is not given to the last owner: %s", (role) =>
    assert.strictEqual(outcome(all, "owner2@acme.test", role), "LastOwner")
  )

  it("is given to a member of the workspace alone, whose address is read in any case", () => {
    assert.strictEqual(outcome(all, "who@acme.test", "admin"), "MemberNotFound")
    assert.strictEqual(outcome(all, "MEMBER0@acme.test", "admin"), "admin")
  })

  it("is recorded with the one before", () => {
    const { change } = Either.getOrThrow(setRole(Sample.ana, "member0@acme.test", "admin")(all))
    const [fact] = change.audit
    assert.deepStrictEqual([fact.event, fact.entity.name], ["member_role_changed", "member 0"])
    assert.deepInclude(fact.details, { before: { role: "member" }, after: { role: "admin" } })
  })
})
