import { request } from "node:http"
import { afterAll, assert, beforeAll, beforeEach, describe, it } from "vitest"
import * as Tokens from "../../../application/workspace/Tokens.ts"
import * as Members from "../../../application/workspace/Members.ts"
import * as People from "../../support/People.ts"
import { ask, type Answer } from "../../support/World.ts"
import { isLong } from "../../support/Long.ts"
import { call, entries, type House, open, revisions, rpc } from "./House.ts"

interface Listening {
  readonly status: number | undefined
  readonly first: string
  readonly next: Promise<string>
  readonly ended: Promise<void>
}

const json = { "content-type": "application/json", accept: "application/json, text/event-stream" }

const assertRefused = ({ body, headers, status, text }: Answer, expected: number, code: string) => {
  assert.deepStrictEqual([status, body?.error?.code], [expected, code], text)
  assert.deepStrictEqual(Object.keys(body.error), ["code", "message"])
  assert.strictEqual(headers["x-ratelimit-limit"], "300")
  assert.strictEqual(headers["cache-control"], "no-store")
}

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

  const post = (body: string, headers: Record<string, string> = {}) =>
    ask(url, "/mcp", { method: "POST", token, headers: { ...json, ...headers }, body })

  it.each(revisions)("serves clients of %s", async (revision) => {
    const { text, value } = await call(url, token, "get_story", { story: "pay-2" }, revision)
    assert.deepStrictEqual(JSON.parse(text), value)
    assert.deepInclude(value, { key: "PAY-2", demonstrate: ["Show it"], testPlan: null })
    assert.deepInclude(value.policy, { preset: "standard", deniedPaths: [".kanman/acceptance/**"] })
    const { message } = await rpc(url, token, "tools/list", {}, { revision })
    assert.isAbove(message.result.tools.length, 20)
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
      ["7", {}, 400, -32_600]
    ] as const) {
      const answer = await post(body, headers)
      assert.deepStrictEqual([answer.status, answer.body?.error?.code], [status, code], `${body}: ${answer.text}`)
    }
    assert.strictEqual((await post(list, { "content-type": "text/plain" })).status, 415)
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
    for (let round = 0; round < 6; round++) await Promise.all(Array.from({ length: 50 }, note))
    const refused = await note()
    assertRefused(refused, 429, "rate_limited")
    assert.isAtLeast(Number(refused.headers["retry-after"]), 1)
    assert.strictEqual((await ask(url, "/v1/teams", { token: member })).headers["x-ratelimit-remaining"], "119")
    assert.strictEqual((await rpc(url, token, "tools/list")).status, 200)
  })

  it("cuts results that are too long for a model", async () => {
    await call(url, token, "edit_story", { story: "PAY-1", description: "long ".repeat(30_000) })
    const { text, value } = await call(url, token, "get_story", { story: "PAY-1" })
    assert.isAtMost(text.length, 60_000)
    assert.match(value.description, /… \(\d+ characters cut\)$/)
  })

  it("names the argument that is refused, and a tool, a resource and a prompt that are missing", async () => {
    for (const [name, given, part] of [
      ["get_story", {}, "story is refused"],
      ["get_story", { story: 7 }, "got 7"],
      ["get_story", { story: "PAY-99" }, "list_stories lists"],
      ["get_decision", { decision: "dec-aaaa", waitSeconds: 46 }, "waitSeconds is refused"],
      ["list_runs", { limit: 101 }, "limit is refused"],
      ["list_runs", { cursor: "forged" }, "invalid_cursor"],
      ["move_story", { story: "PAY-3", column: "nowhere" }, "column is refused"],
      ["revoke_token", { prefix: "\0" }, "prefix is refused"],
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

  it("asks once: the same question is the same decision, and the asking token does not answer it", async () => {
    const given = { run: "run-dddd", question: "Which tax rate?" }
    const first = await call(url, token, "request_human_input", given)
    const { decision, link } = first.value
    assert.match(link, new RegExp(`^http.*/${house.place.slug}/decisions/${decision}$`))
    assert.strictEqual((await call(url, token, "request_human_input", given)).value.decision, decision)
    const answer = { decision, optionId: "answer", note: "19 percent" }
    const own = await call(url, token, "answer_decision", answer)
    assert.isTrue(own.isError)
    assert.match(own.text, /^own_question: /)
    assert.deepInclude((await entries(house.world, house.place))[0], { event: "access_denied", result: "denied" })
    const other = await call(url, house.place.bearers.admin, "answer_decision", answer)
    assert.deepInclude(other.value, { status: "resolved", resolvedVia: "mcp" })
    const read = await call(url, token, "get_decision", { decision, waitSeconds: 45 })
    assert.deepStrictEqual(read.value.resolution, { optionId: "answer", note: "19 percent" })
  })

  it("a call that waits for a decision returns with the answer", async () => {
    const { value } = await call(url, token, "request_human_input", { story: "PAY-3", question: "Why?" })
    const waiting = call(url, token, "get_decision", { decision: value.decision, waitSeconds: 45 })
    const path = `/v1/decisions/${value.decision}/resolve`
    const body = JSON.stringify({ optionId: "answer", note: "Because" })
    const { status } = await ask(url, path, { method: "POST", token, headers: json, body })
    assert.strictEqual(status, 200)
    assert.strictEqual((await waiting).value.resolution.note, "Because")
  })

  it("a new token has no further permission and no later expiry than the one that creates it", async () => {
    const given = { name: "mine", lifetime: "1y", permissions: ["read", "write"] }
    const { value } = await call(url, token, "create_token", given)
    const own = await house.world.run(Tokens.list({ workspace: house.place.slug, member: "owner@acme.test" }))
    const caller = own.find(({ prefix }) => prefix === token.slice(0, 11))
    assert.strictEqual(value.expiresAt, caller?.expiresAt.toJSON())
    assert.strictEqual((await rpc(url, value.token, "tools/list")).status, 200)
    const more = await call(url, token, "create_token", { ...given, permissions: ["admin"] })
    assert.isTrue(more.isError)
    assert.match(more.text, /^insufficient_permission: /)
  })

  it("the credential of a run has five tools, for its run alone", async () => {
    const { credential, run } = house.place.forge
    const { message } = await rpc(url, credential, "tools/list")
    assert.deepStrictEqual(message.result.tools.map(({ name }: { readonly name: string }) => name).toSorted(), [
      "get_decision",
      "get_run",
      "get_story",
      "report_progress",
      "request_human_input"
    ])
    const { value } = await call(url, credential, "get_run", { run })
    assert.strictEqual(
      (await call(url, credential, "get_story", { story: value.story.key })).value.key,
      value.story.key
    )
    assert.isTrue((await call(url, credential, "report_progress", { run, text: "half done" })).value.logged)
    for (const [name, given, code] of [
      ["get_story", { story: "PAY-1" }, "story_not_found"],
      ["get_run", { run: "run-aaaa" }, "run_not_found"],
      ["get_decision", { decision: "dec-aaaa" }, "decision_not_found"],
      ["report_progress", { run: "run-aaaa", text: "x" }, "run_not_found"],
      ["request_human_input", { run: "run-aaaa", question: "x" }, "run_not_found"],
      ["answer_decision", { decision: "dec-aaaa", optionId: "yes" }, "tool_not_offered"],
      ["list_teams", {}, "tool_not_offered"]
    ] as const) {
      const { isError, text } = await call(url, credential, name, given)
      assert.isTrue(isError, name)
      assert.isTrue(text.startsWith(`${code}: `), text)
    }
    const foreign = await rpc(url, credential, "resources/read", { uri: "gatehouse://stories/PAY-1" })
    assert.include(foreign.message.error.message, "story_not_found")
    const asked = await call(url, credential, "request_human_input", { run, question: "Which?" })
    assert.deepInclude(asked.value, { status: "pending" })
    assertRefused(await rpc(url, credential, "tools/list"), 401, "invalid_token")
  })

  /** An open stream: its first bytes, and its end. */
  const listen = (bearer: string) => {
    const meta = {
      "io.modelcontextprotocol/protocolVersion": "2026-07-28",
      "io.modelcontextprotocol/clientCapabilities": {}
    }
    const method = "subscriptions/listen"
    const body = JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method,
      params: { notifications: { toolsListChanged: true }, _meta: meta }
    })
    const { hostname, port } = new URL(url)
    const headers = {
      ...json,
      authorization: `Bearer ${bearer}`,
      "mcp-protocol-version": "2026-07-28",
      "mcp-method": method
    }
    return new Promise<Listening>((resolve, reject) => {
      const asking = request({ hostname, port, path: "/mcp", method: "POST", headers, agent: false }, (response) => {
        const ended = new Promise<void>((end) => response.on("close", () => end()))
        response.once("data", (chunk: Buffer) => {
          const next = new Promise<string>((seen) => response.once("data", (more: Buffer) => seen(String(more))))
          resolve({ status: response.statusCode, first: String(chunk), next, ended })
        })
      })
      asking.on("error", reject)
      asking.end(body)
    })
  }

  it("an open stream names a change of the role, and ends with its token", async () => {
    const { admin } = house.place.bearers
    const stream = await listen(admin)
    assert.strictEqual(stream.status, 200, stream.first)
    assert.include(stream.first, "acknowledged")
    const { people, slug } = house.place
    await house.world.run(
      Members.set(people.owner, { workspace: slug, email: People.emailOf("admin"), role: "member" })
    )
    assert.include(await stream.next, "notifications/tools/list_changed")
    assert.lengthOf((await rpc(url, admin, "tools/list")).message.result.tools, 22)
    assert.isFalse((await call(url, admin, "revoke_token", { prefix: admin.slice(0, 11) })).isError)
    await stream.ended
  })

  it.runIf(isLong)("a hundred streams of a token are enough", async () => {
    const { admin } = house.place.bearers
    const streams = await Promise.all(Array.from({ length: 100 }, () => listen(admin)))
    assert.isTrue(streams.every(({ status }) => status === 200))
    assert.strictEqual((await listen(admin)).status, 429)
    await call(url, admin, "revoke_token", { prefix: admin.slice(0, 11) })
    await Promise.all(streams.map(({ ended }) => ended))
  })
})
