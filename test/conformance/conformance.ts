// @effect-diagnostics processEnv:off
import { Effect } from "effect"
import * as Memory from "../../adapters/memory/Memory.ts"
import * as Seed from "../support/Seed.ts"
import { start } from "../support/World.ts"
import { front } from "./Front.ts"
import { fetched, judge } from "./Suite.ts"

/** Judges the MCP server by the protocol's own suite; the other arguments are revisions. */
const given = process.argv.slice(2)
const revisions = given.length > 0 ? given : ["2026-07-28", "2025-11-25"]

if (!fetched()) {
  process.stderr.write(
    "The conformance suite could not be fetched, so the MCP server was not judged. Connect this machine to the npm registry and run this again.\n"
  )
  process.exit(1)
}

const world = await start(Memory.layer)
const { slug } = await world.run(Seed.workspace)
await world.run(Seed.load(slug, Seed.small))
const tokens = await world.run(Effect.replicateEffect(Seed.token(slug, ["read", "write"]), 20))
const { close, url } = await front(
  world.url,
  tokens.map(({ value }) => value)
)
const codes: Array<number> = []
for (const revision of revisions) codes.push(await judge(`${url}/mcp`, revision))
close()
await world.close()
for (const [index, revision] of revisions.entries())
  process.stdout.write(`${revision}: ${codes[index] === 0 ? "as expected" : "not as expected"}\n`)
process.exitCode = codes.some((code) => code !== 0) ? 1 : 0
