import axe from "axe-core"
import type { Page } from "playwright-core"

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

/** Elements that stick out of a page on screens and phones. */
export const wide = async (page: Page): Promise<ReadonlyArray<string>> => {
  const found: Array<string> = []
  for (const width of [1440, 390, 320]) {
    await page.setViewportSize({ width, height: 844 })
    for (const one of await sideways(page)) found.push(`${width} px: ${one} sticks out`)
  }
  return found
}

/** Faults of a page in both themes on phones and screens: rules of accessibility, and elements that stick out. */
export const faults = async (page: Page): Promise<ReadonlyArray<string>> => {
  await page.evaluate(axe.source)
  const found: Array<string> = []
  for (const width of [1440, 390]) {
    await page.setViewportSize({ width, height: 844 })
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme, reducedMotion: "reduce" })
      for (const one of await violations(page)) found.push(`${width} px, ${colorScheme}: ${one}`)
    }
  }
  return [...found, ...(await wide(page))]
}
