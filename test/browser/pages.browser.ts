import axe from "axe-core"
import type { Page } from "playwright-core"
import { assert, beforeAll, describe, it } from "vitest"
import { pages as served } from "../../adapters/http/web/Pages.ts"
import { match } from "../../adapters/http/web/Page.ts"
import { demoPlace } from "./Scene.ts"
import { pages, parts, type Place } from "./Table.ts"
import { visitors } from "./Visitors.ts"

const rules = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]

interface Axe {
  readonly axe: typeof axe
}

/** Violations of accessibility rules, each with the elements. */
const violations = (page: Page) =>
  page.evaluate(async (values) => {
    const { violations: found } = await (globalThis as unknown as Axe).axe.run(document, {
      runOnly: { type: "tag", values },
      resultTypes: ["violations"]
    })
    return found.map(
      ({ help, id, nodes }) => `${id} (${help}): ${nodes.map(({ html }) => html.slice(0, 160)).join(" | ")}`
    )
  }, rules)

/** Elements that stick out of the page to the right; empty when it does not scroll sideways. */
const sideways = (page: Page) =>
  page.evaluate(() => {
    if (document.documentElement.scrollWidth <= innerWidth) return []
    return Array.from(document.querySelectorAll("body *"))
      .filter((element) => element.getBoundingClientRect().right > innerWidth + 1)
      .map((element) => element.outerHTML.slice(0, 120))
      .slice(-3)
  })

describe("every page", () => {
  const { stage, visit } = visitors()
  let at: Place
  beforeAll(async () => {
    at = await demoPlace(stage())
  })

  const readerOf = (as: "member" | null | undefined) => (as === null ? {} : { as: `${as ?? "owner"}@demo.test` })
  const expected = /status of 404/

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
    await page.evaluate(axe.source)
    const found: Array<string> = []
    for (const width of [1440, 390]) {
      await page.setViewportSize({ width, height: 844 })
      for (const colorScheme of ["light", "dark"] as const) {
        await page.emulateMedia({ colorScheme, reducedMotion: "reduce" })
        for (const one of await violations(page)) found.push(`${width} px, ${colorScheme}: ${one}`)
      }
      for (const one of await sideways(page)) found.push(`${width} px: ${one} sticks out`)
    }
    await page.setViewportSize({ width: 320, height: 844 })
    for (const one of await sideways(page)) found.push(`320 px: ${one} sticks out`)
    assert.deepStrictEqual(found, [])
  })

  it.each(Object.entries(pages))("%s: can be read without script", async (_, row) => {
    const page = await visit({ ...readerOf(row.as), script: false, expected })
    await page.goto(row.path(at))
    assert.strictEqual(await page.locator("h1:visible").count(), 1)
    assert.strictEqual(await page.locator(".js-only:visible").count(), 0)
  })
})
