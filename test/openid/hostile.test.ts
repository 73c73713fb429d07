import { Effect, Logger } from "effect"
import { afterAll, assert, beforeAll, beforeEach, describe, it } from "vitest"
import * as People from "../support/People.ts"
import * as Seed from "../support/Seed.ts"
import { turns } from "../support/Share.ts"
import type { World } from "../support/World.ts"
import { cookieBrowser } from "./Browser.ts"
import { clientSecret, serve } from "./House.ts"
import { hostileProvider, type Lies } from "./HostileProvider.ts"
import { isLong, long } from "../support/Long.ts"

describe("a provider that lies, or that somebody stands in for", () => {
  let provider: Awaited<ReturnType<typeof hostileProvider>>
  let world: World
  let service: string
  const logged: Array<string> = []
  const listener = Logger.add(Logger.make(({ message }) => void logged.push(String(message))))
  const secrets = new Set<string>([clientSecret])
  const open = async () => {
    world = await serve(0, provider.issuer, {}, listener)
    service = world.url.replace("127.0.0.1", "localhost")
    await world.run(Effect.flatMap(Seed.workspace, ({ slug }) => People.person(slug, "member")))
  }
  beforeAll(async () => {
    provider = await hostileProvider()
    await open()
  })
  beforeEach(() => void provider.lie({}))
  afterAll(async () => {
    await world?.close()
    await provider?.close()
  })

  /** Comes back from the provider with a code that it takes as the nonce, too. */
  const signIn = async (lies: Lies, more = "") => {
    const browser = cookieBrowser()
    const begun = await browser.send(`${service}/sign-in/openid`)
    const to = new URL(begun.headers["location"] ?? "")
    const state = to.searchParams.get("state") ?? ""
    const code = to.searchParams.get("nonce") ?? ""
    for (const secret of [state, code, ...browser.cookies(service).values()]) secrets.add(secret)
    provider.lie(lies)
    const answer = await browser.send(`${service}/sign-in/openid/back?code=${code}&state=${state}${more}`)
    return { ...answer, hasSession: browser.cookies(service).has("gatehouse") }
  }

  it("the truth signs the member in", async () => {
    const { hasSession, status } = await signIn({})
    assert.deepStrictEqual([status, hasSession], [303, true])
  })

  const hour = 3600
  const now = () => Math.floor((performance.timeOrigin + performance.now()) / 1000)

  const lying: ReadonlyArray<readonly [string, () => Lies]> = [
    ["no signature (alg none)", () => ({ header: { alg: "none" }, signature: "none" })],
    ["no signature", () => ({ signature: "none" })],
    ["the signature of another key", () => ({ signature: "other key" })],
    ["the signature of a key that is not published", () => ({ header: { kid: "two" }, signature: "other key" })],
    ["a signature by a shared secret", () => ({ header: { alg: "HS256" } })],
    ["another issuer", () => ({ claims: { iss: "https://evil.test" } })],
    ["another audience", () => ({ claims: { aud: "another-client" } })],
    [
      "several audiences without an authorized party",
      () => ({ claims: { aud: ["gatehouse", "other"], azp: "other" } })
    ],
    ["an end in the past", () => ({ claims: { iat: now() - 2 * hour, exp: now() - hour } })],
    ["no end", () => ({ claims: { exp: undefined } })],
    ["another nonce", () => ({ claims: { nonce: "0".repeat(64) } })],
    ["no nonce", () => ({ claims: { nonce: undefined } })],
    ["no subject", () => ({ claims: { sub: undefined } })],
    ["a subject with a control character", () => ({ claims: { sub: "a\u0000b" } })],
    ["a subject of 300 characters", () => ({ claims: { sub: "s".repeat(300) } })],
    [
      "no token",
      () => ({ answers: { "/token": { status: 200, body: '{"access_token":"a","token_type":"Bearer"}' } } })
    ],
    ["a refusal", () => ({ answers: { "/token": { status: 400, body: '{"error":"invalid_grant"}' } } })],
    ["text that is no JSON", () => ({ answers: { "/token": { status: 200, body: "<html>" } } })],
    ["keys that are none", () => ({ answers: { "/keys": { status: 200, body: '{"keys":7}' } }, header: { kid: "x" } })]
  ]

  it.each(lying.filter((lie) => lie[0] === "a refusal" || turns(lying, 3).includes(lie)))(
    "an account with %s signs nobody in",
    async (_, lies) => {
      const { hasSession, status, text } = await signIn(lies())
      assert.deepStrictEqual([status, hasSession], [403, false])
      assert.include(text, "could not be verified")
      assert.include(text, "Use the link")
    }
  )

  it.each([
    ["a text for true", { email_verified: "true" }, 303],
    ["a text for false", { email_verified: "false" }, 403],
    ["a number", { email_verified: 1 }, 403],
    ["nothing", { email_verified: undefined }, 403]
  ])("an address that is verified by %s", async (_, claims, status) => {
    const answer = await signIn({ claims: { sub: "mallory", ...claims } })
    // The account was tied by its first sign-in, so only another one needs the address.
    assert.strictEqual(answer.status, 303)
    const other = await signIn({ claims: { sub: `other ${status}`, email: "nobody@acme.test", ...claims } })
    assert.include(other.text, status === 303 ? "is not the address of a member" : "has not verified the address")
  })

  it.each([["no-address"], [`${"x".repeat(300)}@acme.test`], ["a\u0000b@acme.test"], [7], [["member@acme.test"]]])(
    "%j is no address",
    async (email) => {
      const { status, text } = await signIn({ claims: { sub: "without", email } })
      assert.strictEqual(status, 403)
      assert.include(text, "named no e-mail address")
    }
  )

  it("markup in what the provider says is shown as text", async () => {
    const said = await signIn({ claims: { sub: "m", email: "<b>x</b>@acme.test" } })
    assert.include(said.text, "&lt;b>x&lt;/b>@acme.test")
    const { text } = await signIn({}, "&error=<script>alert(1)</script>")
    assert.notInclude(text, "<script>alert")
  })

  it("keys and description are fetched once for many sign-ins", async () => {
    await signIn({})
    provider.asked.length = 0
    await signIn({})
    await signIn({})
    assert.deepStrictEqual(provider.asked, ["/token", "/token"])
  })

  it("an endpoint that fails, or answers too much, is as good as down", async () => {
    for (const answer of [
      { status: 502, body: "" },
      { status: 200, body: `"${"x".repeat(300_000)}"` }
    ]) {
      const { hasSession, status, text } = await signIn({ answers: { "/token": answer } })
      assert.deepStrictEqual([status, hasSession], [503, false])
      assert.include(text, "cannot be reached")
    }
  })

  long(() => {
    it("an endpoint that never answers is given up", async () => {
      const { status, text } = await signIn({ silent: "/token" })
      assert.strictEqual(status, 503)
      assert.include(text, "did not answer within 3 s")
    })
  })

  const descriptions: ReadonlyArray<readonly [string, Lies]> = [
    ["another issuer", { description: { issuer: "https://evil.test" } }],
    ["no endpoints", { description: { authorization_endpoint: undefined } }],
    ["an endpoint that is no page", { description: { authorization_endpoint: "javascript:alert(1)" } }],
    ["an endpoint that is no address", { description: { authorization_endpoint: "authorize" } }],
    ["a redirect", { answers: { "/.well-known/openid-configuration": { status: 302, body: "" } } }],
    ["an error", { answers: { "/.well-known/openid-configuration": { status: 500, body: "" } } }]
  ]

  it.each(turns(descriptions, 3))("a description with %s leads nobody anywhere", async (_, lies) => {
    await world.close()
    await open()
    provider.lie(lies)
    const { headers, status, text } = await cookieBrowser().send(`${service}/sign-in/openid`)
    assert.deepStrictEqual([status, headers["location"]], [503, undefined])
    assert.include(text, "cannot be reached for a sign-in")
    assert.include(text, "Use the link")
    provider.lie({})
    assert.strictEqual((await cookieBrowser().send(`${service}/sign-in/openid`)).status, 303)
  })

  it("the log says why, and no secret", () => {
    const text = logged.join("\n")
    const silence = isLong ? ["it did not answer within 3 s"] : []
    for (const reason of ["it answered 400 invalid_grant", "it answered 502", ...silence])
      assert.include(text, `sign-in by ${new URL(provider.issuer).host}: ${reason}`)
    for (const secret of secrets) assert.notInclude(text, secret)
  })

  long(() => {
    it("a flood of beginnings from one address is refused, and other sites begin none", async () => {
      const by = async (headers: Readonly<Record<string, string>>) =>
        await cookieBrowser().send(`${service}/sign-in/openid`, undefined, headers)
      const foreign = [
        { "sec-fetch-site": "cross-site" },
        { "sec-fetch-site": "same-site", referer: `${service}/sign-in` },
        { referer: "https://evil.test/" },
        {}
      ]
      for (let times = 0; times < 101; times++) {
        const { headers, status, text } = await by(foreign[times % foreign.length] ?? {})
        assert.deepStrictEqual([status, headers["location"], headers["set-cookie"]], [403, undefined, undefined])
        if (times < foreign.length) assert.include(text, "Another site led you here, so no sign-in was started.")
      }
      for (const own of [{ "sec-fetch-site": "same-origin" }, { referer: `${service}/sign-in` }])
        assert.strictEqual((await by(own)).status, 303)
      let last = 0
      for (let times = 0; times < 101 && last !== 429; times++)
        last = (await cookieBrowser().send(`${service}/sign-in/openid`)).status
      assert.strictEqual(last, 429)
    })
  })
})
