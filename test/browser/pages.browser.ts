import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import type { Role } from "../../domain/workspace/Member.ts"
import { ask } from "../support/World.ts"
import { alert, type Desk, desk, incidents, tell } from "../web/OnCallDesk.ts"
import { open, session, type Site } from "../web/Visiting.ts"

const executablePath = "/usr/bin/chromium"

const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true }
const desktop = { viewport: { width: 1440, height: 900 } }

describe("incidents, settings and notifications in a browser", () => {
  let browser: Browser
  let site: Site
  let at: Desk
  beforeAll(async () => {
    site = await open()
    at = await site.run(desk)
    browser = await chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-gpu"] })
  })
  afterAll(async () => {
    await browser?.close()
    await site?.close()
  })

  /** A page of a signed-in member, with everything that it asked of other hosts and all its errors. */
  const signedIn = async (role: Role, options: BrowserContextOptions) => {
    const context = await browser.newContext({ ...options, permissions: ["clipboard-read", "clipboard-write"] })
    const value = await site.run(session(at.slug, role))
    await context.addCookies([{ name: "gatehouse", value, url: site.url }])
    const page = await context.newPage()
    const faults: Array<string> = []
    page.on("request", (request) => {
      if (!request.url().startsWith(site.url)) faults.push(request.url())
    })
    page.on("console", (message) => {
      if (message.type() === "error") faults.push(message.text())
    })
    page.on("pageerror", (error) => faults.push(String(error)))
    return { page, faults }
  }

  const opened = async (name: string) => {
    await site.run(tell(at, alert(name)))
    const key = (await site.run(incidents(at.id))).find(({ environment }) => environment === name)?.key
    return `${site.url}/${at.slug}/incidents/${key}`
  }

  const press = (page: Page, name: string) => page.getByRole("button", { name, exact: true }).click()

  it("a token is created, copied, used, and revoked in a dialog", async () => {
    const { faults, page } = await signedIn("member", desktop)
    await page.goto(`${site.url}/${at.slug}/settings/api`)
    await page.getByLabel("Name").fill("deploy bot")
    await press(page, "Create the token")
    const token = await page.getByLabel("Token value").inputValue()
    await press(page, "Copy")
    await page.getByText("Copied").first().waitFor()
    assert.strictEqual(await page.evaluate(() => navigator.clipboard.readText()), token)
    assert.strictEqual((await ask(site.url, "/v1/teams", { token })).status, 200)
    await page.getByRole("link", { name: "Revoke deploy bot" }).click()
    const dialog = page.getByRole("dialog", { name: "Revoke “deploy bot”?" })
    await dialog.getByRole("button", { name: "Keep it" }).click()
    await dialog.waitFor({ state: "hidden" })
    await page.getByRole("link", { name: "Revoke deploy bot" }).click()
    await dialog.getByRole("button", { name: "Revoke" }).click()
    await page.getByText("You have no token yet").waitFor()
    assert.strictEqual((await ask(site.url, "/v1/teams", { token })).status, 401)
    assert.deepStrictEqual(faults, [])
  })

  it.each([true, false])("an incident is looked after on a phone, with script: %s", async (javaScriptEnabled) => {
    const address = await opened(`phone-${javaScriptEnabled}`)
    const { faults, page } = await signedIn("member", { ...phone, javaScriptEnabled })
    await page.goto(address)
    await press(page, "Acknowledge")
    await page.getByText("Mika Member looks after it").first().waitFor()
    await page.getByLabel("Note").fill("The disk was full.")
    await press(page, "Add the note")
    await page.getByText("The disk was full.").waitFor()
    await page.getByRole("link", { name: "Resolve" }).click()
    await press(page, "Resolve it")
    await page.getByText("Mika Member resolved it").first().waitFor()
    assert.deepStrictEqual(faults, [])
  })

  it("news of an incident appears without a reload, and what is typed meanwhile stays", async () => {
    const address = await opened("news")
    const [watching, acting] = [await signedIn("owner", desktop), await signedIn("member", desktop)]
    await watching.page.goto(address)
    await watching.page.getByLabel("Note").fill("Not sent yet")
    await acting.page.goto(address)
    await press(acting.page, "Acknowledge")
    await watching.page.getByText("Mika Member looks after it").first().waitFor()
    assert.strictEqual(await watching.page.getByLabel("Note").inputValue(), "Not sent yet")
    assert.deepStrictEqual([...watching.faults, ...acting.faults], [])
  })

  it.each([
    ["light", phone],
    ["dark", desktop]
  ] as const)("every page fits its window, in the %s theme", async (colorScheme, window) => {
    const address = await opened(`fits-${colorScheme}`)
    const { faults, page } = await signedIn("admin", { ...window, colorScheme })
    const below = ["incidents", "notifications", "settings/api", "settings/members", "first-steps"]
    for (const path of [address, `${address}/resolve`, ...below.map((one) => `${site.url}/${at.slug}/${one}`)]) {
      await page.goto(path)
      assert.strictEqual(await page.locator("h1").count(), 1, path)
      assert.isAtMost(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth), 0, path)
    }
    assert.deepStrictEqual(faults, [])
  })
})
