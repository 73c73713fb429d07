import { Effect } from "effect"
import pg from "pg"
import { inject } from "vitest"
import * as TriageWorker from "../../application/jobs/TriageWorker.ts"
import { start as startPeer } from "../../bench/peers/Peer.ts"
import type { Variant } from "../../bench/peers/Statements.ts"
import * as TestPostgres from "../support/TestPostgres.ts"
import { start } from "../support/World.ts"
import { measuredSuite } from "./measuredSuite.ts"
import type { Side } from "./Transcript.ts"

/** A fresh database with our stores on it, to prepare data and to read results. */
const place = async () => {
  const { layer, url } = await Effect.runPromise(TestPostgres.addressed)
  const world = await start(layer)
  const database = new pg.Client({ connectionString: url, options: "-c TimeZone=UTC" })
  await database.connect()
  return {
    world,
    url,
    database,
    rows: async (table: string, workspace: string) => {
      const order = table === "source_refusals" ? "source_id" : "seq DESC"
      const text = `SELECT (to_jsonb(x) - 'seq')::text AS json FROM ${table} x WHERE workspace_id = $1 ORDER BY ${order}`
      const found = await database.query<{ readonly json: string }>(text, [workspace])
      return found.rows.map(({ json }) => json)
    },
    close: async () => {
      await database.end()
      await world.close()
    }
  }
}

const ours = async (): Promise<Side> => {
  const { close, rows, world } = await place()
  return {
    url: world.url,
    run: world.run,
    rows,
    share: () => Promise.resolve(),
    settle: async () => void (await world.run(TriageWorker.drain())),
    close
  }
}

/** Beside a peer our own service gets no requests. */
const peer = (variant: Variant) => async (): Promise<Side> => {
  const { close, database, rows, url, world } = await place()
  const service = await startPeer({ variant, databaseUrl: url, port: 0 })
  return {
    url: service.url,
    run: world.run,
    rows,
    share: async (source, secret) =>
      void (await database.query("INSERT INTO peer_secrets VALUES ($1, $2)", [source, secret])),
    settle: async () => {
      const deadline = performance.now() + 60_000
      for (;;) {
        const { rowCount } = await database.query("SELECT FROM deliveries WHERE status = 'waiting' LIMIT 1")
        if (rowCount === 0) return
        if (performance.now() > deadline) throw new Error("a delivery still waits after 60 s")
        await new Promise((resolve) => setTimeout(resolve, 5))
      }
    },
    close: async () => {
      await service.close()
      await close()
    }
  }
}

const said = new Map<string, ReadonlyArray<unknown>>()
measuredSuite("ours", ours, said)
for (const variant of inject("full") ? (["ordinary", "named", "limit"] as const) : (["limit"] as const))
  measuredSuite(variant, peer(variant), said)
