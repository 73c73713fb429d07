import { assert, describe, it } from "@effect/vitest"
import { DateTime, Either } from "effect"
import { createWithin, type Within } from "../../../domain/workspace/ChangeToken.ts"
import type { Permission, TokenId } from "../../../domain/workspace/ApiToken.ts"
import { type Email, Member, type MemberId } from "../../../domain/workspace/Member.ts"
import { Workspace, type WorkspaceId, type WorkspaceSlug } from "../../../domain/workspace/Workspace.ts"
import { recorded, refusal, success } from "../Outcome.ts"
import { ana, before, now } from "../Sample.ts"

const slug = "acme" as WorkspaceSlug
const id = "33333333-3333-4333-8333-333333333333" as MemberId
const workspace = new Workspace({
  id: "44444444-4444-4444-8444-444444444444" as WorkspaceId,
  slug,
  name: "Acme",
  createdAt: before,
  deletedAt: null
})
const mika = new Member({
  id,
  email: "mika@acme.test" as Email,
  name: "Mika",
  role: "member",
  createdAt: before,
  removedAt: null
})
const roster = { workspace, members: [mika], now }

const input = {
  id: "55555555-5555-4555-8555-555555555555" as TokenId,
  name: "mine",
  prefix: "tk_00000000",
  hash: "0".repeat(64),
  member: mika.email,
  lifetime: "90d" as const
}
const days = (count: number) => DateTime.add(now, { days: count })
const creating = (within: Within, ...permissions: [Permission, ...Array<Permission>]) =>
  createWithin(ana, id, slug, within, { ...input, permissions })(roster)

describe("a token that another one creates", () => {
  it("ends with its lifetime, or with the token that created it", () => {
    const until = (count: number) => success(creating({ permissions: ["read"], expiresAt: days(count) }, "read")).result
    assert.deepStrictEqual(until(365).expiresAt, days(90))
    assert.deepStrictEqual(until(7).expiresAt, days(7))
    assert.deepStrictEqual(recorded(success(creating({ permissions: ["read"], expiresAt: days(7) }, "read")).change), [
      "token_created token mine"
    ])
  })

  it("has no further permission, and the attempt is recorded", () => {
    const within = (...permissions: [Permission, ...Array<Permission>]) => ({ permissions, expiresAt: days(30) })
    assert.isNull(refusal(creating(within("read", "write"), "write", "read")))
    assert.isNull(refusal(creating(within("admin"), "read", "delete")))
    const more = creating(within("read"), "read", "write")
    assert.strictEqual(refusal(more), "InsufficientPermission")
    assert.deepStrictEqual(recorded(Either.getOrThrow(more).change), ["access_denied member mika@acme.test"])
  })

  it("needs its workspace and its member", () => {
    const within = { permissions: ["read"] as const, expiresAt: days(30) }
    const at = (members: ReadonlyArray<Member>, of: Workspace | null) =>
      refusal(createWithin(ana, id, slug, within, { ...input, permissions: ["read"] })({ workspace: of, members, now }))
    assert.deepStrictEqual([at([], workspace), at([mika], null)], ["MemberNotFound", "WorkspaceNotFound"])
  })
})
