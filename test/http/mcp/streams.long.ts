import { Effect } from "effect"
import { readFileSync } from "node:fs"
import { afterAll, assert, beforeAll, describe, inject, it } from "vitest"
import * as Tokens from "../../../application/workspace/Tokens.ts"
import { bySystem } from "../../../domain/workspace/Actor.ts"
import type { WorkspaceSlug } from "../../../domain/workspace/Workspace.ts"
import * as Idle from "../../support/Idle.ts"
import { addressOf, eventually, type Program, workshop } from "../../support/Process.ts"
import * as Seed from "../../support/Seed.ts"
import * as TestPostgres from "../../support/TestPostgres.ts"
import { rpc } from "./House.ts"
import { type Listening, listen } from "./Listening.ts"

const [tokenCount, each] = inject("full") ? [5, 100] : [2, 100]

/** A stream that is opened again while the service is busy. */
const patiently = async (url: string, bearer: string): Promise<Listening> => {
  const stream = await listen(url, bearer)
  return stream.status === 503 ? patiently(url, bearer) : stream
}

const resident = (pid: number) => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1024

describe("many open streams of agents", () => {
  const shop = workshop()
  let service: Program
  let url: string
  let slug: WorkspaceSlug
  let tokens: ReadonlyArray<{ readonly prefix: string; readonly value: string }>
  let run: <A, E>(effect: Effect.Effect<A, E, Seed.Writers>) => Promise<A>
  beforeAll(async () => {
    const database = await Effect.runPromise(TestPostgres.addressed)
    run = (effect) => Effect.runPromise(Effect.provide(effect, database.layer))
    slug = (await run(Seed.workspace)).slug
    await run(Seed.load(slug, Seed.small))
    tokens = await run(Effect.replicateEffect(Seed.token(slug), tokenCount))
    const settings = { DATABASE_URL: database.url, SECRET_KEY: Buffer.alloc(32, 7).toString("base64") }
    service = shop.node({ ...settings, DEMO: "off", PORT: "0" })
    url = (await addressOf(service)).replace("localhost", "127.0.0.1")
  })
  afterAll(() => shop.close())

  const revoked = (prefix: string) => Tokens.revoke(bySystem, { workspace: slug, prefix })

  it("take little memory, and all of a token end with it", async ({ task }) => {
    // Code that runs for the first time takes memory of its own.
    const early = await run(Seed.token(slug))
    const streams = await Promise.all(Array.from({ length: each }, () => patiently(url, early.value)))
    await run(revoked(early.prefix))
    await Promise.all(streams.map(({ ended }) => ended))
    const before = resident(service.pid)
    const [one, ...rest] = tokens
    const tooMany = 30
    const first = await Promise.all(Array.from({ length: each + tooMany }, () => patiently(url, one?.value ?? "")))
    const over: Array<string> = []
    for (const { ended, first: said } of first) void ended.then(() => over.push(said))
    await eventually(
      () => `the end of ${tooMany} streams too many, not ${over.length}:\n${over.join("\n")}`,
      () => (over.length === tooMany ? true : undefined)
    )
    const others: Array<Listening> = []
    for (const { value } of rest)
      others.push(...(await Promise.all(Array.from({ length: each }, () => patiently(url, value)))))
    for (const { first: said, status } of others) assert.strictEqual(status, 200, said)
    const grown = resident(service.pid) - before

    let lost = 0
    for (const { ended } of others) void ended.then(() => lost++)
    const began = performance.now()
    await run(revoked(one?.prefix ?? ""))
    await Promise.all(first.map(({ ended }) => ended))
    const took = performance.now() - began
    assert.strictEqual(lost, 0)
    assert.strictEqual((await rpc(url, rest[0]?.value ?? "", "tools/list")).status, 200)
    // A stop does not wait for streams.
    service.signal("SIGTERM")
    assert.strictEqual((await service.ended()).code, 0)
    await Promise.all(others.map(({ ended }) => ended))
    task.meta.figures = `${tokenCount * each} streams take ${grown.toFixed(0)} MB; the ${each} of a token end ${took.toFixed(0)} ms after another process revoked it`
    Idle.isBelow(grown, 100)
    Idle.isBelow(took, 2000)
  })
})
