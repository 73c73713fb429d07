// @effect-diagnostics processEnv:off
import { SqlClient } from "@effect/sql"
import { Array as Arrays, Effect, ManagedRuntime } from "effect"
import { afterAll, assert, beforeAll, describe, inject, it } from "vitest"
import * as TriageWorker from "../../application/jobs/TriageWorker.ts"
import { AuditLog } from "../../application/ports/AuditLog.ts"
import * as TestPostgres from "../support/TestPostgres.ts"
import { ask, start, type World } from "../support/World.ts"
import { errorLog } from "./ErrorLog.ts"
import { drawn, fuzz, spread } from "./Fuzzing.ts"
import * as Neighbour from "./Neighbour.ts"
import { flip, request, wireOf } from "./Requests.ts"
import * as McpWire from "./McpWire.ts"
import * as RunnerWire from "./RunnerWire.ts"
import { arrange, type Scene } from "./Scene.ts"
import { sweep } from "./Sweep.ts"
import { today, turns } from "../support/Share.ts"
import { isLong, long } from "../support/Long.ts"

const full = inject("full")
const [usual, size] = full
  ? [100_000, { tokens: 10, pending: 3000 }]
  : [isLong ? 700 : 190, { tokens: 10, pending: 100 }]
const count = Number(process.env["FUZZ_COUNT"] ?? usual)

/** The wire of runners or of agents alone, if FUZZ_WIRE names it. */
const wire = wireOf(process.env["FUZZ_WIRE"] ?? "")

/** `npm test` leaves room for drawn requests. */
const share = <A>(all: ReadonlyArray<A>) => (isLong ? today(all) : turns(all, 28))

/** Statuses that the drawn requests cause at any speed of the machine; few requests cause few of them. */
const everyRun = [200, 202, 400, 401, 403, 404, 409, 415]

/** The short form sends the same requests every time, unless FUZZ_SEED is set. */
const seed = Number(process.env["FUZZ_SEED"] ?? (full ? Math.floor(performance.timeOrigin) % 1_000_000_000 : 7))

describe("the service on Postgres, whatever is sent to it", () => {
  const { errors, layer: listening } = errorLog()
  const crashes: Array<string> = []
  const crashed = (error: Error) => void crashes.push(String(error.stack))

  let world: World
  let scene: Scene
  let database: ManagedRuntime.ManagedRuntime<SqlClient.SqlClient, unknown>
  let rows: unknown
  let teams: string

  const read = async (path: string) => (await ask(world.url, path, { token: scene.tokens.own })).text
  const rowsNextDoor = () => database.runPromise(Neighbour.rowsOf(scene.neighbour.id))
  const query = (text: string) =>
    database.runPromise(Effect.asVoid(Effect.flatMap(SqlClient.SqlClient, (sql) => sql.unsafe(text))))
  const forgetWindows = () => query("TRUNCATE token_windows")
  const keepLeases = () => query("UPDATE runs SET leased_until = now() + interval '1 day' WHERE lease IS NOT NULL")

  beforeAll(async () => {
    const { layer } = await Effect.runPromise(TestPostgres.addressed)
    world = await start(layer, { TRUST_PROXY: "on" }, listening)
    database = ManagedRuntime.make(layer)
    scene = await arrange(world, size)
    rows = await rowsNextDoor()
    teams = await read("/v1/teams")
    await keepLeases()
    process.on("uncaughtException", crashed)
  })
  afterAll(async () => {
    process.off("uncaughtException", crashed)
    await world.close()
    await database.dispose()
  })

  it("answers as it documents, tells nothing of others and never breaks", async ({ task }) => {
    const secrets = { marker: Neighbour.marker, secrets: scene.secrets }
    const began = performance.now()
    const [swept, random] = [
      share([...sweep(scene), ...RunnerWire.sweep(scene), ...McpWire.sweep(scene)]),
      drawn((wire ?? request)(scene), seed)
    ]
    const requestAt = (index: number) => swept[index] ?? random(index - swept.length)
    const plan = { url: world.url, requestAt, secrets, seed, count, between: forgetWindows }
    const { findings, sent, statuses } = await fuzz(plan)
    const seconds = ((performance.now() - began) / 1000).toFixed(1)
    task.meta.figures = `${sent.toLocaleString("en")} requests in ${seconds} s, seed ${seed}; ${spread(statuses)}`
    assert.deepStrictEqual(findings, [], findings.join("\n\n"))
    assert.strictEqual(sent, count)
    if (wire !== null) return
    for (const status of full ? [...everyRun, 304, 405, 413, 429] : everyRun)
      assert.isAbove(statuses.get(status) ?? 0, 0, `nobody was answered ${status}: ${spread(statuses)}`)
  }, 3_600_000)

  long(() => {
    it("believes no cursor with a bit flipped", async () => {
      const pages = full ? scene.pages : scene.pages.slice(0, 1)
      for (const { cursor, list } of pages) {
        const flips = Arrays.flatMap(Arrays.range(0, cursor.length - 1), (place) =>
          Arrays.map(Arrays.range(0, full ? 6 : 1), (bit) => flip(cursor, place, bit))
        )
        for (const some of Arrays.chunksOf(flips, 100)) {
          await forgetWindows()
          const address = (flipped: string) =>
            `${list}${list.includes("?") ? "&" : "?"}cursor=${encodeURIComponent(flipped)}`
          const texts = await Promise.all(some.map((flipped) => read(address(flipped))))
          for (const text of texts) assert.strictEqual(JSON.parse(text).error?.code, "invalid_cursor", text)
        }
      }
    }, 300_000)
  })

  it("has judged all alerts, and its neighbour has every row as it was", async () => {
    while ((await world.run(TriageWorker.drain())) > 0);
    await forgetWindows()
    assert.strictEqual(await read("/v1/teams"), teams)
    assert.deepStrictEqual(await rowsNextDoor(), rows)
    for (const workspace of [scene.workspace, scene.neighbour.id]) {
      assert.isNull((await world.run(Effect.flatMap(AuditLog, (log) => log.verify(workspace)))).firstBad)
    }
    assert.deepStrictEqual(errors, [])
    assert.deepStrictEqual(crashes, [])
  }, 600_000)
})
