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

  it.each(Object.entries(pages))("%s: can be read without script", async (_, row) => {
    const page = await visit({ ...readerOf(row.as), script: false, expected })
    await page.goto(row.path(at))
    assert.strictEqual(await page.locator("h1:visible").count(), 1)
    assert.strictEqual(await page.locator(".js-only:visible").count(), 0)
  })
})
