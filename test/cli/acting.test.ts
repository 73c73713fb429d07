import { afterEach, assert, beforeEach, describe, it } from "vitest"
import { type Acme, acme, asAdmin, asMember, asOwner, open } from "./Acme.ts"

let at: Acme
beforeEach(async () => {
  at = await open()
})
afterEach(() => at.close())

const last = async () => {
  const { actor, details, event } = (await at.audit()).at(-1)
  return [event, actor.type, actor.name, details.channel]
}

const add = (role: string) => ["member", "add", "--email", `new-${role}@acme.test`, "--name", "New", "--role", role]
const remove = (who: string) => ["member", "remove", "--email", `${who}@acme.test`]
const create = (who: string) => {
  const rest = ["--name", "ci", "--permissions", "read", "--expires", "30d"]
  return ["token", "create", "--member", `${who}@acme.test`, ...rest]
}

describe("with --as", () => {
  it("a member is on record as acting, in the app", async () => {
    await at.json(...add("member"), ...asAdmin)
    assert.deepStrictEqual(await last(), ["member_added", "human", "A admin", "app"])
    await at.json(...remove("new-member"), ...asAdmin)
    assert.deepStrictEqual(await last(), ["member_removed", "human", "A admin", "app"])
    const { prefix } = await at.json(...create("member"), ...asMember)
    assert.deepStrictEqual(await last(), ["token_created", "human", "A member", "app"])
    await at.json("token", "revoke", ...asMember, "--prefix", prefix)
    assert.deepStrictEqual(await last(), ["token_revoked", "human", "A member", "app"])
    assert.deepInclude(await at.json("audit", "verify", ...asAdmin), { intact: true })
  })

  it.each([
    [add("member"), asMember, "admin_required", "member add"],
    [add("owner"), asAdmin, "owner_required", "member add owner"],
    [remove("admin"), asMember, "admin_required", "member remove"],
    [remove("owner"), asAdmin, "owner_required", "member remove owner"],
    [["audit", "verify"], asMember, "admin_required", "audit read"]
  ])("%j is refused to %j, and it is on record", async (words, who, code, operation) => {
    const refusal = await at.refused(...words, ...who)
    assert.strictEqual(refusal.code, code)
    const denial = ["access_denied", who === asMember ? "A member" : "A admin", operation]
    assert.deepStrictEqual(await at.denials(), [denial, denial])
  })

  it("nobody makes a token for somebody else, whatever their role", async () => {
    for (const [who, name] of [
      [asAdmin, "A admin"],
      [asOwner, "Olga Owner"]
    ] as const) {
      const { code, message } = await at.refused(...create("member"), ...who)
      assert.strictEqual(code, "token_is_personal")
      assert.strictEqual(
        message,
        "A token belongs to whoever creates it. 'member@acme.test' must create it themselves."
      )
      assert.deepInclude(await at.denials(), ["access_denied", name, "token create"])
    }
    assert.deepStrictEqual(await at.json("token", "list", ...acme, "--member", "member@acme.test"), [])
  })

  it("nobody revokes somebody else's token, or learns that there is one", async () => {
    const { prefix } = await at.json(...create("member"), ...asMember)
    const { code, message } = await at.refused("token", "revoke", ...asOwner, "--prefix", prefix)
    assert.strictEqual(code, "token_not_found")
    const none = await at.refused("token", "revoke", ...asOwner, "--prefix", "tk_xxxxxxxx")
    assert.strictEqual(message.replace(prefix, "tk_xxxxxxxx"), none.message)
    const [{ revokedAt }] = await at.json("token", "list", ...acme, "--member", "member@acme.test")
    assert.isNull(revokedAt)
    assert.deepInclude(await at.denials(), ["access_denied", "Olga Owner", "token revoke"])
  })
})

it("without --as the operator acts, as the system", async () => {
  for (const words of [add("owner"), create("member"), remove("new-owner")]) {
    await at.json(...words, ...acme)
    assert.deepStrictEqual((await last()).slice(1, 3), ["system", "system"])
  }
})

it.each([[add("member")], [create("member")], [["audit", "verify"]]])(
  "%j as a stranger is refused by the address",
  async (words) => {
    const stranger = await at.refused(...words, ...acme, "--as", "who@acme.test")
    assert.deepStrictEqual([stranger.code, stranger.message.includes("'who@acme.test'")], ["member_not_found", true])
    const noAddress = await at.refused(...words, ...acme, "--as", "who")
    assert.strictEqual(noAddress.message, "--as must be an e-mail address; got 'who'")
  }
)
