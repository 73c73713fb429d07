import { DateTime, Either } from "effect"
import { assert, describe, it } from "vitest"
import * as ChangeIdentity from "../../../domain/workspace/ChangeIdentity.ts"
import { mostPasskeys, Passkey, type PasskeyId } from "../../../domain/workspace/Passkey.ts"
import { Session, type SessionId, type SignedIn } from "../../../domain/workspace/Session.ts"
import { SignInLink } from "../../../domain/workspace/SignInLink.ts"
import { addressKey, type Membership, type SignInReach } from "../../../domain/workspace/SignInReach.ts"

const now = DateTime.unsafeMake("2026-03-02T08:00:00.000Z")
const [acme, evil] = ["11111111-1111-4111-8111-111111111111", "22222222-2222-4222-8222-222222222222"]
const member = "33333333-3333-4333-8333-333333333333"
const email = addressKey("ana@acme.test")
const idOf = (n: number) => `55555555-5555-4555-8555-55555555555${n}` as SessionId

const membership = (workspace: string) =>
  ({
    workspace,
    workspaceSlug: workspace === acme ? "acme" : "evil",
    workspaceName: "W",
    member: { id: member, email: "ana@acme.test", name: "Ana", role: "member" }
  }) as Membership
const memberships = [membership(acme), membership(evil)] as const
const everywhere = { type: "address" } as SignInReach
const onlyEvil = { type: "workspace", workspace: evil, member } as SignInReach

const session = (n: number, reach = everywhere) =>
  new Session({
    id: idOf(n),
    hash: `hash ${n}`,
    email,
    reach,
    method: "link",
    createdAt: now,
    lastSeenAt: now,
    userAgent: "Firefox",
    address: "::1"
  })

const passkey = (id: string, reach = everywhere, counter = 4) =>
  new Passkey({
    id: id as PasskeyId,
    email,
    reach,
    publicKey: "key",
    counter,
    transports: [],
    label: id,
    createdAt: now,
    lastUsedAt: null
  })

const context = (more: Partial<ChangeIdentity.IdentityContext> = {}): ChangeIdentity.IdentityContext => ({
  now,
  link: null,
  memberships,
  sessions: [],
  passkeys: [],
  identities: [],
  ...more
})

const signedIn = (own: Session): SignedIn => ({
  session: own,
  memberships: own.reach.type === "address" ? memberships : [membership(evil)],
  now
})

const browser = { userAgent: null, address: "::1", requestId: "r", before: "hash before" }
const fresh = { id: idOf(9), hash: "hash 9" }

const told = ({ audit }: ChangeIdentity.IdentityChange) =>
  audit.map(({ fact, workspace }) => `${workspace === acme ? "acme" : "evil"} ${fact.event} ${fact.entity.type}`)

describe("using a link", () => {
  const link = (origin: "operator" | "mail") =>
    new SignInLink({
      hash: "0".repeat(64),
      email,
      origin,
      target: { workspace: evil, member } as never,
      createdAt: now,
      usedAt: null
    })

  it("opens a session in place of the browser's own and uses the link up", () => {
    const { answer, change } = Either.getOrThrow(
      ChangeIdentity.useLink(fresh, browser)(context({ link: link("operator") }))
    )
    assert.deepInclude(change.session, { ...fresh, email, reach: onlyEvil, method: "link", createdAt: now })
    assert.strictEqual(change.replaced, "hash before")
    assert.strictEqual(change.link?.usedAt, now)
    assert.deepStrictEqual(told(change), ["evil signed_in session"])
    assert.deepStrictEqual(answer.memberships, [membership(evil)])
    const [entry] = change.audit
    assert.deepStrictEqual(entry?.fact.actor, { type: "human", name: "Ana", userId: member })
    assert.deepStrictEqual(entry?.fact.details, {
      v: 1,
      requestId: "r",
      channel: "app",
      method: "link",
      reach: "workspace"
    })
    assert.deepStrictEqual(entry?.fact.entity, { type: "session", id: idOf(9), name: "Ana" })
  })

  it("that was mailed is recorded in each workspace", () => {
    const { change } = Either.getOrThrow(ChangeIdentity.useLink(fresh, browser)(context({ link: link("mail") })))
    assert.deepStrictEqual(told(change), ["acme signed_in session", "evil signed_in session"])
  })
})

