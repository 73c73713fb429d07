import { Effect, Redacted } from "effect"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import type { Letter } from "../../application/ports/Notifier.ts"
import * as Members from "../../application/workspace/Members.ts"
import * as SignIn from "../../application/workspace/SignIn.ts"
import { bySystem } from "../../domain/workspace/Actor.ts"
import type { Email } from "../../domain/workspace/Member.ts"
import type { WorkspaceSlug } from "../../domain/workspace/Workspace.ts"
import * as People from "../support/People.ts"
import * as Seed from "../support/Seed.ts"
import { browser, open, type Site } from "./Visiting.ts"

describe("signing in", () => {
  const letters: Array<Letter> = []
  let site: Site
  let slug: WorkspaceSlug
  beforeAll(async () => {
    const mail = { send: (_: unknown, letter: Letter) => Effect.sync(() => void letters.push(letter)) }
    site = await open({}, mail)
    slug = (await site.run(Seed.workspace)).slug
    await site.run(People.person(slug, "member"))
  })
  afterAll(() => site?.close())

  const link = async (email = Seed.ownerEmail as string, workspace = slug) => {
    const { url } = await site.run(SignIn.makeLink({ workspace, email }))
    return new URL(Redacted.value(url)).pathname
  }

  const cookieOf = (header: unknown) => String(header).split(";")[0] ?? ""

  /** Presses the button of a link's page. */
  const signedIn = async (path: string, cookie: string | null = null) => {
    const answer = await browser(site.url, cookie).post(path, {})
    assert.strictEqual(answer.status, 303, answer.text)
    return { answer, browser: browser(site.url, cookieOf(answer.headers["set-cookie"])) }
  }

  it.each(["/€", "/\u0001", "/\n", "//evil.test", "/\\evil.test", "https://evil.test", `/${"x".repeat(3000)}`])(
    "a planted page to come back to, %j, neither burns a link nor leads elsewhere",
    async (to) => {
      const planted = to.startsWith("/") && to[1] !== "/" && to[1] !== "\\" ? `/${slug}${to}` : to
      const { answer } = await signedIn(await link(), `gatehouse-to=${encodeURIComponent(planted)}`)
      assert.strictEqual(answer.headers["location"], `/${slug}/decisions`)
    }
  )

  it("a page that was asked for is shown after signing in", async () => {
    const { answer } = await signedIn(
      await link(),
      `gatehouse-to=${encodeURIComponent(`/${slug}/incidents?status=all`)}`
    )
    assert.strictEqual(answer.headers["location"], `/${slug}/incidents?status=all`)
  })

  it.each([
    ["decisions/news?since=1e300", 200],
    ["decisions/news?since=-Infinity", 200],
    ["decisions/news?team=%00", 404],
    ["incidents?service=%00", 404]
  ])("a page asked for as %s is %d", async (path, status) => {
    const { browser: own } = await signedIn(await link())
    assert.strictEqual((await own.get(`/${slug}/${path}`)).status, status)
  })

  it("a link's page has one button, and only pressing it uses the link up", async () => {
    const path = await link()
    for (const _ of [1, 2, 3]) {
      const { headers, status, text } = await site.stranger.get(path)
      assert.strictEqual(status, 200)
      assert.include(text, Seed.ownerEmail)
      assert.isUndefined(headers["set-cookie"])
    }
    const { answer, browser: own } = await signedIn(path)
    assert.strictEqual(answer.headers["location"], `/${slug}/decisions`)
    assert.match(
      String(answer.headers["set-cookie"]),
      /^gatehouse=gts_[\w-]{43}; Max-Age=2592000; Path=\/; HttpOnly; SameSite=Lax$/
    )
    assert.strictEqual((await own.get(`/${slug}/decisions`)).status, 200)
    const again = await site.stranger.post(path, {})
    assert.strictEqual(again.status, 410)
    assert.include(again.text, "<h1>Sign in to Gatehouse</h1>")
    assert.notInclude(again.text, path.slice(12))
    assert.strictEqual((await site.stranger.get(path)).status, 410)
  })

  it("a new session replaces the one that the browser had, and a planted one is not taken over", async () => {
    const first = await signedIn(await link())
    const cookie = cookieOf(first.answer.headers["set-cookie"])
    const second = await signedIn(await link(), cookie)
    assert.notStrictEqual(cookieOf(second.answer.headers["set-cookie"]), cookie)
    assert.strictEqual((await first.browser.get(`/${slug}/decisions`)).status, 303)
    const planted = await signedIn(await link(), `gatehouse=gts_${"x".repeat(43)}`)
    assert.notInclude(String(planted.answer.headers["set-cookie"]), "xxxx")
  })

  it("signing out ends the session here and on the server", async () => {
    const { browser: own } = await signedIn(await link())
    const out = await own.post("/sign-out", {})
    assert.deepStrictEqual([out.status, out.headers["location"]], [303, "/sign-in"])
    assert.match(String(out.headers["set-cookie"]), /(^|,)gatehouse=; Max-Age=0/)
    const { headers } = await own.get(`/${slug}/decisions`)
    assert.include(headers["location"], "because=unknown")
  })

  it("a removed member is out with the next request", async () => {
    const email = "gone@acme.test" as Email
    await site.run(Members.add(bySystem, { workspace: slug, email, name: "Gone", role: "member" }))
    const { browser: own } = await signedIn(await link(email))
    assert.strictEqual((await own.get(`/${slug}/decisions`)).status, 200)
    await site.run(Members.remove(bySystem, { workspace: slug, email }))
    assert.strictEqual((await own.get(`/${slug}/decisions`)).status, 303)
  })

  it("a known and an unknown address get the same answer, and only the known one a mail", async () => {
    letters.length = 0
    const ask = (email: string) => site.stranger.post("/sign-in", { email })
    const [known, unknown] = [await ask("member@acme.test"), await ask("nobody@acme.test")]
    assert.deepStrictEqual([known.status, unknown.status], [200, 200])
    const blank = (text: string) => text.replaceAll(/(member|nobody)@acme\.test/g, "…")
    assert.strictEqual(blank(known.text), blank(unknown.text))
    await site.run(Effect.repeat(Effect.yieldNow(), { until: () => letters.length > 0 }))
    assert.lengthOf(letters, 1)
    const path = /\/sign-in\/gtl_[\w-]+/.exec(letters[0]?.text ?? "")?.[0] ?? ""
    assert.strictEqual((await signedIn(path)).answer.headers["location"], `/${slug}/decisions`)
    const wrong = await ask("no address")
    assert.deepStrictEqual([wrong.status, wrong.text.includes('value="no address"')], [400, true])
  })

  it("a pasted link leads to its page", async () => {
    const path = await link()
    const { headers, status } = await site.stranger.post("/sign-in/link", { link: ` http://x.test${path} ` })
    assert.deepStrictEqual([status, headers["location"]], [303, path])
    assert.strictEqual((await site.stranger.post("/sign-in/link", { link: "https://evil.test/" })).status, 400)
  })

  it.each(["https://evil.test/", "//evil.test", "/\\evil.test", "javascript:alert(1)", "/a b"])(
    "nobody is led to %s after signing in",
    async (to) => {
      const { text } = await site.stranger.get(`/sign-in?to=${encodeURIComponent(to)}`)
      assert.notInclude(text, "evil.test")
      assert.notInclude(text, "javascript:")
    }
  )

  it("a session of one workspace does not open another, and switching needs a proof of one's own", async () => {
    const other = (await site.run(Seed.workspace)).slug
    const { browser: own } = await signedIn(await link())
    assert.strictEqual((await own.get(`/${other}/decisions`)).status, 404)
    const { text } = await own.get(`/${slug}/decisions`)
    assert.notInclude(text, other)
  })

  it("a form of another site signs nobody in or out", async () => {
    const path = await link()
    const { status } = await site.stranger.post(
      path,
      {},
      { origin: "https://evil.test", "sec-fetch-site": "cross-site" }
    )
    assert.strictEqual(status, 403)
    assert.strictEqual((await site.stranger.get(path)).status, 200)
  })

  it("lists own sessions and ends them", async () => {
    const email = "admin@acme.test"
    await site.run(People.person(slug, "admin"))
    const [one, two] = [await signedIn(await link(email)), await signedIn(await link(email))]
    const { text } = await one.browser.get(`/${slug}/settings/sessions`)
    const ids = [...text.matchAll(/id="session-([0-9a-f-]{36})"/g)].map(([, id]) => id ?? "")
    assert.lengthOf(ids, 2)
    assert.include(text, "This one")
    assert.strictEqual((await one.browser.post(`/${slug}/settings/sessions`, { session: "others" })).status, 303)
    assert.strictEqual((await two.browser.get(`/${slug}/decisions`)).status, 303)
    assert.strictEqual((await one.browser.get(`/${slug}/decisions`)).status, 200)
    const unknown = await one.browser.post(`/${slug}/settings/sessions`, { session: crypto.randomUUID() })
    assert.strictEqual(unknown.status, 404)
  })

  it("passkeys are offered where browsers have them", async () => {
    const here = await site.stranger.post("/sign-in/passkey/options", {})
    assert.strictEqual(here.status, 409)
    assert.include(here.body.message, "Browsers offer passkeys")
    assert.notInclude((await site.stranger.get("/sign-in")).text, "data-passkey-sign-in")
  })
})

