import * as Current from "@modelcontextprotocol/client"
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio"
import * as Former from "@modelcontextprotocol/sdk/client/index.js"
import * as FormerStdio from "@modelcontextprotocol/sdk/client/stdio.js"
import * as FormerHttp from "@modelcontextprotocol/sdk/client/streamableHttp.js"
import { execFile, spawn } from "node:child_process"
import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { promisify } from "node:util"
import { afterAll, assert, beforeAll, beforeEach, describe, it } from "vitest"
import { type McpClientId, mcpClients } from "../../../adapters/api/McpClients.ts"
import { isLong, long } from "../../support/Long.ts"
import * as Seed from "../../support/Seed.ts"
import { calls } from "./Calls.ts"
import { entries, type House, open } from "./House.ts"

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

/** A token; null is none at all. */
type Token = string | null

const child = (url: string, token: Token) => ({
  command: process.execPath,
  args: [main, "mcp"],
  env: { SERVICE_URL: url, LOG_LEVEL: "error", ...(token !== null && { SERVICE_API_KEY: token }) },
  stderr: "ignore" as const
})

const withToken = (token: Token) =>
  token === null ? {} : { requestInit: { headers: { authorization: `Bearer ${token}` } } }

/** Ways to connect, by the library and the transport. */
const ways: Readonly<Record<string, (url: string, token: Token) => Promise<Client>>> = {
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
  "the current library over stdio, at 2025-11-25": async (url, token) => {
    const client = new Current.Client(identity)
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
const tried = Object.entries(ways).filter(([name]) => isLong || /current.*HTTP.*28$/.test(name))

describe("clients", () => {
  let house: House
  let foreign: string
  beforeAll(async () => {
    house = await open()
    const { slug } = await house.world.run(Seed.workspace)
    await house.world.run(Seed.load(slug, Seed.small))
    foreign = (await house.world.run(Seed.token(slug, ["admin"]))).value
    await house.save()
  })
  beforeEach(() => house.restore())
  afterAll(() => house?.world.close())

  describe.each(tried)("%s", (_, connect) => {
    it("lists and calls every tool, and reads resources and the prompt", async () => {
      const client = await connect(house.world.url, house.place.bearers.owner)
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
      const odd = await client.callTool({ name: "get_story", arguments: { story: "é\u2028\u2029" } })
      assert.include(odd.content[0]?.text, "story_not_found: ")
      assert.include(JSON.stringify(await client.readResource({ uri: "gatehouse://stories/PAY-2" })), "Show it")
      const prompt = await client.getPrompt({ name: "work_on_story", arguments: { story: "PAY-2" } })
      assert.include(JSON.stringify(prompt), "request_human_input")
      await client.close()
    })

    it("is refused with a token that is missing, unknown or revoked, also during a connection", async () => {
      const refused = async (work: Promise<unknown>) => {
        const error = await work.then(
          () => null,
          (reason: unknown) => reason
        )
        assert.instanceOf(error, Error)
      }
      const revoked = house.place.bearers.admin
      const admin = await connect(house.world.url, revoked)
      const given = { prefix: revoked.slice(0, 11) }
      assert.notStrictEqual((await admin.callTool({ name: "revoke_token", arguments: given })).isError, true)
      await refused(admin.callTool({ name: "list_teams", arguments: {} }))
      await admin.close()
      for (const token of isLong ? [null, `tk_${"x".repeat(32)}`, revoked] : [null])
        await refused(connect(house.world.url, token))
    })

    it("sees and changes nothing of another workspace", async () => {
      const client = await connect(house.world.url, foreign)
      const { id } = house.place
      const before = (await entries(house.world, house.place)).length
      for (const name of isLong ? Object.keys(calls) : ["get_story", "answer_decision", "stop_run"]) {
        const given = calls[name]?.given(house.place, "owner") ?? {}
        const { content } = await client.callTool({ name, arguments: given })
        const text = JSON.stringify(content)
        assert.notInclude(text, "A draft", name)
        assert.notInclude(text, id, name)
      }
      assert.strictEqual((await entries(house.world, house.place)).length, before)
      await client.close()
    })
  })
})

const run = promisify(execFile)

describe("gatehouse mcp", () => {
  const ids = Object.keys(mcpClients) as ReadonlyArray<McpClientId>

  it.each(isLong ? ids : (["vscode"] as const))("prints what to paste for %s, without the token", async (name) => {
    const env = { SERVICE_URL: "https://gatehouse.acme.test/", SERVICE_API_KEY: `tk_${"s".repeat(32)}` }
    const { stderr, stdout } = await run(process.execPath, [main, "mcp", "--print", name], { env })
    assert.strictEqual(stdout.trim(), mcpClients[name].text("https://gatehouse.acme.test/mcp"))
    assert.include(stderr, mcpClients[name].file)
    assert.include(stderr, `${mcpClients[name].name} takes the API token from ${mcpClients[name].token}.`)
    assert.strictEqual(stderr.includes("SERVICE_API_KEY"), name !== "vscode")
    assert.notInclude(stdout, env.SERVICE_API_KEY)
    if (name !== "codex") assert.isObject(JSON.parse(stdout))
  })

  it("the page of the docs has what it prints", async () => {
    const page = await readFile(join(import.meta.dirname, "../../../docs/mcp.md"), "utf8")
    const blocks = [...page.matchAll(/^```(?:json|toml)\n([^]*?)\n```$/gm)].map(([, text = ""]) => text)
    const plain = (text: string) => text.replaceAll(/\s+/g, "")
    for (const { text } of Object.values(mcpClients))
      assert.include(blocks.map(plain), plain(text("https://gatehouse.example.com/mcp")))
  })

  long(() =>
    it("ends quietly when its client no longer reads", async () => {
      const env = { SERVICE_URL: "http://127.0.0.1:1", SERVICE_API_KEY: `tk_${"x".repeat(32)}` }
      const proxy = spawn(process.execPath, [main, "mcp"], { env, stdio: "pipe" })
      proxy.stdout.destroy()
      proxy.stdin.on("error", () => {}).write('{"jsonrpc":"2.0","id":1,"method":"tools/list"}\n')
      let said = ""
      proxy.stderr.on("data", (chunk: Buffer) => (said += String(chunk)))
      const code = await new Promise((done) => proxy.on("close", done))
      assert.deepStrictEqual([code, said], [0, ""])
    })
  )

  long(() => {
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
      assert.include(await refused(["--print", "emacs"], {}), "claude-code, codex")
      if (!isLong) return
      assert.include(await refused([], { SERVICE_URL: "http://localhost:3000" }), "SERVICE_API_KEY is missing")
      assert.include(await refused(["--nope"], {}), "'--nope' is no option")
    })
  })
})
