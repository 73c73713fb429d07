import { SqlClient } from "@effect/sql"
import { Effect, Redacted } from "effect"
import { readFileSync } from "node:fs"
import { afterAll, assert, beforeAll, inject, it } from "vitest"
import * as Places from "../../application/oncall/Places.ts"
import * as Services from "../../application/oncall/Services.ts"
import { team } from "../following/Desk.ts"
import { receivers } from "../following/Receivers.ts"
import { type Station, station } from "../support/Station.ts"
import * as Idle from "../support/Idle.ts"
import { signed, source } from "../support/Source.ts"
import { ask } from "../support/World.ts"
import * as Queue from "./Queue.ts"

const [alerts, jobs, seconds] = inject("full") ? [100, 2000, 60] : [5, 40, 1]
const patience = 600_000

let at: Station
beforeAll(async () => {
  at = await station()
}, patience)
afterAll(() => at.close(), patience)

const share = (times: ReadonlyArray<number>, part: number) =>
  times.toSorted((a, b) => a - b)[Math.min(times.length - 1, Math.floor(times.length * part))] ?? 0

const spread = (times: ReadonlyArray<number>) =>
  `half within ${share(times, 0.5).toFixed(0)} ms, 99 of 100 within ${share(times, 0.99).toFixed(0)} ms`

/** CPU time of a process in seconds. */
const cpuOf = (pid: number) => {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? []
  return (Number(fields[11]) + Number(fields[12])) / 100
}

it(
  "an accepted alert is mailed and posted at once, and a service without work uses hardly any CPU",
  async ({ task }) => {
    const { owner, path, secret } = await at.run(source())
    const outside = await receivers()
    await at.run(Places.add(owner, { team, name: "ops", address: Redacted.make(`${outside.chatUrl}/ops`) }))
    await at.run(Services.set(owner, "checkout", { notify: ["owner@acme.test"] }))
    const { service, url } = await at.serve(outside.settings)
    const [mails, posts]: [Array<number>, Array<number>] = [[], []]
    const fire = async (environment: string) => {
      const body = JSON.stringify({ title: "Down", severity: "critical", fingerprint: environment, environment })
      assert.strictEqual((await ask(url, path, { method: "POST", body, headers: signed(secret, body) })).status, 202)
    }
    for (let alert = 0; alert < alerts; alert++) {
      const [mailed, posted] = [outside.mail.mails.length, outside.chat.asked.length]
      await fire(`env-${alert}`)
      const accepted = performance.now()
      let [mailAfter, postAfter] = [0, 0]
      for (const until = accepted + 60_000; mailAfter === 0 || postAfter === 0;) {
        const now = performance.now()
        if (mailAfter === 0 && outside.mail.mails.length > mailed) mailAfter = now - accepted
        if (postAfter === 0 && outside.chat.asked.length > posted) postAfter = now - accepted
        assert.isBelow(now, until, `alert ${alert} is neither mailed nor posted: ${service.err()}`)
        await new Promise((resolve) => setTimeout(resolve, 1))
      }
      mails.push(mailAfter)
      posts.push(postAfter)
    }
    const before = cpuOf(service.pid)
    await new Promise((resolve) => setTimeout(resolve, seconds * 1000))
    const idle = ((cpuOf(service.pid) - before) / seconds) * 100
    service.signal("SIGTERM")
    await outside.leave()
    for (const times of [mails, posts]) {
      Idle.isBelow(share(times, 0.5), 300)
      Idle.isBelow(share(times, 0.99), 1000)
    }
    task.meta.figures = `${alerts} alerts: mailed ${spread(mails)}; posted ${spread(posts)}; without work ${idle.toFixed(2)} % of a core over ${seconds} s`
  },
  patience
)

const start = (delay: string) => at.worker("jobs", { ...at.settings, DELAY: delay })

it(
  "jobs are done the faster the more processes there are",
  async ({ task }) => {
    const figures: Array<string> = []
    await at.run(
      Effect.flatMap(SqlClient.SqlClient, (sql) =>
        sql.unsafe("CREATE TABLE handed_over (job uuid NOT NULL, process integer NOT NULL)")
      )
    )
    for (const processes of [1, 3]) {
      const workers = await Promise.all(Array.from({ length: processes }, () => start("0 millis")))
      const { id, slug } = await at.run(Queue.workspace)
      const began = performance.now()
      const kinds = Array.from({ length: jobs }, () => "tell_agent" as const)
      await at.run(Queue.put({ slug }, kinds))
      const done = async () => (await at.run(Queue.all(id, "done"))).length
      for (const until = began + 300_000; (await done()) < jobs;) assert.isBelow(performance.now(), until)
      figures.push(`${processes}: ${(jobs / ((performance.now() - began) / 1000)).toFixed(0)} jobs/s`)
      for (const worker of workers) worker.signal("SIGTERM")
      for (const worker of workers) await worker.ended()
    }
    task.meta.figures = `${jobs.toLocaleString("en")} jobs with processes ${figures.join(", ")}`
  },
  patience
)

it(
  "a process that is killed is replaced when its lease lapses",
  async ({ task }) => {
    const stuck = await start("10 minutes")
    const { id, slug } = await at.run(Queue.workspace)
    await at.run(Queue.put({ slug }, ["tell_agent"]))
    const running = async () => (await at.run(Queue.all(id, "running"))).length
    while ((await running()) === 0) await new Promise((resolve) => setTimeout(resolve, 20))
    stuck.signal("SIGKILL")
    const killed = performance.now()
    const other = await start("0 millis")
    while ((await at.run(Queue.all(id, "done"))).length === 0) await new Promise((resolve) => setTimeout(resolve, 100))
    const took = (performance.now() - killed) / 1000
    other.signal("SIGTERM")
    Idle.isBelow(took, 35)
    task.meta.figures = `taken over ${took.toFixed(1)} s after kill -9`
  },
  patience
)
