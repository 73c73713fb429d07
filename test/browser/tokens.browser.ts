import type { Page } from "playwright-core"
import { assert, describe, it } from "vitest"
import { ask } from "../support/World.ts"
import { visitors } from "./Visitors.ts"

describe("API tokens", () => {
  const { stage, visit } = visitors()

  const teams = async (token: string) =>
    (await ask(stage().url.replace("localhost", "127.0.0.1"), "/v1/teams", { token })).status

  const created = async (page: Page, name: string) => {
    await page.goto("/demo/settings/api")
    await page.getByLabel("Name").fill(name)
    await page.getByRole("button", { name: "Create the token" }).click()
    await page.getByRole("heading", { name: `“${name}” is ready. Copy it now` }).waitFor()
    return page.getByLabel("Token value").inputValue()
  }

  it("a token is made, copied, used and revoked, and its value is shown once", async () => {
    const page = await visit({ as: "owner@demo.test" })
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"])
    const token = await created(page, "deploy bot")
    await page.getByRole("button", { name: "Copy" }).click()
    await page.getByRole("button", { name: "Copied" }).waitFor()
    assert.strictEqual(await page.evaluate(() => navigator.clipboard.readText()), token)
    assert.strictEqual(await teams(token), 200)

    await page.goto("/demo/settings/api")
    assert.notInclude(await page.content(), token)
    const row = page.getByRole("row", { name: /deploy bot/ })
    await row.getByRole("link", { name: "Revoke deploy bot" }).click()
    const dialog = page.getByRole("dialog", { name: "Revoke “deploy bot”?" })
    await dialog.getByRole("button", { name: "Keep it" }).click()
    assert.strictEqual(await teams(token), 200)
    await row.getByRole("link", { name: "Revoke deploy bot" }).click()
    await dialog.getByRole("button", { name: "Revoke" }).click()
    await row.waitFor({ state: "detached" })
    assert.strictEqual(await teams(token), 401)
  })

  it("the same works without script, and a form that is wrong keeps what was typed", async () => {
    const page = await visit({ as: "owner@demo.test", script: false, expected: /status of 400/ })
    await page.goto("/demo/settings/api")
    await page.getByLabel("1 year").check()
    await page.getByRole("button", { name: "Create the token" }).click()
    await page.getByText("Enter a name, such as “deploy bot”.").waitFor()
    assert.isTrue(await page.getByLabel("1 year").isChecked())
    const token = await created(page, "night job")
    assert.strictEqual(await teams(token), 200)
    await page.goto("/demo/settings/api")
    await page.getByRole("link", { name: "Revoke night job" }).click()
    await page.getByRole("heading", { name: "Revoke “night job”?" }).waitFor()
    await page.getByRole("button", { name: "Revoke" }).click()
    await page.waitForURL("**/settings/api")
    assert.strictEqual(await teams(token), 401)
  })
})
