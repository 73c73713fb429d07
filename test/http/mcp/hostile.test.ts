import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { tools } from "../../../adapters/http/mcp/ToolList.ts"
import { isLong } from "../../support/Long.ts"
import { random } from "../../support/Random.ts"
import * as Seed from "../../support/Seed.ts"
import * as TestPostgres from "../../support/TestPostgres.ts"
import { ask, start, type World } from "../../support/World.ts"
import { calls } from "./Calls.ts"
import { arranged, type Place, revisions, rpc } from "./House.ts"

/** Values that no argument expects. */
const hostile: ReadonlyArray<unknown> = [
  null,
  true,
  -1,
  1e308,
  2 ** 53,
  "",
  "\0",
  "\uD800",
  "dec-aaaa\0",
  "'; DROP TABLE decisions; --",
  "x".repeat(100_000),
  "🙈".repeat(5000),
  "../../etc/passwd",
  "PAY-99999999999999999999",
  "ＰＡＹ－１",
  [],
  ["a", null, {}],
  {},
  { toString: "x", constructor: 1 },
  { a: { b: { c: { d: {} } } } }
]

const draw = (count: number) => Math.floor(random() * count)

const rounds = isLong ? 40 : 3

describe("hostile requests", () => {
  let world: World
  let place: Place
  let turn = 0
  const tokens: Array<string> = []
  beforeAll(async () => {
    world = await start(TestPostgres.layer)
    place = await world.run(arranged)
    for (let made = 0; made < (isLong ? 30 : 4); made++)
      tokens.push((await world.run(Seed.token(place.slug, ["read"]))).value)
  })
  afterAll(() => world?.close())

  /** Callers take turns, so that none reaches its limit. */
  const token = () => tokens[turn++ % tokens.length] ?? ""

  it.each(tools.map(({ name }) => name))("%s answers any arguments with a result", async (name) => {
    const good = calls[name]?.given(place, "member") ?? {}
    const names = [
      ...new Set([
        ...Object.keys(good),
        ...Object.keys(tools.find((one) => one.name === name)?.inputSchema.properties ?? {})
      ])
    ]
    for (let round = 0; round < rounds; round++) {
      const key = names[draw(names.length)] ?? "__proto__"
      const given = { ...good, [key]: hostile[draw(hostile.length)] }
      // A token that revokes others would end this test.
      if (name === "revoke_token" && key !== "prefix") continue
      const revision = revisions[draw(revisions.length)] ?? "2026-07-28"
      const { message, status, text } = await rpc(
        world.url,
        token(),
        "tools/call",
        { name, arguments: given },
        { revision }
      )
      assert.strictEqual(status, 200, text)
      assert.isString(message?.result?.content?.[0]?.text, text)
      assert.notInclude(text, "internal_error", JSON.stringify(given).slice(0, 300))
    }
  })

  it("answers any message and any headers below 500", async () => {
    const message = (more: object) => JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list", ...more })
    const bodies = [
      ...hostile.map((params) => message({ params })),
      ...hostile.map((id) => message({ id })),
      ...hostile.map((method) => message({ method })),
      ...hostile.map((arguments_) =>
        message({ method: "tools/call", params: { name: "get_story", arguments: arguments_ } })
      ),
      ...hostile.map((uri) => message({ method: "resources/read", params: { uri } })),
      ...hostile.map((story) =>
        message({ method: "prompts/get", params: { name: "work_on_story", arguments: { story } } })
      ),
      ...hostile.map((meta) => message({ params: { _meta: { "io.modelcontextprotocol/protocolVersion": meta } } })),
      ...hostile.map((one) => JSON.stringify([one, one]))
    ]
    const headers: ReadonlyArray<Record<string, string>> = [
      {},
      { "mcp-protocol-version": "2026-07-28", "mcp-method": "tools/list" },
      { "mcp-protocol-version": "x".repeat(1000) },
      { "mcp-method": "nope", "mcp-name": "nope", "mcp-session-id": "nope", "last-event-id": "1" },
      { accept: "text/html" },
      { accept: "" }
    ]
    const chosen = isLong ? bodies : bodies.filter((_, index) => index % 4 === draw(4))
    for (const body of chosen) {
      const { status, text } = await ask(world.url, "/mcp", {
        method: "POST",
        token: token(),
        headers: {
          "content-type": "application/json",
          accept: "application/json, text/event-stream",
          ...headers[draw(headers.length)]
        },
        body
      })
      assert.isBelow(status, 500, `${body.slice(0, 300)}: ${text}`)
      assert.notInclude(text, "internal_error", body.slice(0, 300))
    }
  })
})
