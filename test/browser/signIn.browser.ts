import type { Page } from "playwright-core"
import { assert, describe, it } from "vitest"
import { visitors } from "./Visitors.ts"

const pressed = async (page: Page, name: string | RegExp) => page.getByRole("button", { name }).click()

/** A security key inside the browser that confirms everything. */
const authenticator = async (page: Page) => {
  const session = await page.context().newCDPSession(page)
  await session.send("WebAuthn.enable")
  await session.send("WebAuthn.addVirtualAuthenticator", {
    options: {
      protocol: "ctap2",
      transport: "internal",
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true
    }
  })
}

describe("signing in", () => {
  const { stage, visit } = visitors()

  it("a link signs in when its button is pressed, once; opening it does not use it up", async () => {
    const link = await stage().link("member@demo.test")
    const page = await visit({ expected: /status of 410/ })
    for (const headers of [{ "sec-purpose": "prefetch" }, { "user-agent": "mail scanner" }])
      assert.strictEqual((await page.request.get(link, { headers })).status(), 200)
    assert.strictEqual((await page.request.head(link)).status(), 200)
    await page.goto(link)
    await page.reload()
    await pressed(page, "Sign in")
    await page.waitForURL("**/demo/decisions")
    const cookie = (await page.context().cookies()).find(({ name }) => name === "gatehouse")
    assert.deepInclude(cookie ?? {}, { httpOnly: true, sameSite: "Lax", path: "/" })

    const later = await visit({ expected: /status of 410/ })
    assert.strictEqual((await later.goto(link))?.status(), 410)
    await later.getByRole("alert").waitFor()
    assert.strictEqual((await later.goto("/demo/decisions"))?.status(), 200)
    assert.include(later.url(), "/sign-in?to=")
  })

  it("a passkey is added, signs in, and leads to the page that was asked for", async () => {
    const page = await visit({ as: "admin@demo.test" })
    await authenticator(page)
    await page.goto("/demo/settings/sessions")
    await page.getByLabel("Name of the new passkey").fill("Ada’s laptop")
    await pressed(page, "Add a passkey")
    await page.getByRole("cell", { name: "Ada’s laptop" }).waitFor()
    await page.getByRole("heading", { name: "Your account" }).waitFor()
    await page.getByRole("status").getByText("The passkey is added.").waitFor()
    await page.getByLabel("Name of the new passkey").fill("The same laptop")
    await pressed(page, "Add a passkey")
    await page.getByRole("alert").getByText("This device already has a passkey here.").waitFor()
    await page.locator("form[action='/sign-out'] button").click()
    await page.waitForURL("**/sign-in")
    await page.getByText("You are signed out.").waitFor()

    await page.goto("/demo/settings/members")
    assert.include(page.url(), "/sign-in?to=")
    await pressed(page, "Sign in with a passkey")
    await page.waitForURL("**/demo/settings/members")
    await page.goto("/demo/settings/sessions")
    await page.getByText("by passkey").waitFor()
  })

  it.each([true, false])("what was done is confirmed on the next page, once; with script: %s", async (script) => {
    const page = await visit({ as: "member@demo.test", script })
    await page.goto("/demo/settings/sessions")
    await pressed(page, "Save for this browser")
    await page.locator("[data-toast]", { hasText: "Saved for this browser." }).waitFor()
    if (script) {
      await page.getByRole("button", { name: "Dismiss" }).click()
      await page.locator("[data-toast]").waitFor({ state: "detached" })
    }
    await page.reload()
    assert.strictEqual(await page.locator("[data-toast]").count(), 0)
  })

  it("a session that is ended from another browser is signed out at its next page", async () => {
    const one = await visit({ as: "owner@demo.test" })
    // The open page may ask for its stream once more before it is left.
    const other = await visit({ as: "owner@demo.test", expected: /status of 401/ })
    await other.goto("/demo/decisions")
    await one.goto("/demo/settings/sessions")
    await pressed(one, "Sign out everywhere else")
    await one.getByText("This one").waitFor()
    await other.goto("/demo/decisions")
    await other.waitForURL("**/sign-in?**")
  })
})
