import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { assets } from "../../adapters/http/web/Assets.ts"
import type { WorkspaceSlug } from "../../domain/workspace/Workspace.ts"
import * as Seed from "../support/Seed.ts"
import { ask } from "../support/World.ts"
import { type Browser, open, type Site } from "./Visiting.ts"
import { session } from "../support/Sessions.ts"

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

  it("a workspace leads its members to its decisions, and a slash at the end of a page is left out", async () => {
    const leads = async (path: string, by = owner) => {
      const { headers, status } = await by.get(path)
      return status === 303 ? headers["location"] : status
    }
    assert.strictEqual(await leads(`/${slug}`), `/${slug}/decisions`)
    assert.strictEqual(await leads(`/${slug}/`), `/${slug}/decisions`)
    assert.strictEqual(await leads(`/${slug}/teams/?a=b/`), `/${slug}/teams?a=b/`)
    assert.strictEqual(await leads(`/${slug}/decisions/dec-aaaa//`), `/${slug}/decisions/dec-aaaa`)
    assert.strictEqual(await leads(`/${slug}/teams/`, site.stranger), `/${slug}/teams`)
    const other = (await site.run(Seed.workspace)).slug
    for (const path of [`/${other}`, `/${other}/`, "/nowhere", `/${slug}/nowhere/`, `/${slug}//`, `//${slug}/teams/`])
      assert.strictEqual(await leads(path), path === `/${slug}//` ? `/${slug}/decisions` : 404, path)
    assert.strictEqual(await leads(`/${slug}`, site.stranger), 404)
    assert.strictEqual((await owner.post(`/${slug}/`, {})).status, 404)
    const json = await ask(site.url, `/${slug}/`, { headers: { accept: "application/json" } })
    assert.strictEqual(json.status, 404)
    assert.match(json.text, /^\{"error"/)
  })

  it("another workspace is like one that does not exist", async () => {
    const other = (await site.run(Seed.workspace)).slug
    for (const path of [`/${other}/decisions`, "/no-such-workspace/decisions"]) {
      const { status, text } = await owner.get(path)
      assert.strictEqual(status, 404)
      assert.notInclude(text, other)
    }
  })

  it.each(["gzip", "br", "gzip, identity"])(
    "a form sent as %s is refused, and says how to send it",
    async (encoding) => {
      const headers = { "content-encoding": encoding }
      for (const path of [`/${slug}/settings/appearance`, "/sign-in"]) {
        const { status, text } = await owner.post(path, { theme: "dark" }, headers)
        assert.strictEqual(status, 415)
        assert.include(text, "must be sent without Content-Encoding")
      }
      const plain = await owner.post(`/${slug}/settings/appearance`, {}, { "content-encoding": "identity" })
      assert.strictEqual(plain.status, 303)
    }
  )

  it("the page after a form confirms it once, in words of its own", async () => {
    const { headers, status } = await owner.post(`/${slug}/settings/appearance`, { theme: "dark" })
    assert.strictEqual(status, 303)
    const flash = [headers["set-cookie"]].flat().find((one) => one?.startsWith("gatehouse-done="))
    assert.match(flash ?? "", /^gatehouse-done=appearance-saved; .*HttpOnly/)
    const shown = async (cookie: string, more = {}, page = "settings/sessions") => {
      const token = await site.run(session(slug, "owner"))
      return site.stranger.get(`/${slug}/${page}`, { cookie: `gatehouse=${token}; gatehouse-done=${cookie}`, ...more })
    }
    const next = await shown("appearance-saved")
    assert.match(next.text, /data-toast[^]*Saved for this browser\./)
    assert.match(String(next.headers["set-cookie"]), /gatehouse-done=; Max-Age=0/)
    const refused = await shown("appearance-saved", {}, "decisions/dec-zzzz")
    assert.strictEqual(refused.status, 404)
    assert.include(refused.text, "data-toast")
    assert.match(String(refused.headers["set-cookie"]), /gatehouse-done=; Max-Age=0/)
    for (const planted of ["Pay%20here", "constructor", "<b>", ""])
      assert.notInclude((await shown(planted)).text, "data-toast", planted)
    const part = await shown("appearance-saved", { "hx-request": "true" })
    assert.notInclude(part.text, "data-toast")
    assert.isUndefined(part.headers["set-cookie"])
    const gate = await site.stranger.get("/sign-in", { cookie: "gatehouse-done=signed-out" })
    assert.include(gate.text, "You are signed out.")
  })

  it("a press after the session ended leads to signing in and back; a part fetched by itself replaces nothing", async () => {
    const path = `/${slug}/decisions/dec-aaaa`
    const to = `/sign-in?to=${encodeURIComponent(path)}`
    assert.strictEqual((await site.stranger.post(path, { option: "yes" })).headers["location"], to)
    const pressed = await site.stranger.post(path, { option: "yes" }, { "hx-request": "true" })
    assert.deepStrictEqual([pressed.status, pressed.headers["hx-redirect"]], [204, to])
    const fetched = await site.stranger.get(path, { "hx-request": "true" })
    assert.deepStrictEqual([fetched.status, fetched.headers["hx-trigger"]], [204, "gh:signed-out"])
    const unread = await site.stranger.post(`/${slug}/settings/appearance`, {})
    assert.strictEqual(unread.headers["location"], "/sign-in?")
  })

  it("an error tells a script its title and its words, with the layout and without", async () => {
    for (const headers of [{}, { "hx-request": "true" }]) {
      const { status, text } = await owner.get(`/${slug}/decisions/dec-zzzz`, headers)
      assert.strictEqual(status, 404)
      assert.match(text, /<h1>There is no such page<\/h1>[^]*<p data-error[^>]*>It may have been moved or deleted/)
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