describe("behind an address of its own", () => {
  let site: Site
  afterAll(() => site?.close())

  it("cookies are for https alone, and forms must come from that address", async () => {
    site = await open({ PUBLIC_URL: "https://gatehouse.acme.test" })
    const { slug } = await site.run(Seed.workspace)
    const { url } = await site.run(SignIn.makeLink({ workspace: slug, email: Seed.ownerEmail }))
    const path = new URL(Redacted.value(url)).pathname
    assert.strictEqual((await site.stranger.post(path, {})).status, 403)
    const own = { origin: "https://gatehouse.acme.test" }
    const { headers, status } = await site.stranger.post(path, {}, own)
    assert.strictEqual(status, 303)
    assert.match(String(headers["set-cookie"]), /^__Host-gatehouse=gts_.*; Path=\/; HttpOnly; Secure; SameSite=Lax$/)
    assert.include((await site.stranger.get("/sign-in")).text, "data-passkey-sign-in")
  })

  it("nobody signs in over plain http", async () => {
    const plain = await open()
    try {
      const host = { host: "gatehouse.lan:3000" }
      const page = await plain.stranger.get("/sign-in", host)
      assert.deepStrictEqual([page.status, page.text.includes("plain http")], [403, true])
      const { slug } = await plain.run(Seed.workspace)
      const { url } = await plain.run(SignIn.makeLink({ workspace: slug, email: Seed.ownerEmail }))
      const path = new URL(Redacted.value(url)).pathname
      const used = await plain.stranger.post(path, {}, { ...host, origin: "http://gatehouse.lan:3000" })
      assert.deepStrictEqual([used.status, used.headers["set-cookie"]], [403, undefined])
    } finally {
      await plain.close()
    }
  })
})
