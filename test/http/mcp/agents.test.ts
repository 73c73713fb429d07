import { Effect } from "effect"
import { afterAll, assert, beforeAll, beforeEach, describe, it } from "vitest"
import * as Runners from "../../../application/runner/Runners.ts"
import * as Decisions from "../../../application/work/Decisions.ts"
import * as Tokens from "../../../application/workspace/Tokens.ts"
import type { DecisionKey } from "../../../domain/work/Decision.ts"
import type { Fact } from "../../../domain/work/RunReport.ts"
import { callerOf } from "../../application/forge.ts"
import { ask } from "../../support/World.ts"
import { call, entries, type House, json, open, rpc } from "./House.ts"

describe("agents over MCP", () => {
  let house: House
  let [url, token] = ["", ""]
  beforeAll(async () => {
    house = await open()
    url = house.world.url
    token = house.place.bearers.owner
  })
  beforeEach(() => house.restore())
  afterAll(() => house?.world.close())

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

  it("the token of a runner answers what its reports raised, but not what its agent asked", async () => {
    const { forge, people } = house.place
    const runner = callerOf(people.owner, forge)
    const answer = (decision: string, optionId: string) =>
      Decisions.answerForAgent(
        { ...runner, channel: "mcp" },
        { decision: decision as DecisionKey, optionId, note: "Yes", idempotency: null }
      )
    const { value } = await call(url, forge.credential, "request_human_input", { question: "Which?" })
    const own = await house.world.run(Effect.flip(answer(value.decision, "answer")))
    assert.strictEqual(own._tag, "OwnQuestion")
    await house.restore()
    const facts: ReadonlyArray<Fact> = [{ type: "question", question: "Which?" }]
    const sent = { lease: forge.lease, fence: forge.fence, seq: 1, facts, log: "", session: null }
    const reported = await house.world.run(Runners.report({ ...runner, channel: "api" }, sent))
    const [decision = ""] = reported.raised
    const raised = await call(url, token, "get_decision", { decision })
    const { json: resolved } = await house.world.run(answer(decision, raised.value.options[0].id))
    assert.include(resolved, '"status":"resolved"')
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
      ["request_human_input", { story: "PAY-1", question: "x" }, "story_not_found"],
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
    const again = await call(url, credential, "request_human_input", { run, question: "Which?" })
    assert.strictEqual(again.value.decision, asked.value.decision)
    const { decision } = asked.value
    await ask(url, `/v1/decisions/${decision}/resolve`, {
      method: "POST",
      token,
      headers: json,
      body: JSON.stringify({ optionId: "answer", note: "19 %" })
    })
    const read = await call(url, credential, "get_decision", { decision, waitSeconds: 5 })
    assert.deepInclude(read.value, { status: "resolved", resolution: { optionId: "answer", note: "19 %" } })
  })
})
