import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { wordsOf } from "../../adapters/http/web/search/SearchPages.tsx"
import type { WorkspaceSlug } from "../../domain/workspace/Workspace.ts"
import * as Seed from "../support/Seed.ts"
import { hostile, markup } from "./OnCallDesk.ts"
import { type Browser, open, type Site } from "./Visiting.ts"

describe("the search", () => {
  let site: Site
  let slug: WorkspaceSlug
  let member: Browser
  beforeAll(async () => {
    site = await open()
    slug = (await site.run(Seed.workspace)).slug
    await site.run(Seed.load(slug, Seed.small))
    member = await site.as(slug, "member")
  })
  afterAll(() => site?.close())

  const ask = (query: string) => member.get(`/${slug}/search?q=${encodeURIComponent(query)}`)

  it.each([
    ["PAY-1", "stories/PAY-1"],
    ["pay-1", "stories/PAY-1"],
    [" run-aaaa ", "runs/run-aaaa"],
    ["DEC-AAAA", "decisions/dec-aaaa"],
    ["payments", "teams/payments"]
  ])("the key %s leads straight to %s", async (key, path) => {
    const { headers, status } = await ask(key)
    assert.deepStrictEqual([status, headers["location"]], [303, `/${slug}/${path}`])
  })

  it("words show what their titles have", async () => {
    const { status, text } = await ask("refund pa")
    assert.strictEqual(status, 200)
    assert.include(text, `href="/${slug}/stories/PAY-1"`)
    assert.include(text, "1 found")
    assert.notInclude(text, "WEB-1")
  })

  it("shows names of teams, states in words and code in titles", async () => {
    await site.run(
      Seed.load(slug, {
        stories: [{ key: "PAY-77", team: "payments", title: "Zebra: keep `run_id` in logs" }],
        decisions: [
          {
            key: "dec-zzzz",
            team: "payments",
            kind: "plan_approval",
            title: "Zebra or not?",
            recommendation: "yes",
            options: Seed.options
          }
        ]
      })
    )
    const { text } = await ask("zebra")
    for (const part of ["Zebra: keep <code>run_id</code> in logs", "<span>Payments</span>", "Waits for a person"])
      assert.include(text, part)
    for (const part of ["`run_id`", "<span>payments</span>", ">pending<"]) assert.notInclude(text, part)
  })

  it("nothing is found in another workspace, and it says what to type", async () => {
    const other = (await site.run(Seed.workspace)).slug
    const browser = await site.as(other, "owner")
    const { text } = await browser.get(`/${other}/search?q=refund`)
    assert.include(text, "Nothing has “refund”")
    assert.strictEqual((await browser.get(`/${slug}/search?q=refund`)).status, 404)
  })

  it.each([hostile, "' & | ! ( ) : * \\", "%00", "\u0000", "a", "<b>", "x".repeat(5000), "'); DROP TABLE teams; --"])(
    "%j is text alone",
    async (query) => {
      const { status, text } = await ask(query)
      assert.include([200, 404], status)
      assert.deepStrictEqual(markup(text), [])
    }
  )

  it("every page leads to it", async () => {
    assert.match((await member.get(`/${slug}/decisions`)).text, new RegExp(`href="/${slug}/search"[^>]*data-search`))
  })

  it("reads words of two letters or digits and more", () => {
    assert.deepStrictEqual(wordsOf("Zahlung für GRÖẞE: a 42, v2.0!"), ["zahlung", "für", "größe", "42", "v2"])
  })
})
