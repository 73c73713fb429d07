import { afterEach, assert, beforeEach, describe, it } from "vitest"
import { type Acme, asAdmin, asMember, open, payments } from "./Acme.ts"

let at: Acme
beforeEach(async () => {
  at = await open()
})
afterEach(() => at.close())

const hook = "https://chat.example.com/hooks/T0P-S3CRET"
const chat = [...payments, "--name", "oncall-chat"]
const add = ["team", "place", "add", ...asAdmin, ...chat]

describe("a place", () => {
  it("is added with its address on standard input, and never shows it", async () => {
    at.pipe(`  ${hook}\n`)
    const place = await at.json(...add, "--url-stdin")
    const { createdAt } = place
    assert.deepStrictEqual(place, { team: "payments", name: "oncall-chat", kind: "webhook", createdAt })
    assert.deepStrictEqual(await at.json("team", "place", "list", ...asMember, ...payments), [place])
    assert.strictEqual(
      await at.said("team", "place", "list", ...asMember, ...payments),
      `oncall-chat  webhook  ${createdAt}`
    )
    const entries = await at.audit()
    assert.strictEqual(entries.at(-1).event, "service_changed")
    assert.notInclude(JSON.stringify(entries), "S3CRET")
  })

  it.each([hook, "http://localhost:8065/hook", "http://127.0.0.1/hook", "http://[::1]:80/hook"])(
    "may be at %s, told by --url",
    async (url) => {
      assert.strictEqual(await at.said(...add, "--url", url), "Added the place oncall-chat of the team payments.")
    }
  )

  const shape = "must be an https address of at most 2000 characters, or an http one of localhost; got"

  it.each([
    ["http://chat.example.com/S3CRET", "'http://chat.example.com/…'"],
    ["chat/S3CRET", "11 characters that are no address"],
    ["ftp://localhost/S3CRET", "'ftp://localhost/…'"],
    [`https://a.test/S3CRET${"x".repeat(2000)}`, "'https://a.test/…', 2021 characters"]
  ])("is not at %s, of which the origin is repeated at most", async (url, got) => {
    const byOption = await at.refused(...add, "--url", url)
    assert.deepStrictEqual(byOption, { code: "invalid_usage", message: `--url ${shape} ${got}` })
    at.pipe(url)
    const { code, message } = await at.refused(...add, "--url-stdin")
    const long = "--url-stdin: it may have at most 2000 characters"
    assert.deepStrictEqual([code, message], ["invalid_usage", url.length > 2000 ? long : `--url-stdin ${shape} ${got}`])
  })

  it("wants one address, and one line of it", async () => {
    const either = "Give the address of the chat tool's webhook with one of --url-stdin and --url"
    assert.strictEqual((await at.refused(...add)).message, either)
    assert.strictEqual((await at.refused(...add, "--url", hook, "--url-stdin")).message, either)
    const none = await at.refused(...add, "--url-stdin")
    assert.include(none.message, "--url-stdin: there is nothing on standard input")
    at.pipe(`${hook}\n${hook}\n`)
    assert.include((await at.refused(...add, "--url-stdin")).message, "more than one line")
  })

  it("has a name of its own in its team until it is removed", async () => {
    await at.json(...add, "--url", hook)
    const taken = await at.refused(...add, "--url", hook)
    assert.deepStrictEqual([taken.code, taken.message.includes("'oncall-chat' already")], ["place_taken", true])
    const removed = await at.json("team", "place", "remove", ...asAdmin, ...chat)
    assert.deepStrictEqual(removed, { team: "payments", name: "oncall-chat", removed: true })
    assert.strictEqual(await at.said("team", "place", "list", ...asMember, ...payments), "No places.")
    const gone = await at.refused("team", "place", "remove", ...asAdmin, ...chat)
    assert.deepStrictEqual([gone.code, gone.message.includes("no place 'oncall-chat'")], ["place_not_found", true])
    await at.json(...add, "--url", hook)
    assert.strictEqual(
      await at.said("team", "place", "remove", ...asAdmin, ...chat),
      "Removed the place oncall-chat of the team payments."
    )
  })
})
