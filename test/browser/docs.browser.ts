// @effect-diagnostics globalFetch:off
import type { Browser, Page } from "playwright-core"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import * as Memory from "../../adapters/memory/Memory.ts"
import * as Seed from "../support/Seed.ts"
import { start, type World } from "../support/World.ts"
import { launch } from "./Chromium.ts"

describe("pages in a browser", () => {
  let browser: Browser
  let world: World
  beforeAll(async () => {
    world = await start(Memory.layer)
    browser = await launch()
  })
  afterAll(async () => {
    await browser?.close()
    await world?.close()
  })

  /** Opens a page and returns all its requests and reported errors. */
  const opened = async (path: string) => {
    const page = await browser.newPage()
    const origins = new Set<string>()
    const errors: Array<string> = []
    page.on("request", (request) => {
      if (!request.url().startsWith("data:")) origins.add(new URL(request.url()).origin)
    })
    page.on("console", (message) => {
      if (message.type() === "error" && !message.location().url.endsWith("/favicon.ico")) errors.push(message.text())
    })
    page.on("pageerror", (error) => errors.push(String(error)))
    await page.goto(`${world.url}${path}`)
    return { page, origins, errors }
  }

  const sendButton = (page: Page) => page.getByRole("button", { name: /^Send/ }).first()

  it("/docs shows the API and sends a request with a token, and nothing goes to other hosts", async () => {
    const { slug } = await world.run(Seed.workspace)
    const { value } = await world.run(Seed.token(slug))
    const { errors, origins, page } = await opened("/docs")
    await page.getByText("Every team of the workspace").first().waitFor()
    await page.getByPlaceholder("Token").filter({ visible: true }).first().fill(value)
    await page
      .getByRole("button", { name: /Test Request/ })
      .first()
      .click()
    const answered = page.waitForResponse((response) => new URL(response.url()).pathname === "/v1/teams")
    await sendButton(page).click()
    const answer = await answered
    assert.strictEqual(answer.status(), 200)
    assert.strictEqual(answer.request().headers()["authorization"], `Bearer ${value}`)
    assert.strictEqual(answer.request().headers()["referer"] ?? "", "")
    assert.deepStrictEqual([...origins], [world.url])
    assert.deepStrictEqual(errors, [])
  })

  it("a script that gets into /docs is not run, and nothing it asks of others is sent", async () => {
    const { origins, page } = await opened("/docs")
    await page.getByText("Every team of the workspace").first().waitFor()
    const outcome = await page.evaluate(async () => {
      const script = document.createElement("script")
      script.textContent = "window.wasRun = true"
      document.body.append(script)
      const sent = await fetch("https://example.com/").then(
        () => true,
        () => false
      )
      return { wasRun: "wasRun" in window, sent }
    })
    assert.deepStrictEqual(outcome, { wasRun: false, sent: false })
    assert.deepStrictEqual([...origins], [world.url])
  })

  it("the first page is shown with its style sheet, and nothing goes to other hosts", async () => {
    const { errors, origins, page } = await opened("/")
    assert.strictEqual(new URL(page.url()).pathname, "/sign-in")
    assert.strictEqual(await page.evaluate(() => getComputedStyle(document.body).margin), "0px")
    assert.deepStrictEqual([...origins], [world.url])
    assert.deepStrictEqual(errors, [])
  })
})
