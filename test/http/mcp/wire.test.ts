import { afterAll, assert, beforeAll, beforeEach, describe, it } from "vitest"
import { isLong } from "../../support/Long.ts"
import { ask } from "../../support/World.ts"
import { assertRefused, call, type House, json, open, revisions, rpc } from "./House.ts"

describe("the MCP server", () => {
  let house: House
  let [url, token] = ["", ""]
  beforeAll(async () => {
    house = await open({ PUBLIC_URL: "https://gatehouse.acme.test" })
    url = house.world.url
    token = house.place.bearers.owner
  })
  beforeEach(() => house.restore())
  afterAll(() => house?.world.close())

  const post = (body: string | Buffer, headers: Record<string, string> = {}) =>
    ask(url, "/mcp", { method: "POST", token, headers: { ...json, ...headers }, body })

  it.each(revisions)("serves clients of %s", async (revision) => {
    const { text, value } = await call(url, token, "get_story", { story: "pay-2" }, revision)
    assert.deepStrictEqual(JSON.parse(text), value)
    assert.deepInclude(value, { key: "PAY-2", demonstrate: ["Show it"], testPlan: null })
    assert.deepInclude(value.policy, { preset: "standard", deniedPaths: [".kanman/acceptance/**"] })
    const { message } = await rpc(url, token, "tools/list", {}, { revision })
    assert.isAbove(message.result.tools.length, 20)
  })

  it("answers a plain call as the library does", async () => {
    const charset = { headers: { "content-type": "application/json; charset=utf-8" } }
    const listed = { team: "payments", limit: 2 }
    for (const [name, given] of [
      ["get_story", { story: "PAY-2" }],
      ["get_story", { story: "PAY-99" }],
      ["get_story", {}],
      ["get_story", { story: ["PAY-2"], more: "é\u2028" }],
      ["list_stories", listed],
      ["list_teams", {}],
      ["get_decision", { decision: "dec-none" }],
      ["stop_run", { run: "run-none" }]
    ] as const) {
      const params = { name, arguments: given }
      const plain = await rpc(url, token, "tools/call", params)
      const usual = await rpc(url, token, "tools/call", params, charset)
      // A cursor is sealed anew each time.
      const [one, other] = [plain, usual].map(({ text }) => text.replace(/"nextCursor\\?":\\?"[^"]*"/g, ""))
      assert.deepStrictEqual([plain.status, one], [usual.status, other])
    }
  })

  it("names what is wrong with the parameters of an older client", async () => {
    for (const [method, given, problem] of [
      ["prompts/get", undefined, "params: "],
      ["prompts/get", { name: 5 }, "params.name: "],
      ["initialize", { capabilities: {}, clientInfo: { name: "x", version: "1" } }, "params.protocolVersion: "],
      ["prompts/get", { name: "work_on_story" }, "The argument story is missing"],
      ["tools/call", { name: 7 }, "params.name: Invalid"],
      ["tools/call", {}, "params.name: Invalid"],
      ["tools/call", { name: "list_teams", arguments: null }, "params.arguments: Invalid"]
    ] as const) {
      const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, ...(given && { params: given }) })
      const { status, text } = await post(body, { "mcp-protocol-version": "2025-11-25" })
      const { error } = JSON.parse(/^data: (.*)$/m.exec(text)?.[1] ?? text)
      assert.deepStrictEqual([status, error.code], [200, -32_602], text)
      assert.include(error.message, problem)
      assert.notInclude(error.message, "[")
    }
  })

  it("introduces itself to clients of every revision", async () => {
    const { message } = await rpc(url, token, "server/discover")
    assert.deepStrictEqual(message.result.supportedVersions, ["2026-07-28"])
    assert.include(message.result.instructions, "request_human_input")
    assert.strictEqual(message.result.instructions.split("\n").length, 11)
    const params = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "test", version: "1" } }
    const old = await rpc(url, token, "initialize", params, { revision: "2025-06-18" })
    assert.strictEqual(old.message.result.protocolVersion, "2025-06-18")
    assert.strictEqual(old.message.result.serverInfo.name, "gatehouse")
    assert.isUndefined(old.headers["mcp-session-id"])
    const older = await rpc(
      url,
      token,
      "initialize",
      { ...params, protocolVersion: "2024-11-05" },
      { revision: "2025-06-18" }
    )
    assert.include(revisions, older.message.result.protocolVersion)
  })

  it("refuses a missing, unknown, malformed and revoked token with 401", async () => {
    for (const [given, code] of [
      [undefined, "missing_token"],
      ["nonsense", "invalid_token"],
      [`tk_${"x".repeat(32)}`, "invalid_token"],
      [`rk_${"x".repeat(32)}`, "invalid_token"]
    ] as const) {
      const refused = await rpc(url, given, "tools/list")
      assertRefused(refused, 401, code)
      assert.strictEqual(refused.headers["www-authenticate"], "Bearer")
    }
    assert.isFalse((await call(url, token, "revoke_token", { prefix: token.slice(0, 11) })).isError)
    assertRefused(await rpc(url, token, "tools/list"), 401, "token_revoked")
  })

  it("takes POST to /mcp alone", async () => {
    for (const method of ["GET", "DELETE", "PUT"]) {
      const refused = await ask(url, "/mcp", { method, token })
      assertRefused(refused, 405, "method_not_allowed")
      assert.strictEqual(refused.headers["allow"], "POST")
    }
    assertRefused(await ask(url, "/mcp/more", { method: "POST", token }), 404, "route_not_found")
  })

  it("refuses pages of other sites, whatever they call this host", async () => {
    for (const origin of ["https://evil.test", "http://localhost.evil.test", "null"]) {
      const headers = { origin, host: new URL("https://evil.test").host }
      assertRefused(await rpc(url, token, "tools/list", {}, { headers }), 403, "foreign_origin")
    }
    for (const origin of [
      "https://gatehouse.acme.test",
      "http://localhost:6274",
      "http://127.0.0.1",
      "http://[::1]:80"
    ])
      assert.strictEqual((await rpc(url, token, "tools/list", {}, { headers: { origin } })).status, 200)
  })

  it("answers what is no request with documented errors", async () => {
    const deep = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${"[".repeat(100)}${"]".repeat(100)}}`
    const list = '{"jsonrpc":"2.0","id":1,"method":"tools/list"}'
    for (const [body, headers, status, code] of [
      ["{", {}, 400, -32_700],
      ["", {}, 400, -32_700],
      [deep, {}, 400, -32_600],
      ["[]", {}, 400, -32_600],
      [`[${list}]`, {}, 400, -32_600],
      [`[${list},${list}]`, { "mcp-protocol-version": "2025-06-18" }, 400, -32_600],
      ["7", {}, 400, -32_600]
    ] as const) {
      const answer = await post(body, headers)
      assert.deepStrictEqual([answer.status, answer.body?.error?.code], [status, code], `${body}: ${answer.text}`)
    }
    assert.strictEqual((await post(deep)).body.id, 1)
    for (const wrong of [
      { "content-type": "text/plain" },
      { "content-type": "application/json; charset=latin1" },
      { "content-encoding": "gzip" }
    ])
      assertRefused(await post(list, wrong), 415, "unsupported_media_type")
    assertRefused(await post(Buffer.from(list.replace("tools", "\xff"), "latin1")), 400, "invalid_json")
    assert.strictEqual((await post(list, { "mcp-protocol-version": "1999-01-01" })).status, 400)
    const other = await rpc(url, token, "tools/list", {}, { headers: { "mcp-method": "tools/call" } })
    assert.deepStrictEqual([other.status, other.body.error.code], [400, -32_020])
    const none = await rpc(url, token, "ping")
    assert.deepStrictEqual([none.status, none.body.error.code], [404, -32_601])
    assertRefused(await post(" ".repeat(1_048_577)), 413, "payload_too_large")
  })

  it("counts 300 requests of a token in a minute, apart from those to the API", async () => {
    const { member } = house.place.bearers
    const note = () => ask(url, "/mcp", { method: "POST", token: member, headers: json, body: "{" })
    assert.deepInclude((await note()).headers, { "x-ratelimit-limit": "300", "x-ratelimit-remaining": "299" })
    assert.strictEqual((await ask(url, "/v1/teams", { token: member })).headers["x-ratelimit-remaining"], "119")
    assert.strictEqual((await rpc(url, member, "ping")).headers["x-ratelimit-remaining"], "298")
    if (!isLong) return
    for (let round = 0; round < 6; round++) await Promise.all(Array.from({ length: 50 }, note))
    const refused = await note()
    assertRefused(refused, 429, "rate_limited")
    assert.isAtLeast(Number(refused.headers["retry-after"]), 1)
    assert.strictEqual((await rpc(url, token, "tools/list")).status, 200)
  })

  it("does not overwrite a story that somebody changed since the agent read it", async () => {
    const read = async () => (await call(url, token, "get_story", { story: "PAY-3" })).value.updatedAt as string
    const updatedAt = await read()
    await call(url, token, "edit_story", { story: "PAY-3", title: "One", updatedAt })
    const late = await call(url, token, "edit_story", { story: "PAY-3", title: "Two", updatedAt })
    assert.include(late.text, "has changed since you read it")
    assert.include((await call(url, token, "get_story", { story: "PAY-3" })).text, '"One"')
    await call(url, token, "edit_story", { story: "PAY-3", title: "Two", updatedAt: await read() })
    const wrong = await call(url, token, "edit_story", { story: "PAY-3", title: "Three", updatedAt: "yesterday" })
    assert.include(wrong.text, "updatedAt must be")
    assert.include((await call(url, token, "get_story", { story: "PAY-3" })).text, '"Two"')
  })

  it("cuts results that are too long for a model", async () => {
    await call(url, token, "edit_story", { story: "PAY-1", description: "long ".repeat(30_000) })
    const { text, value } = await call(url, token, "get_story", { story: "PAY-1" })
    assert.isAtMost(text.length, 60_000)
    assert.match(value.description, /… \(\d+ characters cut\)$/)
  })

  it("names the argument that is refused, and a tool, a resource and a prompt that are missing", async () => {
    for (const [name, given, part] of [
      ["get_story", {}, "story must be"],
      ["get_story", { story: 7 }, "got 7"],
      ["get_story", { story: "PAY-99" }, "list_stories lists"],
      ["get_decision", { decision: "dec-aaaa", waitSeconds: 46 }, "waitSeconds must "],
      ["list_runs", { limit: 101 }, "limit must "],
      ["list_runs", { cursor: "forged" }, "invalid_cursor"],
      ["move_story", { story: "PAY-3", column: "nowhere" }, "column must "],
      ["revoke_token", { prefix: "\0" }, "prefix must "],
      ["request_human_input", { question: "Why?" }, "or run must be given"],
      ["request_human_input", { question: " \n", story: "PAY-3" }, "must not be empty"]
    ] as const) {
      const { isError, text } = await call(url, token, name, given)
      assert.isTrue(isError)
      assert.include(text, part)
    }
    assert.include((await rpc(url, token, "tools/call", { name: "nope" })).message.error.message, "no tool 'nope'")
    assert.include((await rpc(url, token, "prompts/get", { name: "nope" })).message.error.message, "work_on_story")
    const read = await rpc(url, token, "resources/read", { uri: "gatehouse://teams/payments" })
    assert.include(read.message.error.message, "gatehouse://stories/{key}")
  })

  it("has resources and a prompt with the story in it", async () => {
    const templates = await rpc(url, token, "resources/templates/list")
    assert.lengthOf(templates.message.result.resourceTemplates, 3)
    for (const [uri, part] of [
      ["gatehouse://stories/PAY-2", "Show it"],
      ["gatehouse://decisions/dec-aaaa", "Plan?"],
      ["gatehouse://runs/run-aaaa/evidence", '"evidence":']
    ]) {
      const { message } = await rpc(url, token, "resources/read", { uri })
      assert.include(message.result.contents[0].text, part)
    }
    const given = { name: "work_on_story", arguments: { story: "PAY-2" } }
    const { message } = await rpc(url, token, "prompts/get", given)
    assert.include(message.result.messages[0].content.text, "It works")
  })
})
