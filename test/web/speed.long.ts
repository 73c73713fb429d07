import { Effect } from "effect"
import { readFileSync } from "node:fs"
import { gzipSync } from "node:zlib"
import pg from "pg"
import { afterAll, assert, beforeAll, describe, inject, it } from "vitest"
import { fill, keyOf } from "../../bench/Dataset.ts"
import { median } from "../../bench/report/Figures.ts"
import * as Idle from "../support/Idle.ts"
import { ownPort } from "../support/Port.ts"
import { addressOf, type Program, workshop } from "../support/Process.ts"
import * as Seed from "../support/Seed.ts"
import * as TestPostgres from "../support/TestPostgres.ts"
import { ask } from "../support/World.ts"
import { connect, hearing, visit } from "./LivePages.ts"
import { type Browser, browser } from "./Visiting.ts"
import { session } from "../support/Sessions.ts"

const [decisions, pages] = inject("full") ? [100_000, 500] : [2000, 50]
const pagesOfSession = 25
const patience = 600_000

const resident = (pid: number) => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1024

/** The largest number of times within a tenth of a second. */
const crowd = (times: ReadonlyArray<number>) =>
  Math.max(...times.map((from) => times.filter((time) => time >= from && time < from + 100).length))

const since = (began: number, times: ReadonlyArray<number>) =>
  `half within ${(median(times) - began).toFixed(0)} ms, all within ${(Math.max(...times) - began).toFixed(0)} ms`

