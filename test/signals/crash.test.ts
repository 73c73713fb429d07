import { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import { afterAll, assert, beforeAll, inject, it } from "vitest"
import { AuditLog } from "../../application/ports/AuditLog.ts"
import { eventually } from "../support/Process.ts"
import { signed, source, unixNow } from "../support/Source.ts"
import { ask } from "../support/World.ts"
import { type Station, station } from "../support/Station.ts"

const [count, kills] = inject("full") ? [10_000, 20] : [60, 1]
const atOnce = 16
const environments = 5

let at: Station
beforeAll(async () => {
  at = await station()
})
afterAll(() => at.close())

it(
  `of ${count} deliveries, with kill -9 and a Postgres that restarts in between, every 202 is an alert, and none is doubled`,
  async ({ task }) => {
    const { path, secret, workspace } = await at.run(source())
    let { service, url } = await at.serve()
    let [answered, cut, down] = [0, 0, 0]

    /** Sends the same bytes again until they are accepted, as a careful sender does. */
    const deliver = async (index: number) => {
      const body = JSON.stringify({
        title: `Alert ${index}`,
        severity: "critical",
        fingerprint: `fp-${index}`,
        environment: `env-${index % environments}`
      })
      const headers = signed(secret, body, unixNow())
      const until = performance.now() + 60_000
      for (let last = "nothing"; ;) {
        if (performance.now() > until) throw new Error(`delivery ${index} is not taken: ${last}; ${service.err()}`)
        const answer = await ask(url, path, { method: "POST", body, headers }).catch(() => null)
        if (answer?.status === 202) return void answered++
        last = answer?.text ?? "no answer"
        if (answer === null) cut++
        else {
          assert.strictEqual(answer.status, 503, answer.text)
          down++
        }
        await new Promise((resolve) => setTimeout(resolve, 20))
      }
    }
    const indexes = Array.from({ length: count }, (_, index) => index).values()
    const worker = async () => {
      for (const index of indexes) await deliver(index)
    }
    const senders = Promise.all(Array.from({ length: atOnce }, worker))
    for (let kill = 0; kill < kills; kill++) {
      const target = ((kill + 1) * count) / (kills + 1)
      await eventually(
        () => `${target} answers; ${answered} came`,
        () => (answered >= target ? true : undefined),
        inject("full") ? 600 : 60
      )
      service.signal("SIGKILL")
      await at.gone(service)
      if (kill % 2 === 0) await at.restartDatabase()
      ;({ service, url } = await at.serve())
      // The second time while the service keeps running.
      if (kill % 4 === 1) await at.restartDatabase()
    }
    await senders

    const look = Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const [row] = yield* sql`
        SELECT (SELECT count(*)::int FROM deliveries WHERE status IN ('waiting', 'replayed')) AS waiting,
          (SELECT count(*)::int FROM deliveries WHERE status = 'done') AS done,
          (SELECT count(*)::int FROM deliveries WHERE status = 'failed') AS failed,
          (SELECT count(*)::int FROM alerts) AS alerts,
          (SELECT count(DISTINCT fingerprint)::int FROM alerts) AS fingerprints,
          (SELECT max(count) FROM alerts) AS most,
          (SELECT count(*)::int FROM incidents) AS incidents,
          (SELECT sum(alerts)::int FROM incidents) AS joined,
          (SELECT count(*)::int FROM audit_entries WHERE event = 'incident_opened') AS opened,
          (SELECT count(*)::int FROM audit_entries WHERE event = 'signal_received') AS received`
      return row ?? {}
    })
    const until = performance.now() + 60_000
    for (;;) {
      const seen = await at.run(look)
      if (seen["waiting"] === 0) break
      if (performance.now() > until) throw new Error(`not all is judged: ${JSON.stringify(seen)}; ${service.err()}`)
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
    assert.deepStrictEqual(await at.run(look), {
      waiting: 0,
      done: count,
      failed: 0,
      alerts: count,
      fingerprints: count,
      most: 1,
      incidents: environments,
      joined: count,
      opened: environments,
      received: count
    })
    assert.isNull((await at.run(Effect.flatMap(AuditLog, (log) => log.verify(workspace)))).firstBad)
    service.signal("SIGTERM")
    task.meta.figures = `${count.toLocaleString("en")} deliveries, ${kills} kills; ${cut} requests were cut off and ${down} got a 503 before they were taken`
  },
  inject("full") ? 1_200_000 : 120_000
)
