import { Effect } from "effect"
import type { Page } from "playwright-core"
import { assert, describe, it } from "vitest"
import * as Stories from "../../application/work/Stories.ts"
import * as Members from "../../application/workspace/Members.ts"
import { bySystem } from "../../domain/workspace/Actor.ts"
import type { WorkspaceSlug } from "../../domain/workspace/Workspace.ts"
import { story } from "../application/house.ts"
import { faults } from "./Accessible.ts"
import { visitors } from "./Visitors.ts"

const live = (page: Page) => page.locator("[data-live-words]", { hasText: /^Live/ }).waitFor({ state: "attached" })

const alert = (page: Page, text: string | RegExp) => page.getByRole("alert").filter({ hasText: text })

const frozen = {
  status: 503,
  contentType: "text/html",
  body: "<!doctype html><h1>The database did not answer</h1><main><p data-error>Nothing was changed.</p></main>"
}

describe("errors", () => {
  const { stage, visit } = visitors()

  it("an answer that the database does not take keeps the form and the note, says so, and can be pressed again", async () => {
    const page = await visit({ as: "owner@demo.test", expected: /status of 503/ })
    const key = await stage().raise("Press twice")
    await page.goto(`/demo/decisions/${key}`)
    await page.getByLabel("Note, if you like").fill("My reasons")
    let isFrozen = true
    await page.route(`**/decisions/${key}`, (route) =>
      isFrozen && route.request().method() === "POST" ? route.fulfill(frozen) : route.continue()
    )
    await page.getByRole("button", { name: "Decline it" }).click()
    await alert(page, "The database did not answer. Nothing was changed.").waitFor()
    assert.strictEqual(await page.getByLabel("Note, if you like").inputValue(), "My reasons")
    assert.deepStrictEqual(await faults(page), [])
    isFrozen = false
    await page.getByRole("button", { name: "Decline it" }).click()
    await page.getByRole("region", { name: "You answered" }).getByText("My reasons").waitFor()
    await page.locator("#trouble").waitFor({ state: "hidden" })
  })

  it("a right that was lost meanwhile is named", async () => {
    const page = await visit({ as: "admin@demo.test", expected: /status of 403/ })
    await page.goto("/demo/decisions/dec-8zq1")
    const set = (role: "admin" | "member") =>
      stage().run(Members.set(bySystem, { workspace: "demo" as WorkspaceSlug, email: "admin@demo.test", role }))
    await page.getByLabel("Note, if you like").fill("As an admin")
    await set("member")
    await page.locator("[data-option='1']").click()
    await alert(page, "You may not do this.").waitFor()
    assert.strictEqual(await page.getByLabel("Note, if you like").inputValue(), "As an admin")
    await page.getByRole("button", { name: "Dismiss" }).click()
    await page.locator("#trouble").waitFor({ state: "hidden" })
    await set("admin")
  })

  it("a card that cannot be moved stays with the whole board", async () => {
    const page = await visit({ as: "member@demo.test", expected: /status of 503/ })
    await page.goto("/demo/teams/payments")
    await page.route("**/PAY-9/move", (route) => route.fulfill(frozen), { times: 1 })
    await page.locator("#move-PAY-9 > summary").click()
    await page.locator("#move-PAY-9").getByRole("button", { name: "Refining" }).click()
    await alert(page, "The database did not answer.").waitFor()
    await page.locator('[data-column="backlog"] [data-card="PAY-9"]').waitFor()
    await page.waitForFunction(() => document.activeElement?.closest("details")?.id === "move-PAY-9")
  })

  it("a part that could not be fetched stays, the page says that it is not live, and fetches it again", async () => {
    const page = await visit({ as: "owner@demo.test", expected: /status of 503/ })
    const key = await stage().raise("Fetched twice")
    await page.goto(`/demo/decisions/${key}`)
    await live(page)
    let isFrozen = true
    await page.route(`**/decisions/${key}`, (route) => (isFrozen ? route.fulfill(frozen) : route.continue()))
    await stage().answer("member@demo.test", key, "decline", null)
    await page.locator("[data-live-words]", { hasText: /^Not live since .* Trying again/ }).waitFor()
    assert.strictEqual(await page.locator("form#answer").count(), 1)
    assert.isTrue(await page.locator("#trouble").isHidden())
    isFrozen = false
    await page.getByRole("region", { name: "Mika Member answered" }).waitFor()
    await live(page)
  })

  it("a page whose object was deleted says so, and leads on", async () => {
    const page = await visit({ as: "owner@demo.test", expected: /status of 404/ })
    await page.goto("/demo/stories/PAY-18")
    await live(page)
    await stage().run(Effect.flatMap(stage().person("admin@demo.test"), (by) => Stories.reject(by, story("PAY-18"))))
    await alert(page, "This is gone.").waitFor()
    await page.getByRole("heading", { name: "Send a receipt for every refund" }).waitFor()
    await page
      .getByRole("alert")
      .getByRole("link", { name: /^Back to / })
      .click()
    await page.waitForURL("**/demo/teams/payments")
  })

  it("eight tabs are live at the same time", async () => {
    const first = await visit({ as: "owner@demo.test" })
    const tabs = [first]
    while (tabs.length < 8) tabs.push(await first.context().newPage())
    const streams: Array<string> = []
    first.context().on("request", (request) => request.url().includes("/live/") && streams.push(request.url()))
    const key = await stage().raise("Seen by eight")
    for (const tab of tabs) await tab.goto(`/demo/decisions/${key}`)
    await stage().answer("member@demo.test", key, "decline", null)
    for (const tab of tabs) await tab.getByRole("region", { name: "Mika Member answered" }).waitFor()
    assert.lengthOf(streams, 1)
    await first.close()
    const next = await stage().raise("Seen by seven")
    for (const tab of tabs.slice(1)) await tab.goto(`/demo/decisions/${next}`)
    await stage().answer("member@demo.test", next, "decline", null)
    for (const tab of tabs.slice(1)) await tab.getByRole("region", { name: "Mika Member answered" }).waitFor()
  })

  it("a page that nobody uses says that it was signed out, and asks no more", async () => {
    const page = await visit({ as: "owner@demo.test", expected: /status of 401|ERR_FAILED/ })
    await page.route(
      "**/live/**",
      async (route) => {
        await page.context().clearCookies({ name: "gatehouse" })
        await route.abort()
      },
      { times: 1 }
    )
    await page.goto("/demo/incidents")
    await page.getByText("You were signed out").waitFor()
    await page.locator("[data-live-words]", { hasText: "Sign in again" }).waitFor()
  })

  it("a story whose writer was signed out is kept until it is saved", async () => {
    const page = await visit({ as: "owner@demo.test", expected: /status of 401/ })
    await page.goto("/demo/teams/payments/new-story")
    await page.getByLabel("Title").fill("Round half to even")
    await page.context().clearCookies({ name: "gatehouse" })
    await page.getByRole("button", { name: "Create the story" }).click()
    await page.waitForURL("**/sign-in?**")
    await page.getByText("Nothing was saved; your text is kept in this browser.").waitFor()
    await page.getByLabel("Sign-in link").fill(await stage().link("owner@demo.test"))
    await page.getByRole("button", { name: "Use the link" }).click()
    await page.getByRole("button", { name: "Sign in" }).click()
    await page.waitForURL("**/new-story")
    assert.strictEqual(await page.getByLabel("Title").inputValue(), "Round half to even")
    await page.getByRole("button", { name: "Create the story" }).click()
    await page.getByRole("heading", { name: "Round half to even" }).waitFor()
    assert.deepStrictEqual(await page.evaluate(() => Object.keys(sessionStorage)), [])
    await page.goto("/demo/teams/payments/new-story")
    assert.strictEqual(await page.getByLabel("Title").inputValue(), "")
  })
})
