import { NodeContext } from "@effect/platform-node"
import { ConfigProvider, Layer, Logger, ManagedRuntime } from "effect"
import { join } from "node:path"
import { afterAll, assert, inject, vi } from "vitest"
import * as Tools from "../../adapters/alerting/Tools.ts"
import * as SecretKeyFile from "../../adapters/secrets/SecretKeyFile.ts"
import * as Sealing from "../../application/secrets/Sealing.ts"
import * as PgClient from "../../adapters/postgres/connection/PgClient.ts"
import * as Postgres from "../../adapters/postgres/Postgres.ts"
import * as Prepared from "../support/Prepared.ts"
import { workshop } from "../support/Process.ts"
import type { World } from "../support/World.ts"
import { refusedSuite } from "./refusedSuite.ts"
import { signalsSuite } from "./signalsSuite.ts"
import { resolveSuite } from "./resolveSuite.ts"
import { smokeSuite } from "./smoke.ts"
import { httpSuite } from "./suite.ts"

vi.setConfig({ testTimeout: 60_000, hookTimeout: 90_000 })

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
