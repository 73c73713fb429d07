import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { assets } from "../../adapters/http/web/Assets.ts"
import type { WorkspaceSlug } from "../../domain/workspace/Workspace.ts"
import * as Seed from "../support/Seed.ts"
import { ask } from "../support/World.ts"
import { type Browser, open, type Site } from "./Visiting.ts"

const policy =
  "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; form-action 'self'; connect-src 'self'; base-uri 'none'; frame-ancestors 'none'"

describe("the frame of all pages", () => {
  let site: Site
  let slug: WorkspaceSlug
  let owner: Browser
  beforeAll(async () => {
    site = await open()
    slug = (await site.run(Seed.workspace)).slug
    await site.run(Seed.load(slug, Seed.small))
    owner = await site.as(slug)
  })
  afterAll(() => site?.close())

  it("a page has its headers, its landmarks, one h1, and neither inline script nor style", async () => {
    const { headers, status, text } = await owner.get(`/${slug}/decisions`)
    assert.strictEqual(status, 200)
    assert.strictEqual(headers["content-security-policy"], policy)
    assert.strictEqual(headers["referrer-policy"], "same-origin")
    assert.strictEqual(headers["cache-control"], "no-store")
    assert.strictEqual(text.split("<h1").length, 2)
    for (const part of ['<html lang="en"', '<header class="top"', 'aria-label="Main"', '<main class="main" id="main"'])
      assert.include(text, part)
    assert.notMatch(text, /<script(?![^>]* src="\/assets\/)|<style| style=| on[a-z]+=|https?:\/\//)
    assert.include(text, `/${slug}/decisions" aria-current="page"`)
  })

  it.each(Object.values(assets))("%s is kept by browsers for good, and is sent compressed", async (path) => {
    const plain = await ask(site.url, path)
    assert.strictEqual(plain.status, 200)
    assert.strictEqual(plain.headers["cache-control"], "public, max-age=31536000, immutable")
    const zipped = await ask(site.url, path, { headers: { "accept-encoding": "br, gzip" } })
    assert.strictEqual(zipped.headers["content-encoding"], "gzip")
    assert.strictEqual((await ask(site.url, path.replace("-", "-0"))).status, 404)
  })

  it("the theme and the zone of the cookies are used, and unknown ones are not", async () => {
    const { text } = await owner.get(`/${slug}/decisions`)
    assert.notInclude(text, "data-theme")
    const cookie = (extra: string) => ({ cookie: `${extra}` })
    const dark = await site.stranger.get("/nowhere", cookie("gatehouse-theme=dark"))
    assert.include(dark.text, '<html lang="en" data-theme="dark"')
    const odd = await site.stranger.get("/nowhere", cookie('gatehouse-theme="><script>; gatehouse-zone=No/Where'))
    assert.notInclude(odd.text, "data-theme")
  })

  it("a person who is not signed in is asked to, and comes back afterwards", async () => {
    const { headers, status } = await site.stranger.get(`/${slug}/decisions?team=web`)
    const to = encodeURIComponent(`/${slug}/decisions?team=web`)
    assert.deepStrictEqual([status, headers["location"]], [303, `/sign-in?to=${to}`])
  })

  it("another workspace is like one that does not exist", async () => {
    const other = (await site.run(Seed.workspace)).slug
    for (const path of [`/${other}/decisions`, "/no-such-workspace/decisions"]) {
      const { status, text } = await owner.get(path)
      assert.strictEqual(status, 404)
      assert.notInclude(text, other)
    }
  })

  it.each([
    ["from another site", { origin: "https://evil.test", "sec-fetch-site": "cross-site" }],
    ["from another port", { origin: "http://127.0.0.1:1" }],
    ["from a sister site", { "sec-fetch-site": "same-site" }],
    ["from nowhere", { origin: "null", "sec-fetch-site": "same-origin" }]
  ])("a form %s is refused", async (_, headers) => {
    const { status, text } = await owner.post(`/${slug}/settings/appearance`, { theme: "dark" }, headers)
    assert.strictEqual(status, 403, text)
    assert.include(text, "You may not do this")
  })
})