describe("the app with many decisions", () => {
  const shop = workshop()
  let settings: Readonly<Record<string, string>>
  let service: Program
  let url: string
  let base: string
  let cookies: ReadonlyArray<string>
  let owner: Browser

  const serve = async () => {
    service = shop.node(settings)
    url = (await addressOf(service)).replace("localhost", "127.0.0.1")
    owner = browser(url, cookies[0] ?? "")
  }
  const restart = async () => {
    service.signal("SIGTERM")
    await service.ended()
    await serve()
  }

  beforeAll(async () => {
    const database = await Effect.runPromise(TestPostgres.addressed)
    const run = <A, E>(effect: Effect.Effect<A, E, Effect.Effect.Context<ReturnType<typeof session>> | Seed.Writers>) =>
      Effect.runPromise(Effect.provide(effect, database.layer))
    const { id, slug } = await run(Seed.workspace)
    const client = new pg.Client({ connectionString: database.url })
    await client.connect()
    await fill(client, id, { entries: decisions, rows: decisions, tokens: 1 })
    // The attempts of three months, not of one day.
    await client.query("UPDATE attempts SET started_at = started_at - random() * interval '90 days'")
    await client.query("VACUUM ANALYZE")
    await client.end()
    const sessions = Array.from({ length: Math.ceil(pages / pagesOfSession) }, () => session(slug, "owner"))
    cookies = (await run(Effect.all(sessions))).map((token) => `gatehouse=${token}`)
    base = `/${slug}`
    settings = {
      DATABASE_URL: database.url,
      SECRET_KEY: Buffer.alloc(32, 7).toString("base64"),
      DEMO: "off",
      PORT: String(await ownPort())
    }
    await serve()
  }, patience)
  afterAll(() => shop.close(), patience)

  /** Loads a page so often that it is at full speed; then returns the median time in milliseconds. */
  const timed = async (path: string) => {
    const times: Array<number> = []
    for (let load = 0; load < 350; load++) {
      const began = performance.now()
      const { status } = await owner.get(path)
      assert.strictEqual(status, 200)
      times.push(performance.now() - began)
    }
    return median(times.slice(-50))
  }

  it(
    "the first page is small with all it loads, and quick",
    async ({ task }) => {
      const { text } = await owner.get(`${base}/decisions`)
      const files = [...new Set([...text.matchAll(/(?:href|src)="(\/assets\/[^"]+)"/g)].map(([, path]) => path ?? ""))]
      assert.strictEqual(text.split('class="row"').length, 26)
      const sizes = { plain: Buffer.byteLength(text), zipped: gzipSync(text).length, sent: Buffer.byteLength(text) }
      for (const path of files) {
        const lengthOf = async (headers = {}) => Number((await ask(url, path, { headers })).headers["content-length"])
        const [plain, zipped] = [await lengthOf(), await lengthOf({ "accept-encoding": "gzip" })]
        sizes.plain += plain
        sizes.zipped += zipped
        sizes.sent += zipped
      }
      assert.isBelow(sizes.sent, 100_000)
      const [list, one] = [await timed(`${base}/decisions`), await timed(`${base}/decisions/${keyOf("dec", 7)}`)]
      const kilobytes = (bytes: number) => `${(bytes / 1000).toFixed(1)} KB`
      task.meta.figures = `${decisions.toLocaleString("en")} decisions: the first page with ${files.length} files is ${kilobytes(sizes.sent)} as sent (page ${kilobytes(Buffer.byteLength(text))}; all plain ${kilobytes(sizes.plain)}, all compressed ${kilobytes(sizes.zipped)}); median of 50 loads ${list.toFixed(1)} ms, of one decision ${one.toFixed(1)} ms`
      Idle.isBelow(list, 30)
      Idle.isBelow(one, 30)
    },
    patience
  )

  it(
    "boards, stories and runs are quick",
    async ({ task }) => {
      const named = {
        board: "teams/team-1",
        column: "teams/team-1/columns/refining",
        story: "stories/T1-2",
        runs: "runs",
        "runs of a team": "runs?team=team-1",
        run: `runs/${keyOf("run", 1)}`
      }
      const figures: Array<string> = []
      const times: Array<number> = []
      for (const [name, path] of Object.entries(named)) {
        const time = await timed(`${base}/${path}`)
        figures.push(`${name} ${time.toFixed(1)} ms`)
        times.push(time)
      }
      task.meta.figures = `${decisions.toLocaleString("en")} stories and runs, median of 50 loads: ${figures.join(", ")}`
      Idle.isBelow(Math.max(...times), 50, figures.join(", "))
    },
    patience
  )

  it(
    "an answer reaches all live pages, and after a restart they come back spread out and miss nothing",
    async ({ task }) => {
      // A process that has loaded many pages already has memory to spare.
      await restart()
      const { text } = await owner.get(`${base}/decisions`)
      const after = /data-after="(\d+)"/.exec(text)?.[1] ?? ""
      const news = (/hx-get="([^"]*\/decisions\/news[^"]*)"/.exec(text)?.[1] ?? "").replaceAll("&amp;", "&")
      assert.notStrictEqual(news, "")
      const before = resident(service.pid)
      const opened: Array<number> = []
      const open = Array.from({ length: pages }, (_, index) => {
        const page = hearing()
        const cookie = cookies[index % cookies.length] ?? ""
        const own = browser(url, cookie)
        const fetched: Array<number> = []
        const times = new Map<string, number>()
        const part = (topics: string, path: string) => ({
          topics,
          fetch: () =>
            void own.get(path, { "hx-request": "true" }).then(
              ({ status }) => {
                fetched.push(status)
                times.set("fetched", performance.now())
                page.tell({ type: "fetched", lastEventId: "", data: String(status) })
              },
              () => {}
            )
        })
        const { leave } = visit({
          stream: `/live${base}`,
          after,
          open: (address, tell) => {
            opened.push(performance.now())
            const { close } = connect(`${url}${address}`, cookie, (heard) => {
              for (const topic of heard.data.split(" ")) times.set(topic, performance.now())
              tell(heard)
              page.tell(heard)
            })
            return close
          },
          later: (act, milliseconds) => void setTimeout(act, milliseconds),
          parts: [
            part("decisions incidents notifications", `${base}/navigation?section=decisions`),
            part("decisions", news)
          ]
        })
        return { ...page, fetched, leave, times }
      })
      const all = (isEnough: Parameters<(typeof open)[number]["until"]>[0]) =>
        Promise.all(open.map(({ until }) => until(isEnough)))
      const answer = async (n: number) => {
        const key = keyOf("dec", decisions - 1 - n)
        const began = performance.now()
        const { status } = await owner.post(`${base}/decisions/${key}`, { option: "yes" })
        assert.strictEqual(status, 303)
        await all((heard) => heard.some(({ data }) => data.split(" ").includes(key)))
        const heard = open.map(({ times }) => times.get(key) ?? Infinity)
        return { began, heard }
      }
      await all((heard) => heard.some(({ type }) => type === "beat"))
      const grown = resident(service.pid) - before
      const first = await answer(0)
      await all((heard) => heard.filter(({ type }) => type === "fetched").length >= 2)
      const shown = open.map(({ times }) => times.get("fetched") ?? Infinity)
      const most = resident(service.pid) - before
      for (const { fetched } of open) assert.deepStrictEqual(new Set(fetched), new Set([200]))

      opened.length = 0
      const beats = open.map(({ heard }) => heard.length)
      await restart()
      const back = performance.now()
      await Promise.all(
        open.map(({ until }, index) =>
          until((heard) =>
            heard
              .slice(beats[index])
              .some(({ type }, at, later) => type === "beat" && later.slice(0, at).some((one) => one.type === "error"))
          )
        )
      )
      const returned = performance.now() - back
      const attempts = crowd(opened)
      const second = await answer(1)
      for (const { leave } of open) leave()

      task.meta.figures = `${pages} live pages: ${grown.toFixed(0)} MB more, ${most.toFixed(0)} MB after an answer; it reaches ${since(first.began, first.heard)}, and all parts that show it are fetched ${since(first.began, shown)}; ${(returned / 1000).toFixed(1)} s after a restart all are back, at most ${attempts} tried within 100 ms`
      Idle.isBelow(grown, 150)
      for (const { began, heard } of [first, second]) Idle.isBelow(Math.max(...heard) - began, 1000)
      Idle.isBelow(attempts, pages / 2)
    },
    patience
  )
})
