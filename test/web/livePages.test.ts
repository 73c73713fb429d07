import { Statement } from "@effect/sql"
import { Duration, Effect, Layer } from "effect"
import pg from "pg"
import { afterAll, assert, beforeAll, describe, inject, it } from "vitest"
import * as Decisions from "../../application/work/Decisions.ts"
import { FeedPace } from "../../application/workspace/ChangeFeed.ts"
import type { DecisionKey } from "../../domain/work/Decision.ts"
import type { WorkspaceSlug } from "../../domain/workspace/Workspace.ts"
import * as People from "../support/People.ts"
import * as Seed from "../support/Seed.ts"
import * as TestPostgres from "../support/TestPostgres.ts"
import { ask, start, type World } from "../support/World.ts"
import { connect, hearing } from "./LivePages.ts"
import { session } from "../support/Sessions.ts"

const pages = inject("full") ? 500 : 20
const pagesOfSession = 10
const keys = ["dec-cccc", "dec-dddd", "dec-eeee"].map((key) => key as DecisionKey)

let reads = 0
const counting = Statement.setTransformer((statement) => {
  if (statement.compile()[0].includes("AS p(workspace, seq)")) reads++
  return Effect.succeed(statement)
})
const pace = Layer.succeed(FeedPace, { poll: Duration.seconds(5), watch: Duration.seconds(20), pageSize: 1000 })

describe("many live pages on one instance", () => {
  let world: World
  let slug: WorkspaceSlug
  let database: pg.Client
  beforeAll(async () => {
    const { layer, url } = await Effect.runPromise(TestPostgres.addressed)
    world = await start(layer, {}, Layer.merge(counting, pace))
    slug = (await world.run(Seed.workspace)).slug
    const [pending] = Seed.small.decisions
    const more = keys.map((key) => ({ ...pending, key, team: "web", run: null }))
    await world.run(Seed.load(slug, { ...Seed.small, decisions: [...Seed.small.decisions, ...more] }))
    database = new pg.Client({ connectionString: url })
    await database.connect()
  })
  afterAll(async () => {
    await database?.end()
    await world?.close()
  })

  const signIn = async () => `gatehouse=${await world.run(session(slug, "member"))}`

  const answer = (decision: DecisionKey) =>
    world.run(
      Effect.flatMap(People.person(slug), (person) =>
        Decisions.answer(person, { decision, optionId: "yes", note: null, idempotency: null })
      )
    )

  it("all hear every answer once and in order, by one listener and one read for all of them", async ({ task }) => {
    const cookies = await Promise.all(Array.from({ length: pages / pagesOfSession }, signIn))
    const open = Array.from({ length: pages }, (_, index) => {
      const page = hearing()
      const cookie = cookies[index % cookies.length] ?? ""
      return { ...page, ...connect(`${world.url}/live/${slug}`, cookie, page.tell) }
    })
    const all = (key: string) =>
      Promise.all(open.map(({ until }) => until((heard) => heard.some(({ data }) => data.split(" ").includes(key)))))
    await Promise.all(open.map(({ until }) => until((heard) => heard.length > 0)))
    // Once an answer has reached all, all of them follow.
    await answer("dec-aaaa" as DecisionKey)
    await all("dec-aaaa")
    reads = 0
    for (const key of keys) {
      await answer(key)
      await all(key)
    }
    const used = reads
    const listeners = await database.query(
      "SELECT FROM pg_stat_activity WHERE datname = current_database() AND query LIKE 'LISTEN%'"
    )
    for (const { close } of open) close()
    assert.strictEqual(listeners.rowCount, 1)
    assert.isAtLeast(used, 1)
    assert.isBelow(used, pages)
    for (const { heard } of open) {
      const changes = heard.filter(({ type }) => type === "change")
      const decisions = changes.flatMap(({ data }) => data.split(" ").filter((topic) => topic.startsWith("dec-")))
      assert.deepStrictEqual(decisions, ["dec-aaaa", ...keys])
      const ids = changes.filter(({ data }) => data.includes("decisions")).map(({ lastEventId }) => Number(lastEventId))
      assert.deepStrictEqual(
        ids,
        [...new Set(ids)].toSorted((a, b) => a - b)
      )
    }
    task.meta.figures = `${keys.length} answers reach ${pages} pages by 1 listener and ${used} reads of the log`
  })

  it("a session has room for 30, the next is refused, and other sessions are not", async () => {
    const [full, other] = [await signIn(), await signIn()]
    const open = Array.from({ length: 30 }, () => {
      const page = hearing()
      return { ...page, ...connect(`${world.url}/live/${slug}`, full, page.tell) }
    })
    await Promise.all(open.map(({ until }) => until((heard) => heard.length > 0)))
    const refused = await ask(world.url, `/live/${slug}`, { headers: { cookie: full } })
    assert.strictEqual(refused.status, 429)
    assert.include(refused.text, "Too many pages are open. Close some; the others go on.")
    const page = hearing()
    const { close } = connect(`${world.url}/live/${slug}`, other, page.tell)
    await page.until((heard) => heard.length > 0)
    assert.strictEqual(page.heard[0]?.type, "beat")
    close()
    for (const one of open) one.close()
  })
})
