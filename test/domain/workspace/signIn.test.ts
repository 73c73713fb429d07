import { DateTime, Effect, Either, Redacted } from "effect"
import { assert, describe, it } from "vitest"
import { isFresh, relyingParty } from "../../../domain/workspace/Passkey.ts"
import * as Session from "../../../domain/workspace/Session.ts"
import * as SignInLink from "../../../domain/workspace/SignInLink.ts"
import {
  addressKey,
  governs,
  type Membership,
  type SignInReach,
  within
} from "../../../domain/workspace/SignInReach.ts"

const start = DateTime.unsafeMake("2026-03-02T08:00:00.000Z")
const after = (parts: Partial<DateTime.DateTime.PartsForMath>) => DateTime.add(start, parts)

const acme = "11111111-1111-4111-8111-111111111111"
const evil = "22222222-2222-4222-8222-222222222222"
const member = "33333333-3333-4333-8333-333333333333"
const former = "44444444-4444-4444-8444-444444444444"

const membership = (workspace: string, id: string = member) =>
  ({
    workspace,
    workspaceSlug: workspace === acme ? "acme" : "evil",
    workspaceName: "W",
    member: { id, email: "ana@acme.test", name: "Ana", role: "member" }
  }) as Membership

const both = [membership(acme), membership(evil)]
const everywhere = { type: "address" } as SignInReach
const only = (workspace: string, id = member) => ({ type: "workspace", workspace, member: id }) as SignInReach

const link = (more: Partial<ConstructorParameters<typeof SignInLink.SignInLink>[0]> = {}) =>
  new SignInLink.SignInLink({
    hash: "0".repeat(64),
    email: addressKey("ana@acme.test"),
    origin: "operator",
    target: { workspace: acme, member } as never,
    createdAt: start,
    usedAt: null,
    ...more
  })

const session = (lastSeenAt = start, reach = everywhere) =>
  new Session.Session({
    id: member as Session.SessionId,
    hash: "0".repeat(64),
    email: addressKey("ana@acme.test"),
    reach,
    method: "link",
    createdAt: start,
    lastSeenAt,
    userAgent: "Firefox",
    address: "::1"
  })

const opened = (memberships: ReadonlyArray<Membership>) => memberships.map(({ workspaceSlug }) => workspaceSlug).join()

describe("a reach", () => {
  it.each([
    ["an address opens all its workspaces", everywhere, both, "acme,evil"],
    ["a workspace opens itself", only(evil), both, "evil"],
    ["not for the member of before", only(evil, former), both, ""],
    ["not another one", only(acme), [membership(evil)], ""],
    ["nobody's opens nothing", everywhere, [], ""]
  ])("%s", (_, reach, memberships, slugs) => assert.strictEqual(opened(within(reach, memberships)), slugs))

  it.each([
    [everywhere, everywhere, true],
    [everywhere, only(acme), true],
    [only(acme), only(acme), true],
    [only(acme), only(evil), false],
    [only(acme), only(acme, former), false],
    [only(acme), everywhere, false]
  ])("%j governs %j: %s", (own, other, expected) => assert.strictEqual(governs(own, other), expected))

  it("folds ASCII letters only", () => {
    assert.strictEqual(addressKey(" Ana.B@ACME.test "), "ana.b@acme.test")
    assert.strictEqual(addressKey("\u212Aim@x.test"), "\u212Aim@x.test")
    assert.strictEqual(addressKey("\u0130da@x.test"), "\u0130da@x.test")
  })
})

describe("a link", () => {
  it.each([
    ["is good at once", link(), both, start, "acme"],
    ["until 15 minutes are over", link(), both, after({ minutes: 15, millis: -1 }), "acme"],
    ["not then", link(), both, after({ minutes: 15 }), "expired"],
    ["once", link({ usedAt: start }), both, after({ minutes: 1 }), "used"],
    ["while its person is a member there", link(), [membership(evil)], start, "not_a_member"],
    ["as the same member", link(), [membership(acme, former)], start, "not_a_member"],
    ["in every workspace if it was mailed", link({ origin: "mail" }), both, start, "acme,evil"],
    ["also without a target", link({ origin: "mail", target: null }), both, start, "acme,evil"],
    ["an operator's has a target", link({ target: null }), both, start, "unknown"],
    ["if it exists", null, [], start, "unknown"]
  ])("%s", (_, found, memberships, now, expected) =>
    assert.strictEqual(
      Either.match(SignInLink.usable({ link: found, memberships, now }), {
        onLeft: ({ reason }) => reason,
        onRight: (good) => opened(good.memberships)
      }),
      expected
    )
  )

  it("its token is looked up by its hash only if it can be one", async () => {
    const token = Effect.runSync(SignInLink.drawSecret("gtl_"))
    assert.match(Redacted.value(token), /^gtl_[\w-]{43}$/)
    const hash = (text: string) => Effect.runPromise(SignInLink.hashOf("gtl_", Redacted.make(text)))
    assert.match((await hash(Redacted.value(token))) ?? "", /^[0-9a-f]{64}$/)
    for (const text of ["", "gtl_x", `gts_${"x".repeat(43)}`, `gtl_${"x".repeat(44)}`, `gtl_${" ".repeat(43)}`])
      assert.isNull(await hash(text), text)
  })
})

