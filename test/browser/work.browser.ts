import { Effect } from "effect"
import type { Locator, Page } from "playwright-core"
import { assert, describe, it } from "vitest"
import { RunnerStore } from "../../application/ports/runner/RunnerStore.ts"
import * as Runs from "../../application/work/Runs.ts"
import * as Stories from "../../application/work/Stories.ts"
import type { LeaseId } from "../../domain/work/Lease.ts"
import { run, story } from "../application/house.ts"
import { visitors } from "./Visitors.ts"

const live = (page: Page) => page.locator("[data-live-words]", { hasText: /^Live/ }).waitFor({ state: "attached" })

const card = (page: Page, column: string, key: string): Locator =>
  page.locator(`[data-column="${column}"] [data-card="${key}"]`)

describe("boards", () => {
  const { stage, visit } = visitors()

  it("a story is moved by drag, and by keyboard with the focus kept", async () => {
    const page = await visit({ as: "member@demo.test" })
    await page.goto("/demo/teams/payments")
    await live(page)
    await card(page, "backlog", "PAY-9").dragTo(page.locator('[data-column="refining"]'))
    await card(page, "refining", "PAY-9").waitFor()
    const menu = page.locator("#move-PAY-9 > summary")
    await menu.focus()
    await page.keyboard.press("Enter")
    await page.keyboard.press("Tab")
    await page.keyboard.press("Enter")
    await card(page, "backlog", "PAY-9").waitFor()
    await page.waitForFunction(() => document.activeElement?.closest("details")?.id === "move-PAY-9")
    await page.locator("#toasts", { hasText: "PAY-9 is in Backlog" }).waitFor({ state: "attached" })
    await page.keyboard.press("Enter")
    await page.keyboard.press("Escape")
    assert.strictEqual(await page.locator(".move[open]").count(), 0)
  })

  it("a card is not dropped where it may not go, and a refusal is said", async () => {
    const page = await visit({ as: "member@demo.test", expected: /status of 409/ })
    await page.goto("/demo/teams/payments")
    await live(page)
    await card(page, "refining", "PAY-17").dragTo(page.locator('[data-column="done"]'))
    await card(page, "refining", "PAY-17").waitFor()
    await page.locator("#move-PAY-19 > summary").click()
    await stage().run(
      Effect.flatMap(stage().person("admin@demo.test"), (by) => Stories.move(by, story("PAY-19"), "done"))
    )
    await page.locator("#move-PAY-19").getByRole("button", { name: "Done" }).click()
    await card(page, "done", "PAY-19").waitFor()
  })

  it("a menu that is opened while the board is fetched stays open, and the board catches up after it", async () => {
    const page = await visit({ as: "member@demo.test" })
    await page.goto("/demo/teams/platform")
    await live(page)
    const menu = page.locator("#move-PLAT-12")
    await page.route(
      /\/demo\/teams\/platform/,
      async (route) => {
        const response = await route.fetch()
        await menu.locator("summary").click()
        await route.fulfill({ response })
      },
      { times: 1 }
    )
    const fetched = page.waitForResponse(/\/demo\/teams\/platform/)
    await stage().run(
      Effect.flatMap(stage().person("admin@demo.test"), (by) => Stories.move(by, story("PLAT-11"), "refining"))
    )
    await (await fetched).finished()
    await page.evaluate(() => new Promise(requestAnimationFrame))
    assert.strictEqual(await page.locator("#move-PLAT-12[open]").count(), 1)
    await page.keyboard.press("Escape")
    await card(page, "refining", "PLAT-11").waitFor()
    await stage().run(
      Effect.flatMap(stage().person("admin@demo.test"), (by) => Stories.move(by, story("PLAT-11"), "backlog"))
    )
    await card(page, "backlog", "PLAT-11").waitFor()
  })

  it("without script a story is moved by its menu", async () => {
    const page = await visit({ as: "member@demo.test", script: false })
    await page.goto("/demo/teams/storefront")
    await page.locator("#move-WEB-6 > summary").click()
    await page.locator("#move-WEB-6").getByRole("button", { name: "Refining" }).click()
    await card(page, "refining", "WEB-6").waitFor()
  })

  it("opens where work is on a phone, and follows what others move", async () => {
    const page = await visit({ as: "member@demo.test", width: 390 })
    await page.goto("/demo/teams/platform")
    await live(page)
    const left = await page.locator("#c-in_progress").evaluate((column) => column.getBoundingClientRect().left)
    assert.isAtLeast(left, 0)
    assert.isBelow(left, 60)
    await stage().run(
      Effect.flatMap(stage().person("admin@demo.test"), (by) => Stories.move(by, story("PLAT-11"), "refining"))
    )
    await card(page, "refining", "PLAT-11").waitFor({ state: "attached" })
  })
})

describe("teams", () => {
  const { visit } = visitors()

  it("an admin creates a team, and the side bar of open pages names it", async () => {
    const reader = await visit({ as: "member@demo.test" })
    await reader.goto("/demo/decisions")
    await live(reader)
    const page = await visit({ as: "admin@demo.test" })
    await page.goto("/demo/teams")
    await page.getByRole("link", { name: "New team" }).click()
    await page.getByLabel("Name", { exact: true }).fill("Ledger")
    await page.getByLabel("Short name in addresses").fill("ledger")
    await page.getByLabel("Beginning of its story keys").fill("led")
    await page.getByLabel("Guarded").check()
    await page.getByRole("button", { name: "Create the team" }).click()
    await page.waitForURL("**/demo/teams/ledger")
    await page.getByText("The team is created.").waitFor()
    await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Ledger" }).waitFor()
    await reader.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Ledger" }).click()
    await reader.getByRole("heading", { name: "Ledger" }).waitFor()
  })
})