describe("using a passkey", () => {
  const use = (stored: Passkey, counter: number, more = {}) =>
    ChangeIdentity.usePasskey(fresh, browser, { id: stored.id, counter })(context({ passkeys: [stored], ...more }))

  it.each([
    ["that counts on", 4, 5, null],
    ["that does not count", 0, 0, null],
    ["that starts to count", 0, 1, null],
    ["with the same count", 4, 4, "proof"],
    ["with a lower count", 4, 3, "proof"],
    ["that stopped to count", 4, 0, "proof"]
  ])("%s", (_, stored, counter, reason) => {
    const used = use(passkey("a", everywhere, stored), counter)
    assert.strictEqual(Either.match(used, { onLeft: (refused) => refused.reason, onRight: () => null }), reason)
    if (Either.isRight(used)) assert.deepInclude(used.right.change.passkey, { counter, lastUsedAt: now })
  })

  it("opens what it was registered for", () => {
    const { answer, change } = Either.getOrThrow(use(passkey("a", onlyEvil), 5))
    assert.deepStrictEqual([change.session?.reach, change.session?.method], [onlyEvil, "passkey"])
    assert.deepStrictEqual(answer.memberships, [membership(evil)])
    assert.deepStrictEqual(told(change), ["evil signed_in session"])
  })

  it("needs the passkey and a membership", () => {
    const reason = (one: ReturnType<typeof use>) => Either.getOrThrow(Either.flip(one)).reason
    assert.strictEqual(reason(use(passkey("a"), 5, { passkeys: [passkey("b")] })), "unknown")
    assert.strictEqual(reason(use(passkey("a", onlyEvil), 5, { memberships: [membership(acme)] })), "not_a_member")
  })
})

describe("signing out", () => {
  const sessions = [session(1), session(2), session(3, onlyEvil)]
  const ended = (own: Session, which: ChangeIdentity.Ending) =>
    Either.map(ChangeIdentity.signOut(signedIn(own), "r", which)(context({ sessions })), ({ answer, change }) => {
      assert.strictEqual(change.ended?.length, answer)
      return { ids: change.ended, told: told(change) }
    })

  it.each([
    ["own", session(1), "own", [1]],
    ["others", session(1), "others", [2, 3]],
    ["all", session(1), "all", [1, 2, 3]],
    ["one", session(1), { id: idOf(3) }, [3]],
    ["no further than it reaches", session(3, onlyEvil), "all", [3]],
    ["none besides", session(3, onlyEvil), "others", []]
  ] as const)("ends %s", (_, own, which, ids) =>
    assert.deepStrictEqual(Either.getOrThrow(ended(own, which)).ids, ids.map(idOf))
  )

  it("refuses a session that is not the person's, or out of reach", () => {
    assert.isTrue(Either.isLeft(ended(session(3, onlyEvil), { id: idOf(1) })))
    assert.isTrue(Either.isLeft(ended(session(1), { id: idOf(8) })))
  })

  it("is recorded where the ended session reached", () => {
    assert.deepStrictEqual(Either.getOrThrow(ended(session(1), { id: idOf(3) })).told, ["evil signed_out session"])
    assert.deepStrictEqual(Either.getOrThrow(ended(session(1), "own")).told, [
      "acme signed_out session",
      "evil signed_out session"
    ])
  })
})

describe("passkeys of a person", () => {
  const verified = { id: "new" as PasskeyId, publicKey: "key", counter: 0, transports: ["usb"], label: "Key" }
  const add = (own: Session, passkeys: ReadonlyArray<Passkey>) =>
    ChangeIdentity.addPasskey(signedIn(own), "r", verified)(context({ passkeys }))

  it("are added with the reach of the session, up to a limit", () => {
    const { change } = Either.getOrThrow(add(session(3, onlyEvil), []))
    assert.deepInclude(change.passkey, { ...verified, email, reach: onlyEvil, lastUsedAt: null })
    assert.deepStrictEqual(told(change), ["evil passkey_changed member"])
    const many = (count: number) => Array.from({ length: count }, (_, n) => passkey(`p${n}`))
    assert.isTrue(Either.isRight(add(session(1), many(mostPasskeys - 1))))
    assert.strictEqual(Either.getOrThrow(Either.flip(add(session(1), many(mostPasskeys)))).reason, "too_many")
  })

  it("are renamed and removed by a session that reaches as far", () => {
    const at = context({ passkeys: [passkey("own"), passkey("planted", onlyEvil)] })
    const [wide, narrow] = [signedIn(session(1)), signedIn(session(3, onlyEvil))]
    const [own, planted] = ["own" as PasskeyId, "planted" as PasskeyId]
    const renamed = Either.getOrThrow(ChangeIdentity.renamePasskey(wide, "r", own, "Blue")(at))
    assert.strictEqual(renamed.change.passkey?.label, "Blue")
    assert.deepStrictEqual(renamed.change.audit[0]?.fact.details["change"], "renamed")
    const removed = Either.getOrThrow(ChangeIdentity.removePasskey(wide, "r", planted)(at))
    assert.strictEqual(removed.change.removedPasskey, planted)
    assert.deepStrictEqual(told(removed.change), ["evil passkey_changed member"])
    assert.isTrue(Either.isLeft(ChangeIdentity.renamePasskey(narrow, "r", own, "Blue")(at)))
    assert.isTrue(Either.isLeft(ChangeIdentity.removePasskey(narrow, "r", own)(at)))
    assert.isTrue(Either.isRight(ChangeIdentity.removePasskey(narrow, "r", planted)(at)))
  })
})