describe("a session", () => {
  it.each([
    ["fresh", start, start, "acme,evil"],
    ["rests less than 12 hours", start, after({ hours: 12, millis: -1 }), "acme,evil"],
    ["rests 12 hours", start, after({ hours: 12 }), "expired"],
    ["in use for less than 30 days", after({ days: 29, hours: 23 }), after({ days: 30, millis: -1 }), "acme,evil"],
    ["in use for 30 days", after({ days: 29, hours: 23 }), after({ days: 30 }), "expired"]
  ])("%s", (_, seen, now, expected) =>
    assert.strictEqual(
      Either.match(Session.valid({ session: session(seen), memberships: both, now }), {
        onLeft: ({ reason }) => reason,
        onRight: (good) => opened(good.memberships)
      }),
      expected
    )
  )

  it("opens nothing without a membership in its reach, or if it is unknown", () => {
    const found = { session: session(start, only(acme)), memberships: [membership(evil)], now: start }
    assert.strictEqual(Either.getOrThrow(Either.flip(Session.valid(found))).reason, "not_a_member")
    assert.strictEqual(Either.getOrThrow(Either.flip(Session.valid(null))).reason, "unknown")
  })

  it("is noted as seen once a minute", () => {
    assert.isFalse(Session.needsTouch(session(), after({ seconds: 59 })))
    assert.isTrue(Session.needsTouch(session(), after({ seconds: 60 })))
  })

  it("opens a workspace by its slug, and no other", () => {
    const signedIn = { memberships: [membership(acme)] as const }
    assert.strictEqual(Either.getOrThrow(Session.membershipIn(signedIn, "acme")).workspace, acme)
    assert.strictEqual(Either.getOrThrow(Either.flip(Session.membershipIn(signedIn, "evil")))._tag, "WorkspaceNotFound")
  })

  it.each([
    ["Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0", "Firefox on Linux"],
    [
      "Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0 Safari/537.36 Edg/141.0",
      "Edge on Windows"
    ],
    ["Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15) AppleWebKit/605 Version/18 Safari/605", "Safari on macOS"],
    ["Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605 CriOS/141 Safari/604", "Chrome on iOS"],
    ["Mozilla/5.0 (Linux; Android 16) AppleWebKit/537 Chrome/141.0 Mobile Safari/537", "Chrome on Android"],
    ["Mozilla/5.0 (X11; CrOS x86_64) AppleWebKit/537 Chrome/141.0 Safari/537 OPR/99", "Opera on ChromeOS"],
    ["Firefox/140.0", "Firefox"],
    ["curl/8.14\n x", "curl/8.14 x"],
    ["x".repeat(500), `${"x".repeat(59)}…`],
    ["", "Unknown browser"],
    [null, "Unknown browser"]
  ])("of %s is shown as %s", (header, shown) => assert.strictEqual(Session.describeAgent(header), shown))
})

describe("a passkey", () => {
  it.each([
    ["https://gate.example.com", "gate.example.com https://gate.example.com"],
    ["https://gate.example.com:8443/base", "gate.example.com https://gate.example.com:8443"],
    ["http://localhost:3000", "localhost http://localhost:3000"],
    ["http://app.localhost:3000", "app.localhost http://app.localhost:3000"],
    ["http://gate.example.com", null],
    ["http://127.0.0.1:3000", null],
    ["https://192.0.2.1", null],
    ["https://[::1]:3000", null],
    ["no address", null]
  ])("at %s belongs to %s", (address, site) =>
    assert.strictEqual(
      Either.match(relyingParty(address), { onLeft: () => null, onRight: ({ id, origin }) => `${id} ${origin}` }),
      site
    )
  )

  const own = member as Session.SessionId
  it.each([
    ["for five minutes", own, own, after({ minutes: 5, millis: -1 }), true],
    ["not longer", own, own, after({ minutes: 5 }), false],
    ["not in another session", former as Session.SessionId, own, start, false],
    ["not one of a session for signing in", own, null, start, false],
    ["nor the other way round", null, own, start, false],
    ["signing in has none", null, null, start, true]
  ])("answers a challenge %s", (_, made, used, now, expected) =>
    assert.strictEqual(isFresh({ hash: "", session: made, createdAt: start }, used, now), expected)
  )
})
