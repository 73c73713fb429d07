import type { Page } from "playwright-core"
import { assert, describe, it } from "vitest"
import { visitors } from "./Visitors.ts"

/** Marks the document, which a reload would lose. */
const mark = (page: Page) => page.evaluate(() => void (document.documentElement.dataset["mark"] = "kept"))
const isSame = (page: Page) => page.evaluate(() => document.documentElement.dataset["mark"] === "kept")

const focused = (page: Page) => page.evaluate(() => document.activeElement?.id ?? "")

/** The live stream is open, so that no change is missed. */
const live = (page: Page) => page.locator("[data-live-words]", { hasText: /^Live/ }).waitFor({ state: "attached" })

describe("decisions", () => {
  const { stage, visit } = visitors()

  it("one press answers, and the page shows what happened", async () => {
    const page = await visit({ as: "owner@demo.test" })
    await page.goto("/demo/decisions/dec-k7m9")
    await page.getByLabel("Note, if you like").fill("Good idea")
    const effect = await page.locator("#then-1 li").first().innerText()
    await page.locator("[data-option='1']").click()
    const outcome = page.getByRole("region", { name: "You answered" })
    await outcome.getByText("Good idea").waitFor()
    await outcome.locator(".steps", { hasText: effect }).waitFor()
    assert.strictEqual(await page.locator("form#answer").count(), 0)
  })

  it("if somebody answers first, the page says who, when, how and what, and keeps the note, without a reload", async () => {
    const page = await visit({ as: "owner@demo.test" })
    const other = await visit({ as: "member@demo.test" })
    await Promise.all([page, other].map((one) => one.goto("/demo/decisions/dec-b8d6")))
    await live(page)
    await mark(page)
    await page.getByLabel("Note, if you like").fill("I was writing this")
    await other.getByLabel("Note, if you like").fill("Looks right")
    const label = await other.locator("[data-option='1'] > span").first().innerText()
    await other.locator("[data-option='1']").click()
    await other.getByRole("heading", { name: "You answered" }).waitFor()

    const outcome = page.getByRole("region", { name: "Mika Member answered" })
    await outcome.waitFor()
    const said = await outcome.innerText()
    assert.include(said, label)
    assert.match(said, /in the app at .*\d\d:\d\d:\d\d/)
    assert.include(said, "Looks right")
    await page.locator("[data-unsent]", { hasText: "I was writing this" }).waitFor()
    assert.isTrue(await isSame(page))
  })

  it("a press that comes too late changes nothing, and says so in place", async () => {
    const page = await visit({ as: "owner@demo.test", expected: /status of 409|ERR_FAILED/ })
    await page.route("**/live/**", (route) => route.abort())
    await page.goto("/demo/decisions/dec-x5n0")
    await mark(page)
    await stage().answer("member@demo.test", "dec-x5n0", "ttl", "Trying again")
    await page.locator("[data-option='2']").click()
    await page.getByRole("heading", { name: "Mika Member was faster" }).waitFor()
    await page.getByText("The first answer counts").waitFor()
    await page.getByText("you pressed this").waitFor()
    assert.isTrue(await isSame(page))
  })

  it("a new decision is counted within the page, and shown when the reader asks for it", async () => {
    const page = await visit({ as: "owner@demo.test" })
    await page.goto("/demo/decisions")
    await live(page)
    await mark(page)
    const rows = await page.locator("ol.rows > li").count()
    const before = Number.parseInt(await page.locator("#nav-decisions .n").innerText(), 10)
    const key = await stage().raise("Drop the old queue")
    await page.getByRole("link", { name: "1 new decision. Show it" }).waitFor()
    await page.locator("#nav-decisions .n", { hasText: String(before + 1) }).waitFor()
    assert.strictEqual(await page.locator("ol.rows > li").count(), rows)
    assert.isTrue(await isSame(page))
    await page.getByRole("link", { name: "1 new decision. Show it" }).click()
    await page.locator(`#row-${key}`).waitFor()

    await live(page)
    await stage().answer("member@demo.test", key, "decline", null)
    await page.locator(`#end-${key}`, { hasText: "Answered" }).waitFor()
    assert.strictEqual(await page.locator(`#row-${key}`).count(), 1)
  })

  it("keys move, open, choose, write and list themselves, and a digit alone answers nothing", async () => {
    const page = await visit({ as: "owner@demo.test" })
    await page.goto("/demo/decisions")
    const keys = await page.locator("[data-row]").evaluateAll((rows) => rows.map(({ id }) => id))
    for (const [key, row] of [
      ["j", 0],
      ["j", 1],
      ["k", 0],
      ["j", 1]
    ] as const) {
      await page.keyboard.press(key)
      assert.strictEqual(await focused(page), keys[row])
    }
    await page.keyboard.press("Enter")
    await page.waitForURL(`**/decisions/${keys[1]?.replace("row-", "")}`)
    const options = await page.locator("[data-option]").count()
    for (let number = 1; number <= options; number++) {
      await page.keyboard.press(String(number))
      assert.strictEqual(await focused(page), `option-${number}`)
    }
    await page.keyboard.press("n")
    assert.strictEqual(await focused(page), "note")
    await page.keyboard.type("j1?")
    assert.strictEqual(await page.locator("#note").inputValue(), "j1?")
    await page.keyboard.press("Escape")
    assert.notStrictEqual(await focused(page), "note")
    await page.keyboard.press("?")
    const dialog = page.getByRole("dialog", { name: "Keys" })
    await dialog.waitFor()
    await page.keyboard.press("Escape")
    await dialog.waitFor({ state: "hidden" })
    assert.strictEqual(await page.locator("form#answer").count(), 1)
    await page.keyboard.press("k")
    await page.waitForURL(`**/decisions/${keys[0]?.replace("row-", "")}`)
    await page.keyboard.press("1")
    await page.keyboard.press("Enter")
    await page.getByRole("heading", { name: "You answered" }).waitFor()
  })

  it("a typed note is back after other pages and a new sign-in, and is gone once it is sent", async () => {
    const page = await visit({ as: "owner@demo.test", expected: /status of 401/ })
    const key = await stage().raise("Keep what I type")
    await stage().raise("Another one")
    const note = page.getByLabel("Note, if you like")
    await page.goto(`/demo/decisions/${key}`)
    await note.fill("Half a thought")
    await page.keyboard.press("Escape")
    await page.keyboard.press("j")
    await page.waitForURL((url) => !url.pathname.endsWith(key))
    assert.strictEqual(await note.inputValue(), "")
    await page.keyboard.press("k")
    await page.waitForURL(`**/decisions/${key}`)
    assert.strictEqual(await note.inputValue(), "Half a thought")

    await page.context().clearCookies({ name: "gatehouse" })
    await page.getByRole("button", { name: "Decline it" }).click()
    await page.waitForURL("**/sign-in?**")
    await page.getByLabel("Sign-in link").fill(await stage().link("owner@demo.test"))
    await page.getByRole("button", { name: "Use the link" }).click()
    await page.getByRole("button", { name: "Sign in" }).click()
    await page.waitForURL(`**/decisions/${key}`)
    assert.strictEqual(await note.inputValue(), "Half a thought")
    await page.getByRole("button", { name: "Decline it" }).click()
    await page.getByRole("region", { name: "You answered" }).getByText("Half a thought").waitFor()
    assert.deepStrictEqual(await page.evaluate(() => Object.keys(sessionStorage)), [])
  })

  it("a page whose session ended says so, and what was typed stays", async () => {
    const page = await visit({ as: "owner@demo.test", expected: /status of 401/ })
    const key = await stage().raise("Ask twice")
    await page.goto(`/demo/decisions/${key}`)
    await live(page)
    await page.getByLabel("Note, if you like").fill("Still here")
    await page.context().clearCookies({ name: "gatehouse" })
    await stage().answer("member@demo.test", key, "decline", null)
    await page.getByText("You were signed out").waitFor()
    assert.strictEqual(await page.getByLabel("Note, if you like").inputValue(), "Still here")
    await page.getByRole("status").getByRole("link", { name: "Sign in" }).click()
    await page.waitForURL(`**/sign-in?to=*${key}`)
  })

  it("a note that lost its decision while the reader was elsewhere is shown", async () => {
    const page = await visit({ as: "owner@demo.test" })
    const key = await stage().raise("Answered meanwhile")
    await page.goto(`/demo/decisions/${key}`)
    await page.getByLabel("Note, if you like").fill("My reasons")
    await page.goto("/demo/decisions")
    await stage().answer("member@demo.test", key, "decline", null)
    await page.goto(`/demo/decisions/${key}`)
    await page.locator("[data-unsent]", { hasText: "My reasons" }).waitFor()
  })

  it("without script a decision is read and answered", async () => {
    const page = await visit({ as: "owner@demo.test", script: false })
    const key = await stage().raise("Answer without script", { body: "Some **reasons**." })
    await page.goto("/demo/decisions")
    await page.locator(`#row-${key}`).click()
    await page.locator(".md strong", { hasText: "reasons" }).waitFor()
    await page.getByLabel("Note, if you like").fill("Done by hand")
    await page.getByRole("button", { name: "Accept it" }).click()
    await page.getByRole("region", { name: "You answered" }).getByText("Done by hand").waitFor()
  })
})