describe("runs", () => {
  const { stage, visit } = visitors()

  const appender = async (lease: string) => {
    const { workspace } = await stage().run(stage().person("owner@demo.test"))
    return (seq: number, text: string) =>
      stage().run(
        Effect.flatMap(RunnerStore, (store) =>
          store.appendLog(workspace, { run: run("run-vb1a"), attempt: 1, lease: lease as LeaseId, seq, text })
        )
      )
  }

  it("the log of a run follows its agent, line by line", async () => {
    const append = await appender("7f000000-0000-4000-8000-000000000001")
    await append(1, `${"an early line\n".repeat(60)}`)
    const page = await visit({ as: "member@demo.test" })
    await page.goto("/demo/runs/run-vb1a")
    await live(page)
    await append(2, "<b>the second part</b>\n")
    await page.locator("#log", { hasText: "<b>the second part</b>" }).waitFor()
    const isAtEnd = await page
      .locator("#log")
      .evaluate((log) => log.scrollHeight - log.scrollTop - log.clientHeight < 40)
    assert.isTrue(isAtEnd)
    await append(3, "the third\n")
    await page.locator("#log", { hasText: "the third" }).waitFor()
    const text = (await page.locator("#log").textContent()) ?? ""
    assert.strictEqual(text.match(/the second part/g)?.length, 1)
    assert.strictEqual(text.match(/an early line/g)?.length, 60)
  })

  it("a line that is logged while the line before it is fetched appears too", async () => {
    const append = await appender("7f000000-0000-4000-8000-000000000002")
    const page = await visit({ as: "member@demo.test" })
    // Without the random wait, the page hears of the second line while it fetches the first.
    await page.addInitScript(() => (Math.random = () => 0))
    // The end of a page that was just loaded looks once more by itself.
    const looked = page.waitForResponse(/\/log\?/)
    await page.goto("/demo/runs/run-vb1a")
    await live(page)
    await looked
    await page.evaluate(() => {
      const { dataset } = document.body
      new BroadcastChannel(dataset["stream"] ?? "").onmessage = ({ data }) => {
        if (data.type === "change") dataset["heard"] = `${dataset["heard"] ?? ""}.`
      }
    })
    await page.route(
      /\/log\?/,
      async (route) => {
        const response = await route.fetch()
        await append(2, "the line after it\n")
        await page.waitForFunction(() => (document.body.dataset["heard"] ?? "").length >= 2)
        await route.fulfill({ response })
      },
      { times: 1 }
    )
    await append(1, "the fetched line\n")
    await page.locator("#log", { hasText: "the fetched line" }).waitFor()
    await page.locator("#log", { hasText: "the line after it" }).waitFor()
  })

  it("the page of a story shows a run that somebody else starts", async () => {
    const page = await visit({ as: "member@demo.test" })
    await page.goto("/demo/stories/PAY-9")
    await live(page)
    const started = await stage().run(
      Effect.flatMap(stage().person("admin@demo.test"), (by) => Runs.start(by, story("PAY-9")))
    )
    await page.getByRole("region", { name: "Runs" }).getByRole("link", { name: started.run.key }).waitFor()
    await page.getByRole("region", { name: "Column" }).getByText(`${started.run.key} works on the story`).waitFor()
  })

  it("a run is stopped and retried after a question", async () => {
    const page = await visit({ as: "member@demo.test" })
    await page.goto("/demo/runs/run-g8qz")
    await page.getByRole("link", { name: "Stop" }).click()
    await page.getByRole("button", { name: "Stop the run" }).click()
    await page.locator("#toasts", { hasText: "The run is stopped" }).waitFor({ state: "attached" })
    await page.getByRole("link", { name: "Retry" }).click()
    await page.getByLabel("Note for the agent").fill("Use the other API")
    await page.getByRole("button", { name: "Retry" }).click()
    await page.locator("#toasts", { hasText: "A new attempt is queued" }).waitFor({ state: "attached" })
    await page.getByText("attempt 2").first().waitFor()
  })

  it("a run of the live demo is followed from its start to its merge, and answered on the way", async () => {
    const program = stage().liveDemo()
    const [, key = ""] = await program.says(/is ready, and (run-\w+) works on it/)
    const page = await visit({ as: "owner@demo.test" })
    await page.goto(`/demo/runs/${key}`)
    await live(page)
    const answer = page.getByRole("link", { name: /^Answer dec-/ })
    await answer.waitFor({ timeout: 60_000 })
    await answer.click()
    await page.locator("[data-option='1']").click()
    await page
      .getByRole("heading", { name: /answered/i })
      .first()
      .waitFor()
    await page.goto(`/demo/runs/${key}`)
    await page.locator("h1 + .meta .badge", { hasText: "Succeeded" }).waitFor({ timeout: 60_000 })
    await page.locator("#log", { hasText: /\S/ }).waitFor()
    await page
      .locator("dl.strip")
      .getByRole("link", { name: /^#\d+$/ })
      .click()
    await page.locator(".badge", { hasText: "Merged" }).waitFor()
    const { code, err, out } = await program.ended(120)
    assert.strictEqual(code, 0, `${out}${err}`)
  }, 180_000)

  it("the line that starts a runner is copied once", async () => {
    const page = await visit({ as: "member@demo.test" })
    await page.goto("/demo/settings/runners")
    await page.getByRole("button", { name: "Make the line" }).click()
    const line = await page.getByLabel("Line that starts a runner").inputValue()
    assert.match(line, /^SERVICE_URL=\S+ SERVICE_API_KEY=tk_\w{32} /)
    await page.goto("/demo/settings/runners")
    assert.strictEqual(await page.getByLabel("Line that starts a runner").count(), 0)
  })
})
