import { assert, describe, it } from "@effect/vitest"
import { Either } from "effect"
import type { TokenId } from "../../../domain/workspace/ApiToken.ts"
import { add, remove, set } from "../../../domain/workspace/ChangeMember.ts"
import * as ChangeToken from "../../../domain/workspace/ChangeToken.ts"
import { create } from "../../../domain/workspace/ChangeWorkspace.ts"
import { type Email, Member, type MemberId, type Role } from "../../../domain/workspace/Member.ts"
import type { Roster } from "../../../domain/workspace/Roster.ts"
import { Workspace, type WorkspaceId, type WorkspaceSlug } from "../../../domain/workspace/Workspace.ts"
import { recorded, refusal, success } from "../Outcome.ts"
import * as Sample from "../Sample.ts"

const { ana, before, now } = Sample
const slug = "acme" as WorkspaceSlug
const id = (digit: number) => `00000000-0000-4000-9000-00000000000${digit}`
const email = (name: string) => `${name.toLowerCase()}@acme.test` as Email

const member = (digit: number, name: string, role: Role) =>
  new Member({ id: id(digit) as MemberId, email: email(name), name, role, createdAt: before, removedAt: null })

const [owner, admin] = [member(1, "Olga", "owner"), member(2, "Ada", "admin")]
const workspace = new Workspace({ id: id(9) as WorkspaceId, slug, name: "Acme", createdAt: before, deletedAt: null })
const roster: Roster = { workspace, members: [owner, admin], now }
const gone: Roster = { ...roster, workspace: new Workspace({ ...workspace, deletedAt: before }) }
const two: Roster = { ...roster, members: [owner, admin, member(3, "Otto", "owner")] }
const mika = { id: id(4) as MemberId, email: email("Mika"), name: "Mika", role: "member" } as const

describe("a member", () => {
  it.each([
    ["to a deleted workspace", gone, mika, "WorkspaceNotFound"],
    ["twice", roster, { ...mika, email: "ADA@acme.test" as Email }, "MemberExists"],
    ["once", roster, mika, null]
  ])("is added %s", (_, at, input, tag) => assert.strictEqual(refusal(add(ana, slug, input)(at)), tag))

  it.each([
    ["a stranger", roster, null, "zoe@acme.test", "MemberNotFound"],
    ["the last owner", roster, "owner", owner.email, "LastOwner"],
    ["an owner for an admin", two, "admin", owner.email, "OwnerRequired"],
    ["an owner for an owner", two, "owner", owner.email, null],
    ["an admin for the operator", roster, null, admin.email, null]
  ] as const)("is removed, or not: %s", (_, at, role, who, tag) =>
    assert.strictEqual(refusal(remove(ana, role, slug, who)(at)), tag)
  )

  it.each([
    ["in a deleted workspace", gone, null, admin.email, "member", "WorkspaceNotFound"],
    ["a stranger", roster, null, "zoe@acme.test", "admin", "MemberNotFound"],
    ["the same role", roster, "admin", admin.email, "admin", "RoleAlreadySet"],
    ["the last owner", roster, "owner", owner.email, "admin", "LastOwner"],
    ["the last owner for the operator", roster, null, owner.email, "member", "LastOwner"],
    ["an owner for an admin", two, "admin", owner.email, "member", "OwnerRequired"],
    ["the same owner for an admin", two, "admin", owner.email, "owner", "OwnerRequired"],
    ["a new owner for an admin", roster, "admin", admin.email, "owner", "OwnerRequired"],
    ["an owner for an owner", two, "owner", owner.email, "admin", null],
    ["a new owner for an owner", roster, "owner", admin.email, "owner", null],
    ["an admin for an admin, by the address in any case", roster, "admin", "ADA@acme.test", "member", null],
    ["a new owner for the operator", roster, null, admin.email, "owner", null]
  ] as const)("gets another role, or not: %s", (_, at, own, who, role, tag) =>
    assert.strictEqual(refusal(set(ana, own, slug, { email: who, role })(at)), tag)
  )

  it("has its role recorded with the one before", () => {
    const { change, result } = success(set(ana, "owner", slug, { email: admin.email, role: "member" })(roster))
    assert.deepStrictEqual(change.changed?.members, [result])
    assert.deepStrictEqual(recorded(change), ["member_role_changed member Ada"])
    assert.deepInclude(change.audit[0].details, { before: { role: "admin" }, after: { role: "member" } })
  })

  it("that may not change an owner is recorded as denied", () => {
    const decided = set(ana, "admin", slug, { email: owner.email, role: "member" })(two)
    const { change } = Either.getOrThrow(decided)
    assert.deepStrictEqual(recorded(change), ["access_denied member Olga"])
    assert.deepInclude(change.audit[0].details, { operation: "member set owner" })
  })
})

it("a workspace is created once, with its owner", () => {
  const input = { id: workspace.id, slug, name: "Acme", owner: mika }
  assert.strictEqual(refusal(create(ana, input)(gone)), "WorkspaceSlugTaken")
  const { change } = success(create(ana, input)({ ...roster, workspace: null, members: [] }))
  assert.deepStrictEqual(recorded(change), ["workspace_created workspace Acme", "member_added member Mika"])
  assert.deepStrictEqual(
    change.added?.members?.map(({ role }) => role),
    ["owner"]
  )
})

describe("a token", () => {
  const input = {
    id: id(5) as TokenId,
    name: "laptop",
    prefix: "tk_abcdefgh",
    hash: "0".repeat(64),
    member: admin.email,
    permissions: ["read", "read"],
    lifetime: "30d"
  } as const
  const created = (self: MemberId | null, more: object = {}) =>
    ChangeToken.create(ana, self, slug, { ...input, ...more })(roster)
  const token = () => success(created(null)).result

  it.each([
    ["a stranger", () => created(null, { member: "zoe@acme.test" }), "MemberNotFound"],
    ["another member", () => created(owner.id), "TokenIsPersonal"],
    ["oneself", () => created(admin.id), null]
  ] as const)("is created for %s", (_, act, tag) => assert.strictEqual(refusal(act()), tag))

  it("has each permission once", () => assert.deepStrictEqual(token().permissions, ["read"]))

  it("is revoked once, and only by its member or the operator", () => {
    const revoke = (self: MemberId | null) => ChangeToken.revoke(ana, self, input.prefix)
    assert.strictEqual(refusal(revoke(null)(null, now)), "TokenNotFound")
    assert.strictEqual(refusal(revoke(owner.id)(token(), now)), "TokenNotFound")
    const { change } = success(revoke(admin.id)(token(), now))
    const [revoked = null] = change.changed?.tokens ?? []
    assert.strictEqual(refusal(revoke(null)(revoked, now)), "TokenNotFound")
  })
})
