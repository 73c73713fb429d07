// @effect-diagnostics processEnv:off
import { NodeContext } from "@effect/platform-node"
import { Client } from "@modelcontextprotocol/client"
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio"
import { ConfigProvider, Layer, Logger, ManagedRuntime } from "effect"
import { join } from "node:path"
import { afterAll, assert, beforeAll, describe, inject, it, vi } from "vitest"
import * as Tools from "../../adapters/alerting/Tools.ts"
import * as SecretKeyFile from "../../adapters/secrets/SecretKeyFile.ts"
import * as Sealing from "../../application/secrets/Sealing.ts"
import * as PgClient from "../../adapters/postgres/connection/PgClient.ts"
import * as Postgres from "../../adapters/postgres/Postgres.ts"
import type { WorkspaceSlug } from "../../domain/workspace/Workspace.ts"
import { long } from "../support/Long.ts"
import * as Prepared from "../support/Prepared.ts"
import { workshop } from "../support/Process.ts"
import * as Seed from "../support/Seed.ts"
import type { World } from "../support/World.ts"
import { call, revisions, rpc } from "./mcp/House.ts"
import { listen } from "./mcp/Listening.ts"
import { refusedSuite } from "./refusedSuite.ts"
import { signalsSuite } from "./signalsSuite.ts"
import { resolveSuite } from "./resolveSuite.ts"
import { smokeSuite } from "./smoke.ts"
import { httpSuite } from "./suite.ts"

const deno = join(import.meta.dirname, "../../node_modules/.bin/deno")

/** The service in a Deno process; the tests reach its stores by joining its Postgres. */
const start = async (): Promise<World> => {
  const shop = workshop()
  vi.stubEnv("TMPDIR", shop.base)
  const dataDir = Prepared.fill(shop.folder())
  const settings = { DATA_DIR: dataDir, DENO_DIR: "dist/deno", DEMO: "off", PORT: "0" }
  try {
    const program = shop.launch(deno, ["task", "--quiet", "start"], settings)
    const [, url = ""] = await program.says(/^Gatehouse is at http:\/\/localhost(:\d+)/m)
    const config = Layer.setConfigProvider(ConfigProvider.fromMap(new Map([["DATA_DIR", dataDir]])))
    const stores = Layer.mergeAll(
      Postgres.layer.pipe(Layer.provide(PgClient.layer)),
      Tools.layer,
      Sealing.layer.pipe(Layer.provide(SecretKeyFile.layer), Layer.provide(NodeContext.layer))
    ).pipe(Layer.provide([config, Logger.remove(Logger.defaultLogger)]))
    const runtime = ManagedRuntime.make(stores)
    return {
      url: `http://127.0.0.1${url}`,
      run: (effect) => runtime.runPromise(effect),
      close: async () => {
        await runtime.dispose()
        program.signal("SIGTERM")
        try {
          await shop.gone(program)
          await shop.nothingLeft(dataDir)
          // Refused deliveries are warnings.
          const said = program
            .err()
            .split("\n")
            .filter((line) => !line.includes("level=WARN"))
          assert.strictEqual(said.join(""), "")
        } finally {
          await shop.close()
          vi.unstubAllEnvs()
        }
      }
    }
  } catch (error) {
    await shop.close()
    throw error
  }
}

/** One process for all suites; each of them would close it. */
let running: Promise<World> | undefined
const open = async () => ({ ...(await (running ??= start())), close: () => Promise.resolve() })
afterAll(async () => (await running)?.close())

if (inject("full")) {
  httpSuite("deno", open)
  resolveSuite("deno", open)
  signalsSuite("deno", open)
  refusedSuite("deno", open)
} else smokeSuite("deno", open)

describe("coding agents (deno)", () => {
  let world: World
  let slug: WorkspaceSlug
  beforeAll(async () => {
    world = await open()
    slug = (await world.run(Seed.workspace)).slug
    await world.run(Seed.load(slug, Seed.small))
  })

  it("call tools, and their streams end with the token", async () => {
    const { prefix, value } = await world.run(Seed.token(slug))
    const stream = await listen(world.url, value)
    assert.include(stream.first, "acknowledged")
    for (const revision of revisions)
      assert.strictEqual((await call(world.url, value, "get_story", { story: "PAY-1" }, revision)).value.key, "PAY-1")
    assert.isFalse((await call(world.url, value, "revoke_token", { prefix })).isError)
    await stream.ended
    assert.strictEqual((await rpc(world.url, value, "tools/list")).status, 401)
  })

  long(() => {
    it("come through the proxy, which runs on Deno too", async () => {
      const { value } = await world.run(Seed.token(slug))
      const { HOME = "", PATH = "" } = process.env
      const client = new Client({ name: "test", version: "1" })
      await client.connect(
        new StdioClientTransport({
          command: deno,
          args: ["run", "-A", "main.ts", "mcp"],
          cwd: join(import.meta.dirname, "../.."),
          env: { HOME, PATH, DENO_DIR: "dist/deno", SERVICE_URL: world.url, SERVICE_API_KEY: value }
        })
      )
      const { structuredContent } = await client.callTool({ name: "get_run", arguments: { run: "run-aaaa" } })
      assert.deepInclude(structuredContent, { key: "run-aaaa" })
      await client.close()
    })
  })
})
