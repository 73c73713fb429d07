import * as Current from "@modelcontextprotocol/client"
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio"
import * as Former from "@modelcontextprotocol/sdk/client/index.js"
import * as FormerStdio from "@modelcontextprotocol/sdk/client/stdio.js"
import * as FormerHttp from "@modelcontextprotocol/sdk/client/streamableHttp.js"
import { execFile } from "node:child_process"
import { join } from "node:path"
import { promisify } from "node:util"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { clients, snippets } from "../../../adapters/cli/mcp/Snippets.ts"
import { isLong } from "../../support/Long.ts"
import { calls } from "./Calls.ts"
import { type House, open } from "./House.ts"

const main = join(import.meta.dirname, "../../../dist/main.js")

interface Called {
  readonly isError?: boolean
  readonly content: ReadonlyArray<{ readonly text?: string }>
  readonly structuredContent?: unknown
}

/** The parts of both libraries' clients that the tests use. */
interface Client {
  readonly listTools: () => Promise<{ readonly tools: ReadonlyArray<{ readonly name: string }> }>
  readonly callTool: (call: { readonly name: string; readonly arguments: Record<string, unknown> }) => Promise<Called>
  readonly readResource: (of: { readonly uri: string }) => Promise<unknown>
  readonly getPrompt: (of: { readonly name: string; readonly arguments: Record<string, string> }) => Promise<unknown>
  readonly close: () => Promise<void>
}

const identity = { name: "test", version: "1" }

const child = (url: string, token: string) => ({
  command: process.execPath,
  args: [main, "mcp"],
  env: { SERVICE_URL: url, SERVICE_API_KEY: token, LOG_LEVEL: "error" }
})

const withToken = (token: string) => ({ requestInit: { headers: { authorization: `Bearer ${token}` } } })

/** Ways to connect, by the library and the transport. */
const ways: Readonly<Record<string, (url: string, token: string) => Promise<Client>>> = {
  "the current library over HTTP, at 2026-07-28": async (url, token) => {
    const client = new Current.Client(identity, { versionNegotiation: { mode: { pin: "2026-07-28" } } })
    await client.connect(new Current.StreamableHTTPClientTransport(new URL("/mcp", url), withToken(token)))
    return client as unknown as Client
  },
  "the current library over HTTP, at 2025-11-25": async (url, token) => {
    const client = new Current.Client(identity)
    await client.connect(new Current.StreamableHTTPClientTransport(new URL("/mcp", url), withToken(token)))
    return client as unknown as Client
  },
  "the current library over stdio, at 2026-07-28": async (url, token) => {
    const client = new Current.Client(identity, { versionNegotiation: { mode: { pin: "2026-07-28" } } })
    await client.connect(new StdioClientTransport(child(url, token)))
    return client as unknown as Client
  },
  "the former library over HTTP": async (url, token) => {
    const client = new Former.Client(identity)
    const transport = new FormerHttp.StreamableHTTPClientTransport(new URL("/mcp", url), withToken(token))
    await client.connect(transport as Parameters<typeof client.connect>[0])
    return client as unknown as Client
  },
  "the former library over stdio": async (url, token) => {
    const client = new Former.Client(identity)
    await client.connect(new FormerStdio.StdioClientTransport(child(url, token)))
    return client as unknown as Client
  }
}

/** `npm test` takes the newest and the oldest. */
const tried = Object.entries(ways).filter(([name]) => isLong || /current.*HTTP.*28$|former.*stdio/.test(name))

describe.each(tried)("%s", (_, connect) => {
  let house: House
  let client: Client
  beforeAll(async () => {
    house = await open()
    client = await connect(house.world.url, house.place.bearers.owner)
  })
  afterAll(async () => {
    await client?.close()
    await house?.world.close()
  })

  it("lists and calls every tool, and reads resources and the prompt", async () => {
    const { tools } = await client.listTools()
    assert.deepStrictEqual(tools.map(({ name }) => name).toSorted(), Object.keys(calls).toSorted())
    for (const [name, { given, shows }] of Object.entries(calls)) {
      await house.restore()
      const result = await client.callTool({ name, arguments: given(house.place, "owner") })
      const text = result.content[0]?.text ?? ""
      assert.notStrictEqual(result.isError, true, text)
      assert.include(text, shows)
      assert.deepStrictEqual(JSON.parse(text), result.structuredContent)
    }
    await house.restore()
    assert.include(JSON.stringify(await client.readResource({ uri: "gatehouse://stories/PAY-2" })), "Show it")
    const prompt = await client.getPrompt({ name: "work_on_story", arguments: { story: "PAY-2" } })
    assert.include(JSON.stringify(prompt), "request_human_input")
  })

  it("is refused with an unknown and a revoked token", async () => {
    await house.restore()
    const revoked = house.place.bearers.admin
    const prefix = revoked.slice(0, 11)
    const admin = await connect(house.world.url, revoked)
    assert.notStrictEqual((await admin.callTool({ name: "revoke_token", arguments: { prefix } })).isError, true)
    const refused = async (work: Promise<unknown>) => {
      const error = await work.then(
        () => null,
        (reason: unknown) => reason
      )
      assert.instanceOf(error, Error)
    }
    await refused(admin.callTool({ name: "list_teams", arguments: {} }))
    await admin.close()
    for (const token of [`tk_${"x".repeat(32)}`, revoked]) await refused(connect(house.world.url, token))
  })
})

const run = promisify(execFile)

describe("gatehouse mcp", () => {
  it.each(isLong ? clients : ["codex"])("prints what to paste for %s, without the token", async (name) => {
    const env = { SERVICE_URL: "https://gatehouse.acme.test/", SERVICE_API_KEY: `tk_${"s".repeat(32)}` }
    const { stderr, stdout } = await run(process.execPath, [main, "mcp", "--print", name], { env })
    assert.include(stdout, "https://gatehouse.acme.test/mcp")
    assert.include(stderr, snippets[name]?.file ?? "no file")
    assert.notInclude(stdout, env.SERVICE_API_KEY)
    if (name !== "codex") assert.isObject(JSON.parse(stdout))
  })

  it("names the setting that is missing and the client that is unknown", async () => {
    const refused = async (words: ReadonlyArray<string>, env: Record<string, string>) => {
      const ended = await run(process.execPath, [main, "mcp", ...words], { env }).then(
        () => ({ code: 0, stderr: "" }),
        (error: { readonly code: number; readonly stderr: string }) => error
      )
      assert.strictEqual(ended.code, 1)
      return ended.stderr
    }
    assert.include(await refused([], {}), "SERVICE_URL is missing")
    assert.include(await refused([], { SERVICE_URL: "http://localhost:3000" }), "SERVICE_API_KEY is missing")
    assert.include(await refused(["--print", "emacs"], {}), "claude-code, codex")
  })
})
