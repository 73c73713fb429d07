import { assert, beforeAll, describe, it } from "vitest"
import { pages as served } from "../../adapters/http/web/Pages.ts"
import { match } from "../../adapters/http/web/Page.ts"
import { faults } from "./Accessible.ts"
import { demoPlace } from "./Scene.ts"
import { pages, parts, type Place } from "./Table.ts"
import { visitors } from "./Visitors.ts"

describe("every page", () => {
  const { stage, visit } = visitors()
  let at: Place
  beforeAll(async () => {
    at = await demoPlace(stage())
  })

  const readerOf = (as: "member" | null | undefined) => (as === null ? {} : { as: `${as ?? "owner"}@demo.test` })
  const expected = /status of 40[34]/

  it("is in the table", () => {
    const paths = Object.values(pages).map(({ path }) => new URL(path(at), stage().url).pathname.split("/").slice(2))
    const missing = served
      .filter((one) => one.get !== undefined && !parts.includes(one.path))
      .filter((one) => !paths.some((segments) => match([one], segments) !== null))
    assert.deepStrictEqual(
      missing.map(({ path }) => path),
      []
    )
  })

  it.each(Object.entries(pages))("%s: accessible in both themes on phones and screens", async (_, row) => {
    const page = await visit({ ...readerOf(row.as), expected })
    const response = await page.goto(row.path(at))
    assert.strictEqual(response?.status(), row.status ?? 200)
    assert.deepStrictEqual(await faults(page), [])
  })

  it("on a phone the bar has five entries that do not touch, and the tab of the page is in sight", async () => {
    const page = await visit({ ...readerOf(undefined), width: 390 })
    await page.goto(`/${at.workspace}/settings/sessions`)
    const names = page.locator(".nav > ul > li > a:visible > span:first-of-type")
    const boxes = await names.evaluateAll((all) => all.map((one) => one.getBoundingClientRect()))
    assert.lengthOf(boxes, 5)
    for (const [index, box] of boxes.entries()) assert.isAtLeast(box.left, (boxes[index - 1]?.right ?? 0) + 2)
    const tab = await page.locator(".tabs [aria-current]").boundingBox()
    assert.isAtMost((tab?.x ?? 1000) + (tab?.width ?? 0), 390)
  })

  it("on a phone a pill in a table is as wide as its words", async () => {
    const page = await visit({ ...readerOf(undefined), width: 390 })
    await page.goto(`/${at.workspace}/services`)
    const pills = page.locator(".table td[data-l] > .badge")
    for (const width of await pills.evaluateAll((all) => all.map((one) => one.getBoundingClientRect().width)))
      assert.isBelow(width, 130)
    assert.isAbove(await pills.count(), 0)
  })

  it.each(Object.entries(pages))("%s: can be read without script", async (_, row) => {
    const page = await visit({ ...readerOf(row.as), script: false, expected })
    await page.goto(row.path(at))
    assert.strictEqual(await page.locator("h1:visible").count(), 1)
    assert.strictEqual(await page.locator(".js-only:visible").count(), 0)
  })
})
