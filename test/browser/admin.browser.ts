import { readFileSync } from "node:fs"
import { assert, describe, it } from "vitest"
import { ask } from "../support/World.ts"
import { signed } from "../support/Source.ts"
import { visitors } from "./Visitors.ts"

describe("administration", () => {
  const { stage, visit } = visitors()

  it("an overnight window is drawn while it is typed, and after it was saved", async () => {
    const page = await visit({ as: "admin@demo.test" })
    await page.goto("/demo/services")
    await page.getByRole("link", { name: "event-bus" }).click()
    // All changes are made before the first drawing arrives.
    let letDraw = () => {}
    const typed = new Promise<void>((resolve) => (letDraw = resolve))
    await page.route(/\/hours\?/, (route) => typed.then(() => route.continue()))
    await page.getByLabel("On these days, between these times").check()
    await page.getByLabel("Fri", { exact: true }).check()
    await page.getByRole("textbox", { name: "From" }).fill("2200")
    await page.getByLabel("To", { exact: true }).fill("6")
    await page.getByLabel("Time zone").selectOption("Europe/Berlin")
    letDraw()
    await page.getByRole("img", { name: "Fri: from 22:00" }).waitFor()
    await page.getByRole("img", { name: "Sat: until 06:00" }).waitFor()
    await page.getByRole("button", { name: "Save the settings" }).click()
    await page.getByText("The settings are saved.").waitFor()
    await page.getByRole("img", { name: "Fri: from 22:00" }).waitFor()
    assert.match(await page.locator("#week").innerText(), /Next change: /)
    assert.strictEqual(await page.getByRole("textbox", { name: "From" }).inputValue(), "22:00")
  })

  it("a source is added, its address and secret are copied, and a signed alert arrives on the open page", async () => {
    const page = await visit({ as: "owner@demo.test" })
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"])
    await page.goto("/demo/sources/new")
    await page.getByRole("link", { name: "Any tool that signs its posts" }).click()
    await page.getByLabel("Name").fill("own-tool")
    await page.getByLabel("payments-api").check()
    await page.getByRole("button", { name: "Add the source" }).click()
    await page.getByText("Shown only now.").waitFor()
    const secret = await page.getByLabel("Secret", { exact: true }).inputValue()
    const address = await page.getByLabel("Address", { exact: true }).inputValue()
    await page.getByRole("button", { name: "Copy" }).first().click()
    await page.getByRole("button", { name: "Copied" }).waitFor()
    assert.strictEqual(await page.evaluate(() => navigator.clipboard.readText()), address)

    await page.goto("/demo/sources")
    await page.getByRole("link", { name: "own-tool" }).click()
    await page.getByText("Nothing arrived yet").first().waitFor()
    assert.notInclude(await page.content(), secret)
    await page.locator("[data-live-words]", { hasText: /^Live/ }).waitFor()
    const body = JSON.stringify({
      title: "Refunds hang",
      fingerprint: "hang",
      severity: "critical",
      environment: "live"
    })
    const headers = { "content-type": "application/json", ...signed(secret, body) }
    const { status } = await ask(stage().url.replace("localhost", "127.0.0.1"), new URL(address).pathname, {
      method: "POST",
      body,
      headers
    })
    assert.strictEqual(status, 202)
    await page
      .getByRole("row", { name: /Refunds hang/ })
      .getByText("Opened", { exact: true })
      .waitFor()
    await page.getByText("Receiving").waitFor()

    await page.getByRole("button", { name: "Send a test alert" }).click()
    await page.getByText("A test alert and its recovery arrived.").waitFor()
    await page.locator("#ledger .badge", { hasText: "Test" }).first().waitFor()
    await page.getByRole("button", { name: "Pause" }).click()
    await page.locator(".head .badge", { hasText: "Paused" }).waitFor()
  })

  it("an admin sees what a change of the policy leads to and saves it; a member only reads, and is refused", async () => {
    const page = await visit({ as: "admin@demo.test" })
    await page.goto("/demo/settings/policy")
    await page.getByRole("main").getByRole("link", { name: "Payments" }).click()
    await page.getByLabel("Runs at the same time").fill("7")
    await page.getByRole("button", { name: "Show what changes" }).click()
    await page.getByRole("heading", { name: "What changes, and what follows" }).waitFor()
    await page.getByText("Ready stories start at once, until 7 runs work.").waitFor()
    await page.getByRole("button", { name: "Save the policy" }).click()
    await page.getByText("The policy is saved.").waitFor()
    assert.strictEqual(await page.getByLabel("Runs at the same time").inputValue(), "7")

    const reader = await visit({ as: "member@demo.test", expected: /status of 403/ })
    await reader.goto("/demo/settings/policy/payments")
    await reader.getByText("Changing it takes an admin.").waitFor()
    assert.strictEqual(await reader.getByRole("button", { name: "Show what changes" }).count(), 0)
    const refused = await reader.request.post("/demo/settings/policy/payments", {
      headers: { accept: "text/html", origin: stage().url },
      form: { version: "2", step: "save", maxConcurrency: "99" }
    })
    assert.strictEqual(refused.status(), 403)
  })

  it("the audit log is filtered and exported; for a member its entry is disabled", async () => {
    const page = await visit({ as: "owner@demo.test" })
    await page.goto("/demo/decisions")
    await page.getByRole("link", { name: "Audit" }).click()
    await page.getByLabel("Event").selectOption("signal_source_changed")
    await page.getByLabel("Who").selectOption("human")
    await page.getByRole("button", { name: "Filter" }).click()
    await page
      .getByRole("row", { name: /own-tool/ })
      .first()
      .waitFor()
    assert.strictEqual(await page.locator("tbody b", { hasText: "Team created" }).count(), 0)
    const [file] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name: "Export CSV" }).click()
    ])
    assert.match(file.suggestedFilename(), /^audit-demo-start-.*\.csv$/)
    const text = readFileSync(await file.path(), "utf8")
    assert.match(text, /^id,timestamp,event/)
    assert.include(text, "signal_source_changed")
    assert.notInclude(text, "team_created")
    await page.getByRole("button", { name: "Check the chain" }).click()
    await page.getByText("Chain intact").waitFor()

    const reader = await visit({ as: "member@demo.test" })
    await reader.goto("/demo/decisions")
    assert.strictEqual(await reader.locator("#nav-audit").getAttribute("aria-disabled"), "true")
    assert.strictEqual(await reader.locator("#nav-audit").getAttribute("href"), null)
  })

  it("the key / leads to the search, and a key to its decision", async () => {
    const page = await visit({ as: "member@demo.test" })
    await page.goto("/demo/incidents")
    await page.keyboard.press("/")
    await page.getByRole("heading", { name: "Search" }).waitFor()
    await page.locator("#q:focus").waitFor()
    await page.keyboard.type("dec-h6k3")
    await page.keyboard.press("Enter")
    await page.waitForURL("**/demo/decisions/dec-h6k3")
    await page.goto("/demo/search?q=refund")
    assert.isAbove(await page.getByRole("list", { name: "Results" }).getByRole("listitem").count(), 0)
  })
})
