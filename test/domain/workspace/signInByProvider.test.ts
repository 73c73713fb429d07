import { DateTime, Either } from "effect"
import { assert, describe, it } from "vitest"
import type { IdentityContext } from "../../../domain/workspace/ChangeIdentity.ts"
import { isInTime, OpenIdRefused, ProviderIdentity } from "../../../domain/workspace/openid/ProviderIdentity.ts"
import { signInByProvider } from "../../../domain/workspace/openid/SignInByProvider.ts"
import type { SessionId } from "../../../domain/workspace/Session.ts"
import { addressKey, type Membership } from "../../../domain/workspace/SignInReach.ts"

const now = DateTime.unsafeMake("2026-03-02T08:00:00.000Z")
const before = DateTime.unsafeMake("2026-01-02T08:00:00.000Z")
const issuer = "https://login.acme.test"
const email = addressKey("ana@acme.test")

const membership = (slug: string) =>
  ({
    workspace: `${slug}-id`,
    workspaceSlug: slug,
    workspaceName: slug,
    member: { id: "33333333-3333-4333-8333-333333333333", email, name: "Ana", role: "member" }
  }) as unknown as Membership

const identity = (subject: string, at = issuer) =>
  new ProviderIdentity({ issuer: at, subject, email, createdAt: before, lastUsedAt: before })

const context = (more: Partial<IdentityContext>): IdentityContext => ({
  now,
  link: null,
  memberships: [membership("acme"), membership("zoo")],
  sessions: [],
  passkeys: [],
  identities: [],
  ...more
})

const account = { issuer, subject: "ana-1", email: "Ana@Acme.test" as string | null, isVerified: true }

const sign = (at: Partial<IdentityContext>, given: Partial<typeof account> = {}) =>
  signInByProvider(
    { id: "55555555-5555-4555-8555-555555555555" as SessionId, hash: "hash" },
    { userAgent: null, address: "::1", requestId: "r", before: "hash before" },
    { account: { ...account, ...given }, email, host: "login.acme.test" }
  )(context(at))

describe("signing in by a provider", () => {
  it.each([
    ["no address", {}, { email: null }, "no_address"],
    ["an address that is not verified", {}, { isVerified: false }, "unverified"],
    ["an address that nobody has", { memberships: [] }, {}, "unknown"],
    ["another account with the address of a member", { identities: [identity("ana-0")] }, {}, "other_account"],
    ["an account whose tie is gone, with another address", {}, { email: "new@acme.test" }, "not_a_member"],
    ["an account of somebody who left", { memberships: [], identities: [identity("ana-1")] }, {}, "not_a_member"],
    ["a letter that only looks like that of the member", {}, { email: "\u212Aana@acme.test" }, "not_a_member"]
  ] as const)("%s is refused, with a way out", (_, at, given, reason) => {
    const refusal = Either.getOrThrow(Either.flip(sign(at, given)))
    assert.instanceOf(refusal, OpenIdRefused)
    assert.strictEqual(refusal.reason, reason)
    assert.match(refusal.message, /admin|another way/)
  })

  it.each([
    ["a verified address of a member", {}, {}, now],
    ["the same account", { identities: [identity("ana-1")] }, {}, before],
    ["the same account with another address", { identities: [identity("ana-1")] }, { email: "x@else.test" }, before],
    ["the same account without one", { identities: [identity("ana-1")] }, { email: null, isVerified: false }, before],
    ["an account of another provider", { identities: [identity("ana-0", "https://old.acme.test")] }, {}, now]
  ] as const)("%s signs the member in, and is tied to them", (_, at, given, tiedAt) => {
    const { answer, change } = Either.getOrThrow(sign(at, given))
    assert.deepStrictEqual(
      { ...change.identity },
      { issuer, subject: "ana-1", email, createdAt: tiedAt, lastUsedAt: now }
    )
    assert.deepStrictEqual([change.session?.email, change.session?.method], [email, "openid"])
    assert.deepStrictEqual(change.session?.reach, { type: "address" })
    assert.strictEqual(change.replaced, "hash before")
    assert.deepStrictEqual(
      answer.memberships.map(({ workspaceSlug }) => workspaceSlug),
      ["acme", "zoo"]
    )
    assert.deepStrictEqual(
      change.audit.map(({ fact, workspace }) => [workspace, fact.event, fact.details["method"]]),
      [
        ["acme-id", "signed_in", "openid"],
        ["zoo-id", "signed_in", "openid"]
      ]
    )
  })

  it("a sign-in is finished within 15 minutes", () => {
    assert.isTrue(isInTime(now, DateTime.add(now, { millis: 15 * 60_000 - 1 })))
    assert.isFalse(isInTime(now, DateTime.add(now, { minutes: 15 })))
  })

  it.each(["state", "ended", "proof", "no_address", "unverified", "unknown", "other_account", "not_a_member"] as const)(
    "the refusal %s names no secret and says what to do",
    (reason) => {
      const { message } = new OpenIdRefused({ host: "login.acme.test", reason, named: "a name" })
      assert.match(message, /Begin|another way|admin/)
      assert.strictEqual(
        message.includes("a name"),
        ["ended", "unverified", "unknown", "other_account"].includes(reason)
      )
    }
  )
})
