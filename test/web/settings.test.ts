import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { mcpClients } from "../../adapters/api/McpClients.ts"
import type { WorkspaceSlug } from "../../domain/workspace/Workspace.ts"
import * as People from "../support/People.ts"
import * as Seed from "../support/Seed.ts"
import { ask } from "../support/World.ts"
import { entries, hostile, markup } from "./OnCallDesk.ts"
import { type Browser, open, type Site } from "./Visiting.ts"
import { session } from "../support/Sessions.ts"

describe("pages of the settings", () => {
  let site: Site
  let slug: WorkspaceSlug
  let [owner, admin, member]: Array<Browser> = []
  let recorded: (most: number) => Promise<ReadonlyArray<string>>
  beforeAll(async () => {
    site = await open()
    const made = await site.run(Seed.workspace)
    slug = made.slug
    recorded = (most) => site.run(entries(made.id, most))
    owner = await site.as(slug)
    admin = await site.as(slug, "admin")
    member = await site.as(slug, "member")
  })
  afterAll(() => site?.close())

  const as = (browser: Browser | undefined): Browser => browser ?? assert.fail("nobody is signed in")

  const tokenIn = (text: string) => /value="(tk_[A-Za-z0-9]{32})"/.exec(text)?.[1] ?? ""

  it("every coding agent has settings to paste, with the address of this service and without a token", async () => {
    const { status, text } = await as(member).get(`/${slug}/settings/mcp`)
    assert.strictEqual(status, 200)
    const plain = text.replaceAll("&quot;", '"').replaceAll("&amp;", "&")
    for (const client of Object.values(mcpClients)) {
      assert.include(plain, `>${client.name}</h2>`)
      assert.include(plain, client.text(`${site.url}/mcp`))
    }
    assert.notMatch(text, /tk_[A-Za-z0-9]/)
    assert.lengthOf([...text.matchAll(/ data-copy(?!-)/g)], Object.keys(mcpClients).length + 2)
  })

  describe("tokens", () => {
    const path = () => `/${slug}/settings/api`
    const filled = { name: "deploy bot", permissions: "read", lifetime: "30d" }

    it("a token is created, shown once, used, and revoked at once", async () => {
      const made = await as(member).post(path(), filled)
      assert.strictEqual(made.status, 200)
      assert.include(made.text, "“deploy bot” is ready. Copy it now")
      assert.strictEqual(made.headers["cache-control"], "no-store")
      const token = tokenIn(made.text)
      assert.deepStrictEqual(await recorded(1), ["token_created success app"])
      const use = () => ask(site.url, "/v1/teams", { token })
      assert.strictEqual((await use()).status, 200)
      const list = (await as(member).get(path())).text
      assert.notInclude(list, token)
      const prefix = token.slice(0, 11)
      assert.include(list, `${prefix}…`)
      const revoke = `${path()}/${prefix}/revoke`
      assert.include(list, `href="${revoke}"`)
      assert.include((await as(member).get(revoke)).text, "Revoke “deploy bot”?")
      const { headers, status } = await as(member).post(revoke, {})
      assert.deepStrictEqual([status, headers["location"]], [303, path()])
      assert.strictEqual((await use()).status, 401)
      assert.notInclude((await as(member).get(path())).text, prefix)
      assert.strictEqual((await as(member).post(revoke, {})).status, 404)
    })

    it("several permissions are given at once", async () => {
      const cookie = `gatehouse=${await site.run(session(slug, "member"))}`
      const { text } = await ask(site.url, path(), {
        method: "POST",
        headers: { cookie, origin: site.url, "content-type": "application/x-www-form-urlencoded", accept: "text/html" },
        body: "name=ci&permissions=read&permissions=write&lifetime=1y"
      })
      assert.match(text, /<b>ci<\/b>[^]*?Read, Write/)
    })

    it.each([
      [{ name: " " }, "Enter a name, such as “deploy bot”."],
      [{ name: "a\nb" }, "on one line"],
      [{ name: "x".repeat(201) }, "Shorten the name to 200 characters"],
      [{ permissions: "everything" }, "There is no permission ‘everything’."],
      [{ name: "a\tb" }, "Enter a name on one line"],
      [{ permissions: "" }, "Choose at least one permission."],
      [{ lifetime: "10y" }, "Choose 30 days, 90 days or 1 year."]
    ])("a form with %o is refused, and keeps the rest", async (wrong, problem) => {
      const before = await recorded(1)
      const { status, text } = await as(member).post(path(), { ...filled, name: "kept name", ...wrong })
      assert.strictEqual(status, 400)
      assert.include(text, problem)
      if (!("name" in wrong)) assert.include(text, 'value="kept name"')
      if (!("lifetime" in wrong)) assert.match(text, /<input type="radio" name="lifetime" value="30d" checked/)
      assert.strictEqual(tokenIn(text), "")
      assert.deepStrictEqual(await recorded(1), before)
    })

    it("nobody sees or revokes the token of another, and the attempt is recorded", async () => {
      const made = await as(owner).post(path(), { ...filled, name: "of the owner" })
      const prefix = tokenIn(made.text).slice(0, 11)
      assert.notInclude((await as(admin).get(path())).text, "of the owner")
      assert.strictEqual((await as(admin).get(`${path()}/${prefix}/revoke`)).status, 404)
      assert.strictEqual((await as(admin).post(`${path()}/${prefix}/revoke`, {})).status, 404)
      assert.deepStrictEqual(await recorded(1), ["access_denied denied app"])
      assert.strictEqual((await ask(site.url, "/v1/teams", { token: tokenIn(made.text) })).status, 200)
    })

    it("a name full of markup stays text", async () => {
      const { text } = await as(member).post(path(), { ...filled, name: hostile })
      assert.deepStrictEqual(markup(text), [])
      assert.include(text, "&lt;script>")
    })
  })

  describe("members", () => {
    const path = () => `/${slug}/settings/members`
    const idOf = async (name: string) => {
      const { text } = await as(owner).get(path())
      const row = text.split('id="member-').find((part) => part.includes(`<b>${name}</b>`)) ?? ""
      return row.slice(0, 36)
    }

    it("an admin invites, changes the role and removes; sessions end with the removal", async () => {
      const invited = await as(admin).post(path(), { email: "new@acme.test", name: "Nora New", role: "member" })
      assert.strictEqual(invited.status, 200)
      assert.include(invited.text, "new@acme.test is a member now")
      assert.include(invited.text, `./gatehouse member sign-in-link --workspace ${slug} --email new@acme.test`)
      assert.deepStrictEqual(await recorded(1), ["member_added success app"])
      const one = `${path()}/${await idOf("Nora New")}`
      const changed = await as(admin).post(`${one}/role`, { role: "admin" })
      assert.deepStrictEqual([changed.status, changed.headers["location"]], [303, path()])
      assert.deepStrictEqual(await recorded(1), ["member_role_changed success app"])
      assert.strictEqual((await as(admin).post(`${one}/role`, { role: "admin" })).status, 303)
      const king = await as(admin).post(`${one}/role`, { role: "king" })
      assert.deepStrictEqual([king.status, king.text.includes("‘king’ is no role.")], [400, true])
      assert.include((await as(admin).get(`${one}/remove`)).text, "Remove Nora New?")
      assert.strictEqual((await as(admin).post(`${one}/remove`, {})).status, 303)
      assert.deepStrictEqual(await recorded(1), ["member_removed success app"])
      assert.strictEqual((await as(admin).post(`${one}/remove`, {})).status, 404)
    })

    it.each([
      [{ email: "no address" }, "Enter an e-mail address"],
      [{ email: "eve\u202E@acme.test" }, "Enter an e-mail address"],
      [{ name: "" }, "Enter their name"],
      [{ name: "Eve\nBcc: all" }, "on one line, without control characters"],
      [{ name: "Eve \u202Enimda" }, "on one line, without control characters"],
      [{ role: "king" }, "Choose one of the roles."],
      [{ email: People.emailOf("owner") }, "is a member already"]
    ])("a form with %o is refused, and keeps the rest", async (wrong, problem) => {
      const sent = { email: "kept@acme.test", name: "Kept Name", role: "admin", ...wrong }
      const { status, text } = await as(admin).post(path(), sent)
      assert.strictEqual(status, 400)
      assert.include(text, problem)
      if (sent.name === "Kept Name") assert.include(text, 'value="Kept Name"')
      assert.include(text, `value="${sent.email}"`)
    })

    it("a member's forged requests are refused and recorded, and the page offers none of it", async () => {
      const { text } = await as(member).get(path())
      assert.notMatch(text, /settings\/members\/[0-9a-f-]+\/(role|remove)|<form[^>]*settings\/members/)
      assert.include(text, "takes an admin. Olga Owner and Ada Admin are.")
      const one = `${path()}/${await idOf("Ada Admin")}`
      const forged: ReadonlyArray<readonly [string, Record<string, string>]> = [
        [path(), { email: "evil@acme.test", name: "Evil", role: "owner" }],
        [path(), {}],
        [`${one}/role`, { role: "member" }],
        [`${one}/role`, { role: "king" }],
        [`${one}/remove`, {}]
      ]
      for (const [at, form] of forged) {
        const { status, text: page } = await as(member).post(at, form)
        assert.strictEqual(status, 403, at)
        assert.include(page, "You may not do this")
        assert.deepStrictEqual(await recorded(1), ["access_denied denied app"])
      }
    })

    it("the page before a removal says why it is not for the reader, and has no button", async () => {
      const one = async (name: string) => `${path()}/${await idOf(name)}/remove`
      for (const [reader, name, why] of [
        [member, "Ada Admin", "Removing a member takes an admin. Olga Owner and Ada Admin are."],
        [admin, "Olga Owner", "Removing an owner takes an owner. Olga Owner is."]
      ] as const) {
        const { status, text } = await as(reader).get(await one(name))
        assert.strictEqual(status, 200)
        assert.include(text, why)
        assert.notInclude(text, 'method="post"')
      }
      assert.include((await as(admin).get(await one("Mika Member"))).text, 'method="post"')
    })

    it("the only owner reads how to hand over before pressing anything, and after a forged press", async () => {
      const words = "Make somebody else an owner first"
      const own = `${path()}/${await idOf("Olga Owner")}`
      const { text } = await as(owner).get(path())
      assert.include(text, words)
      assert.notInclude(text, `${own}/remove`)
      assert.notInclude(text, `${own}/role`)
      const asked = await as(owner).get(`${own}/remove`)
      assert.include(asked.text, words)
      assert.notInclude(asked.text, 'method="post"')
      for (const pressed of [
        await as(owner).post(`${own}/remove`, {}),
        await as(owner).post(`${own}/role`, { role: "admin" })
      ]) {
        assert.strictEqual(pressed.status, 409)
        assert.include(pressed.text, words)
      }
      await as(owner).post(`${path()}/${await idOf("Ada Admin")}/role`, { role: "owner" })
      assert.include((await as(owner).get(path())).text, `${own}/remove`)
      await as(owner).post(`${path()}/${await idOf("Ada Admin")}/role`, { role: "admin" })
    })

    it("an admin changes no owner, and the last owner stays", async () => {
      const one = `${path()}/${await idOf("Olga Owner")}`
      assert.strictEqual((await as(admin).post(`${one}/remove`, {})).status, 403)
      assert.deepStrictEqual(await recorded(1), ["access_denied denied app"])
      assert.strictEqual((await as(admin).post(`${one}/role`, { role: "member" })).status, 403)
      const last = await as(owner).post(`${one}/remove`, {})
      assert.strictEqual(last.status, 409)
      assert.include(last.text, "the only owner")
    })

    it("a removed member is signed out at once", async () => {
      const gone = `${path()}/${await idOf("Mika Member")}`
      assert.strictEqual((await as(member).get(path())).status, 200)
      await as(owner).post(`${gone}/remove`, {})
      const { headers, status } = await as(member).get(path())
      assert.strictEqual(status, 303)
      assert.match(headers["location"] ?? "", /^\/sign-in\?/)
    })
  })
})
