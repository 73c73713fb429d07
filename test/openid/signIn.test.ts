import { Effect } from "effect"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { AuditLog } from "../../application/ports/AuditLog.ts"
import * as Members from "../../application/workspace/Members.ts"
import { bySystem } from "../../domain/workspace/Actor.ts"
import type { Email } from "../../domain/workspace/Member.ts"
import { ownPort } from "../support/Port.ts"
import type { Program } from "../support/Process.ts"
import { workshop } from "../support/Process.ts"
import * as Seed from "../support/Seed.ts"
import { turns } from "../support/Share.ts"
import type { World } from "../support/World.ts"
import { type CookieBrowser, cookieBrowser } from "./Browser.ts"
import { clientSecret, serve, startProvider } from "./House.ts"

/** An account at the provider. */
interface Account {
  readonly account: string
  readonly email: string
  readonly verified?: string
}

describe.each(turns(["at once", "later"] as const, 2))(
  "signing in by a provider that names the address %s",
  (names) => {
    const shop = workshop()
    let world: World
    let provider: Program
    let service: string
    let issuer: string
    beforeAll(async () => {
      const port = await ownPort()
      service = `http://localhost:${port}`
      ;({ issuer, program: provider } = await startProvider(shop, service, { names }))
      world = await serve(port, issuer)
    })
    afterAll(async () => {
      await world?.close()
      await shop.close()
    })

    const back = /\/sign-in\/openid\/back\?/

    /** Signs in at the provider, and returns the address that it leads back to. */
    const proven = async (browser: CookieBrowser, account: Account, more: Readonly<Record<string, string>> = {}) => {
      const form = await browser.follow(`${service}/sign-in/openid`, /\/interaction\//)
      const { verified, ...fields } = account
      const answer = await browser.send(form, { ...fields, ...(verified && { verified }), ...more })
      return browser.follow(browser.to(answer, form), back)
    }

    const signIn = async (account: Account, browser = cookieBrowser()) => {
      const answer = await browser.send(await proven(browser, account))
      return { answer, browser, location: answer.headers["location"] }
    }

    /** A workspace with that address as a member. */
    const workspaceWith = (email: string) =>
      world.run(
        Effect.tap(Seed.workspace, ({ slug }) =>
          Members.add(bySystem, { workspace: slug, email: email as Email, name: "Ana", role: "member" })
        )
      )

    const address = (name: string) => `${name}.${crypto.randomUUID().slice(0, 8)}@acme.test`

    const refused = ({ status, text }: { readonly status: number; readonly text: string }, words: string) => {
      assert.strictEqual(status, 403)
      assert.include(text, words)
      assert.include(text, "<h1>Sign in to Gatehouse</h1>")
      assert.include(text, "Use the link")
      assert.include(text, `Sign in with ${new URL(issuer).host}`)
    }

    it("a verified address of a member opens all their workspaces, and the page that was asked for", async () => {
      const email = address("Ana")
      const [one, two] = [await workspaceWith(email), await workspaceWith(email.toUpperCase())]
      const browser = cookieBrowser()
      await browser.send(`${service}/sign-in?to=${encodeURIComponent(`/${two.slug}/incidents?status=all`)}`)
      const { answer, location } = await signIn({ account: `a-${email}`, email, verified: "on" }, browser)
      assert.deepStrictEqual([answer.status, location], [303, `/${two.slug}/incidents?status=all`])
      for (const { slug } of [one, two])
        assert.strictEqual((await browser.send(`${service}/${slug}/decisions`)).status, 200)
      assert.deepStrictEqual([...browser.cookies(service).keys()], ["gatehouse"])
      const { text } = await browser.send(`${service}/${one.slug}/settings/sessions`)
      assert.include(text, "by OpenID Connect")
      const log = await world.run(
        Effect.flatMap(AuditLog, (audit) => audit.page(one.id, Seed.anyEntry, { limit: 1, before: null }))
      )
      const [entry] = JSON.parse(log.items) as ReadonlyArray<Readonly<Record<string, unknown>>>
      assert.deepInclude(entry, { event: "signed_in", result: "success" })
      assert.deepInclude(entry?.["details"], { method: "openid", reach: "address", channel: "app" })
    })

    it("after the first time the account counts, whatever address the provider gives it", async () => {
      const email = address("ben")
      const { slug } = await workspaceWith(email)
      const account = `b-${email}`
      await signIn({ account, email, verified: "on" })
      const later = await signIn({ account, email: address("new") })
      assert.strictEqual(later.location, `/${slug}/decisions`)
    })

    it("another account with the same address is refused, until an admin adds the member anew", async () => {
      const email = address("cleo")
      const { slug } = await workspaceWith(email)
      await signIn({ account: `c1-${email}`, email, verified: "on" })
      const other = { account: `c2-${email}`, email, verified: "on" }
      const { answer, browser } = await signIn(other)
      refused(answer, "signs in with another account")
      assert.isFalse(browser.cookies(service).has("gatehouse"))
      await world.run(
        Effect.zipRight(
          Members.remove(bySystem, { workspace: slug, email }),
          Members.add(bySystem, { workspace: slug, email: email as Email, name: "Cleo", role: "member" })
        )
      )
      assert.strictEqual((await signIn(other)).location, `/${slug}/decisions`)
    })

    it.each([
      ["an unverified address", true, {}, "has not verified the address"],
      ["an unknown address", false, { verified: "on" }, "is not the address of a member"]
    ] as const)("%s is refused with a way out", async (_, isMember, more, words) => {
      const email = address("dan")
      if (isMember) await workspaceWith(email)
      const { answer, browser } = await signIn({ account: `d-${email}`, email, ...more })
      refused(answer, words)
      assert.isFalse(browser.cookies(service).has("gatehouse"))
    })

    it("who cancels at the provider is back at the ways to sign in", async () => {
      const browser = cookieBrowser()
      const answer = await browser.send(await proven(browser, { account: "e", email: "" }, { cancel: "yes" }))
      refused(answer, "(access_denied)")
    })

    it("an answer counts in the browser that began the sign-in only, once", async () => {
      const email = address("eve")
      await workspaceWith(email)
      const account = { account: `e-${email}`, email, verified: "on" }
      const browser = cookieBrowser()
      const at = await proven(browser, account)
      const began = new Map(browser.cookies(service))
      const victim = cookieBrowser()
      refused(await victim.send(at), "was not begun in this browser")
      await victim.follow(`${service}/sign-in/openid`, /\/interaction\//)
      refused(await victim.send(at), "was not begun in this browser")
      refused(await browser.send(at.replace(/state=[^&]+/, "state=other")), "was not begun in this browser")
      assert.strictEqual((await browser.send(at)).status, 303)
      for (const [name, value] of began) browser.cookies(service).set(name, value)
      refused(await browser.send(at), "was finished already")
    })

    it("a code of another sign-in is refused", async () => {
      const email = address("fay")
      await workspaceWith(email)
      const [mine, theirs] = [cookieBrowser(), cookieBrowser()]
      const [own, other] = await Promise.all([
        proven(mine, { account: "thief", email: address("thief"), verified: "on" }),
        proven(theirs, { account: `f-${email}`, email, verified: "on" })
      ])
      const code = new URL(other).searchParams.get("code") ?? ""
      refused(await mine.send(own.replace(/code=[^&]+/, `code=${code}`)), "could not be verified")
      assert.isFalse(mine.cookies(service).has("gatehouse"))
    })

    it.each(["https://evil.test/", "//evil.test", "/\\evil.test", "/nobodys/decisions"])(
      "nobody is led to %s after signing in",
      async (to) => {
        const email = address("gil")
        const { slug } = await workspaceWith(email)
        const browser = cookieBrowser()
        await browser.send(`${service}/sign-in?to=${encodeURIComponent(to)}`)
        browser.cookies(service).set("gatehouse-to", encodeURIComponent(to))
        const { location } = await signIn({ account: `g-${email}`, email, verified: "on" }, browser)
        assert.strictEqual(location, `/${slug}/decisions`)
      }
    )

    it("the secret of the client is on no page and in no address", async () => {
      const browser = cookieBrowser()
      const { headers } = await browser.send(`${service}/sign-in/openid`)
      const { text } = await browser.send(`${service}/sign-in`)
      assert.notInclude(`${headers["location"]} ${text}`, clientSecret)
      const to = new URL(headers["location"] ?? "")
      assert.strictEqual(to.origin, issuer)
      assert.deepInclude(Object.fromEntries(to.searchParams), {
        client_id: "gatehouse",
        redirect_uri: `${service}/sign-in/openid/back`,
        response_type: "code",
        scope: "openid email",
        code_challenge_method: "S256"
      })
      for (const secret of browser.cookies(service).values()) assert.notInclude(to.href, secret)
    })

    it("while the provider is down, a page says so and offers the other ways", async () => {
      const email = address("hal")
      await workspaceWith(email)
      const browser = cookieBrowser()
      const at = await proven(browser, { account: `h-${email}`, email, verified: "on" })
      provider.signal("SIGKILL")
      await provider.ended()
      const { status, text } = await browser.send(at)
      assert.strictEqual(status, 503)
      assert.include(text, `${new URL(issuer).host} cannot be reached`)
      assert.include(text, "Use the link")
      assert.strictEqual((await cookieBrowser().send(`${service}/sign-in`)).status, 200)
    })
  }
)

describe("without a provider", () => {
  it("there is no button, and no such page", async () => {
    const world = await serve(0, "", { OIDC_CLIENT_ID: "", OIDC_CLIENT_SECRET: "" })
    try {
      const browser = cookieBrowser()
      const at = world.url.replace("127.0.0.1", "localhost")
      assert.notInclude((await browser.send(`${at}/sign-in`)).text, "/sign-in/openid")
      for (const path of ["/sign-in/openid", "/sign-in/openid/back?code=x&state=y"])
        assert.strictEqual((await browser.send(`${at}${path}`)).status, 404)
    } finally {
      await world.close()
    }
  })
})
