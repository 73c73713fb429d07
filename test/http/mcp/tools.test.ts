import { afterAll, assert, beforeAll, beforeEach, describe, it } from "vitest"
import { tools } from "../../../adapters/http/mcp/ToolList.ts"
import { Role } from "../../../domain/workspace/Member.ts"
import { calls } from "./Calls.ts"
import { call, entries, type House, open, rpc } from "./House.ts"

describe("tools", () => {
  let house: House
  beforeAll(async () => void (house = await open()))
  beforeEach(() => house.restore())
  afterAll(() => house?.world.close())

  it("every tool is called in these tests", () => {
    assert.deepStrictEqual(Object.keys(calls).sort(), tools.map(({ name }) => name).sort())
  })

  const harmless = /^(get_|list_|request_human_input$|report_progress$)/

  it("only reads, questions and progress are harmless, and every tool states all its annotations", async () => {
    const { message } = await rpc(house.world.url, house.place.bearers.owner, "tools/list")
    for (const { annotations, description, inputSchema, name, title } of message.result.tools) {
      assert.strictEqual(annotations.destructiveHint, !harmless.test(name), name)
      assert.strictEqual(annotations.readOnlyHint, /^(get|list)_/.test(name), name)
      assert.deepStrictEqual([typeof annotations.idempotentHint, annotations.openWorldHint], ["boolean", false], name)
      assert.isAbove(description.length, 20)
      assert.isString(title)
      assert.strictEqual(inputSchema.type, "object")
      assert.notInclude(JSON.stringify(inputSchema), "additionalProperties")
      assert.notInclude(JSON.stringify(inputSchema), "$ref")
    }
  })

  it("a refusal of wrong arguments names each of them, and the first alone of very many", async () => {
    const { place, world } = house
    const wrong = {
      team: "payments",
      planApproval: "sometimes",
      decisionHours: 0,
      budgets: { runCents: -1, dayCents: "x" }
    }
    const { isError, text } = await call(world.url, place.bearers.owner, "change_policy", wrong)
    assert.isTrue(isError)
    for (const field of ["planApproval", "decisionHours", "budgets.runCents", "budgets.dayCents"])
      assert.include(text, `${field} must be `)
    assert.include(text, "got 'sometimes'")
    const deniedPaths = Array.from({ length: 20_000 }, () => 1)
    const many = await call(world.url, place.bearers.owner, "change_policy", { ...wrong, deniedPaths })
    assert.lengthOf(many.text.match(/; got /g) ?? [], 1)
  })

  it("a refusal quotes no more than the beginning of a long value", async () => {
    const { place, world } = house
    for (const story of ["x".repeat(900_000), "'".repeat(900_000)]) {
      const { isError, text } = await call(world.url, place.bearers.owner, "get_story", { story })
      assert.isTrue(isError)
      assert.isAtMost(text.length, 4100)
    }
  })

  describe.each(Role.literals)("a %s", (role) => {
    it("sees the tools of the role", async () => {
      const { message } = await rpc(house.world.url, house.place.bearers[role], "tools/list")
      const seen = message.result.tools.map(({ name }: { readonly name: string }) => name)
      const expected = Object.keys(calls).filter((name) => calls[name]?.allowed.includes(role))
      assert.deepStrictEqual(seen.toSorted(), expected.toSorted())
    })

    it.each(Object.entries(calls))("%s", async (name, { allowed, event, given, shows }) => {
      const { place, world } = house
      const token = place.bearers[role]
      const before = (await entries(world, place)).length
      const result = await call(world.url, token, name, { ...given(place, role), unknown: true })
      const [newest] = (await entries(world, place)).slice(0, -before || undefined).toReversed()
      if (!allowed.includes(role)) {
        assert.isTrue(result.isError)
        assert.match(result.text, /^admin_required: /)
        assert.deepInclude(newest, { event: "access_denied", result: "denied" })
        assert.strictEqual(newest?.details["channel"], "mcp")
        return
      }
      assert.isFalse(result.isError, result.text)
      assert.deepStrictEqual(JSON.parse(result.text), result.value)
      assert.include(result.text, shows)
      assert.strictEqual(newest?.event, event)
      if (newest === undefined) return
      assert.strictEqual(newest.details["channel"], "mcp")
      assert.strictEqual(newest.actor.userId, place.people[role].member.id)
    })
  })
})
