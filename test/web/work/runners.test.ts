import { readFileSync } from "node:fs"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { agentNames } from "../../../adapters/RunnerSettings.ts"
import type { WorkspaceId, WorkspaceSlug } from "../../../domain/workspace/Workspace.ts"
import * as Seed from "../../support/Seed.ts"
import { entries, hostile, markup } from "../OnCallDesk.ts"
import { registered } from "./Registered.ts"
import { type Browser, open, type Site } from "../Visiting.ts"

describe("the page of runners", () => {
  let site: Site
  let [owner, member]: [Browser, Browser] = [undefined as never, undefined as never]
  let [id, slug]: [WorkspaceId, WorkspaceSlug] = [undefined as never, undefined as never]
  let runner: string
  beforeAll(async () => {
    site = await open()
    const place = await site.run(Seed.workspace)
    id = place.id
    slug = place.slug
    owner = await site.as(slug)
    member = await site.as(slug, "member")
  })
  afterAll(() => site?.close())

  const page = async (path: string, reader = member, status = 200) => {
    const answer = await reader.get(`/${slug}/settings/runners${path}`)
    assert.strictEqual(answer.status, status, answer.text)
    return answer.text
  }

  it("says that there is none, and then which are online and what they work on", async () => {
    assert.include(await page(""), "No runner yet")
    runner = await site.run(registered(slug, "build-1 <b>&</b>"))
    const text = await page("", owner)
    for (const part of ["build-1 &lt;b>&amp;&lt;/b>", "Online", "1 online", "Nothing", 'data-topics="runners runs"'])
      assert.include(text, part)
    assert.include(text, `/settings/runners/${runner}/remove`)
    assert.notInclude(await page(""), `/settings/runners/${runner}/remove`)
  })

  it("names the agents whose model has no key, and the way out", async () => {
    assert.notInclude(await page(""), "No model key")
    const introduced = { executors: [{ name: "codex", version: "0.166.0", lacksKey: true }] }
    const keyless = await site.run(registered(slug, "keyless", introduced))
    const text = await page("")
    for (const part of ["No model key", "codex: its runs fail.", "runner doctor"]) assert.include(text, part)
    assert.strictEqual((await owner.post(`/${slug}/settings/runners/${keyless}/remove`, {})).status, 303)
  })

  it.each(agentNames)("shows the line that starts one with %s, as the docs have it", async (agent) => {
    assert.match(await page(""), new RegExp(`<option[^>]* value="${agent}"`))
    const made = await member.post(`/${slug}/settings/runners`, { name: "x", agent, lifetime: "30d" })
    const [, variables = ""] =
      /SERVICE_API_KEY=tk_[A-Za-z0-9]{32} ([^"]*) node dist\/main\.js runner"/.exec(made.text) ?? []
    const docs = readFileSync(new URL("../../../docs/agents.md", import.meta.url), "utf8")
    assert.include(docs, `\n${variables} SERVICE_URL=… SERVICE_API_KEY=… node dist/main.js runner\n`)
  })

  it("shows the token of the line once", async () => {
    const made = await member.post(`/${slug}/settings/runners`, { name: hostile, agent: "codex", lifetime: "30d" })
    assert.strictEqual(made.status, 200)
    assert.match(
      made.text,
      new RegExp(`value="SERVICE_URL=${site.url} SERVICE_API_KEY=tk_[A-Za-z0-9]{32} RUNNER_AGENT=codex [^"]*runner"`)
    )
    assert.deepStrictEqual(markup(made.text), [])
    assert.deepStrictEqual(await site.run(entries(id, 1)), ["token_created success app"])
    assert.notMatch(await page(""), /tk_[A-Za-z0-9]{32}/)
    for (const [wrong, words] of [
      [{ name: "", agent: "codex", lifetime: "30d" }, "Enter a name"],
      [{ name: "x", agent: "hal", lifetime: "30d" }, "Choose an agent"],
      [{ name: "x", agent: "codex", lifetime: "9y" }, "Choose 30 days"]
    ] as const) {
      const answer = await member.post(`/${slug}/settings/runners`, wrong)
      assert.strictEqual(answer.status, 400)
      assert.include(answer.text, words)
    }
  })

  it("drains one for admins; a member is refused, and both are recorded", async () => {
    const path = `/${slug}/settings/runners/${runner}/drain`
    assert.include(await page(`/${runner}/drain`, owner), "It works on nothing, so it ends at once.")
    assert.strictEqual((await member.post(path, {})).status, 403)
    assert.deepStrictEqual(await site.run(entries(id, 1)), ["access_denied denied app"])
    assert.strictEqual((await owner.post(path, {})).status, 303)
    assert.deepStrictEqual(await site.run(entries(id, 1)), ["runner_draining success app"])
    const text = await page("", owner)
    assert.include(text, "Draining")
    assert.notInclude(text, `href="${path}"`)
    await page("/nobody/drain", owner, 404)
  })

  it("removes one for admins; a member is refused, and that is recorded", async () => {
    const path = `/${slug}/settings/runners/${runner}/remove`
    assert.include(await page(`/${runner}/remove`, owner), "registers anew")
    assert.strictEqual((await member.post(path, {})).status, 403)
    assert.deepStrictEqual(await site.run(entries(id, 1)), ["access_denied denied app"])
    const foreign = { origin: "https://evil.test", "sec-fetch-site": "cross-site" }
    assert.strictEqual((await owner.post(path, {}, foreign)).status, 403)
    assert.strictEqual((await owner.post(path, {})).status, 303)
    assert.include(await page("", owner), "No runner yet")
    assert.strictEqual((await owner.post(path, {})).status, 404)
    await page("/nobody/remove", owner, 404)
    assert.strictEqual((await site.stranger.get(`/${slug}/settings/runners`)).status, 303)
  })
})
