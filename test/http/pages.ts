import { createHash } from "node:crypto"
import { assert, it } from "vitest"
import type { Answer, ask } from "../support/World.ts"

/** Tests of the HTML pages that need no workspace. */
export const pages = (get: (path: string, options?: Parameters<typeof ask>[2]) => Promise<Answer>) => {
  it("the reference runs its own scripts alone, asks nobody else and is framed by nobody", async () => {
    const { headers, text } = await get("/docs")
    const policy = new Map(
      (headers["content-security-policy"] ?? "").split("; ").map((one) => {
        const [name = "", ...values] = one.split(" ")
        return [name, values] as const
      })
    )
    const hashes = [...text.matchAll(/<script>([^]*?)<\/script>/g)].map(
      ([, inline = ""]) => `'sha256-${createHash("sha256").update(inline).digest("base64")}'`
    )
    assert.deepStrictEqual(Object.fromEntries(policy), {
      "default-src": ["'none'"],
      "script-src": [...hashes, "'wasm-unsafe-eval'"],
      "style-src": ["'unsafe-inline'"],
      "img-src": ["'self'", "data:"],
      "connect-src": ["'self'"],
      "base-uri": ["'none'"],
      "form-action": ["'none'"],
      "frame-ancestors": ["'none'"]
    })
    assert.strictEqual(headers["referrer-policy"], "no-referrer")
    assert.notMatch(text, /<(script|link|img|iframe)[^>]+(src|href)=|<style[^>]+>\s*@import/)
  })

  it("the reference is set to ask nobody for fonts, to send no requests through others and to report nothing", async () => {
    const { text } = await get("/docs")
    const config = /dataset\.configuration = JSON\.stringify\((\{.*?\})\)/.exec(text)?.[1] ?? "{}"
    assert.deepInclude(JSON.parse(config), {
      withDefaultFonts: false,
      proxyUrl: "",
      telemetry: false,
      hideClientButton: true,
      persistAuth: false
    })
  })

  it.each([
    ["/nowhere", "GET", 404, "There is no such page"],
    ["/incidents/acme/run-0000", "GET", 404, "There is no such page"],
    ["/%00<script>alert(1)</script>", "GET", 404, "There is no such page"],
    ["/", "POST", 405, "This page can only be read"]
  ] as const)(
    "a browser gets the error of %s %s as a page that repeats nothing",
    async (path, method, status, title) => {
      const {
        headers,
        status: answered,
        text
      } = await get(path, { method, headers: { accept: "text/html,*/*;q=0.8" } })
      assert.strictEqual(answered, status)
      assert.match(headers["content-type"] ?? "", /^text\/html/)
      assert.include(text, `<h1>${title}</h1>`)
      assert.notInclude(text, "alert(1)")
      assert.include(headers["content-security-policy"], "frame-ancestors 'none'")
      assert.strictEqual(headers["allow"], status === 405 ? "GET, HEAD" : undefined)
    }
  )

  it.each(["/v1/nowhere", "/boards/x/y", "/signals", "/tasks", "/docs/x"])(
    "a browser gets the error of %s, a path of the API, as JSON",
    async (path) => {
      const { body, headers } = await get(path, { headers: { accept: "text/html" } })
      assert.match(headers["content-type"] ?? "", /^application\/json/)
      assert.hasAllKeys(body, ["error"])
    }
  )
}
