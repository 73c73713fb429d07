import type { Signal } from "./intake/Alerts.ts"
import * as AuditLog from "./answers/AuditLog.ts"
import type { Verdict } from "./intake/Deliveries.ts"
import { type Bench, tellNews } from "./intake/Incidents.ts"
import { judge, type SourceOf } from "./intake/Judging.ts"
import type { ServiceRow } from "./intake/OnCall.ts"
import { type Database, type Sql, statement } from "./Statements.ts"

interface TakenRow {
  readonly workspace_id: string
  readonly id: string
  readonly received_at: Date
  readonly now: Date
  readonly signals: ReadonlyArray<Signal>
  readonly verdicts: ReadonlyArray<Verdict>
  readonly source_id: string
  readonly source_name: string
  readonly is_paused: boolean
  readonly services: ReadonlyArray<string>
}

/** One workspace at a time, oldest first, in index order; skips deliveries that another process triages. */
const take = statement(
  "take_delivery",
  `SELECT d.workspace_id, d.id, d.received_at, clock_timestamp() AS now, d.signals, d.verdicts, s.id AS source_id,
     s.name AS source_name, s.paused_at IS NOT NULL AS is_paused, s.services
   FROM (
     SELECT * FROM deliveries WHERE status IN ('waiting', 'replayed') ORDER BY workspace_id, seq LIMIT 1
     FOR UPDATE SKIP LOCKED) d
   JOIN signal_sources s ON s.workspace_id = d.workspace_id AND s.id = d.source_id`
)
const servicesOf = statement(
  "services_of_source",
  `SELECT v.id, v.team, v.name, v.settings
   FROM services v JOIN teams t ON t.workspace_id = v.workspace_id AND t.slug = v.team
   WHERE v.workspace_id = $1 AND v.id = ANY ($2) AND v.deleted_at IS NULL AND t.deleted_at IS NULL
   ORDER BY lower(v.name), v.id`
)
const finish = statement(
  "finish_delivery",
  "UPDATE deliveries SET status = 'done', verdicts = $3 WHERE workspace_id = $1 AND id = $2"
)
const park = statement("park_delivery", "UPDATE deliveries SET status = 'failed' WHERE workspace_id = $1 AND id = $2")

/** One after the other: an incident that one alert opens, the next one joins. */
const judgeAll = async (at: Bench, source: SourceOf, signals: ReadonlyArray<Signal>) => {
  const verdicts: Array<Verdict> = []
  // oxlint-disable-next-line no-await-in-loop
  for (const signal of signals) verdicts.push(await judge(at, source, signal))
  // oxlint-disable-next-line no-await-in-loop
  for (const key of at.news.keys()) await tellNews(at, key)
  return verdicts
}

const judgeDelivery = async (sql: Sql, taken: TakenRow) => {
  const { id, now, received_at: receivedAt, source_id, source_name, workspace_id: workspace } = taken
  const services = await sql.query<ServiceRow>(servicesOf, [workspace, taken.services])
  const source = { id: source_id, name: source_name, isPaused: taken.is_paused, services }
  const at: Bench = { sql, workspace, now, receivedAt, facts: [], opened: new Set(), news: new Map() }
  const verdicts = [...taken.verdicts, ...(await judgeAll(at, source, taken.signals))]
  const entity = { type: "signal_source", id: source_id, name: source_name }
  const received = AuditLog.byService(
    { event: "signal_received", entity },
    { delivery: id, verdicts: [...new Set(verdicts.map(({ verdict }) => verdict))] }
  )
  await AuditLog.append(sql, workspace, now, [received, ...at.facts])
  await sql.query(finish, [workspace, id, JSON.stringify(verdicts)])
}

/**
 * Triages stored deliveries, one per transaction, in one loop per process; woken by every arrival and once a second.
 * Sets aside a delivery that cannot be triaged, so that others go on.
 */
export const worker = (sql: Database) => {
  let state: "resting" | "working" | "closed" = "resting"
  let isAskedAgain = false
  let work = Promise.resolve()

  const next = async (): Promise<boolean> => {
    let taken: TakenRow | undefined
    try {
      await sql.transaction(async (inside) => {
        ;[taken] = await inside.query<TakenRow>(take)
        if (taken !== undefined) await judgeDelivery(inside, taken)
      })
    } catch (error) {
      process.stderr.write(`a delivery cannot be judged: ${String(error)}\n`)
      if (taken === undefined) return false
      await sql.query(park, [taken.workspace_id, taken.id])
    }
    return taken !== undefined
  }

  const drain = async (): Promise<void> => {
    isAskedAgain = false
    // oxlint-disable-next-line no-await-in-loop
    while (state === "working" && (await next()));
    if (state === "working" && isAskedAgain) return drain()
    if (state === "working") state = "resting"
  }

  const wake = () => {
    isAskedAgain = true
    if (state !== "resting") return
    state = "working"
    setImmediate(() => {
      work = drain().catch(() => {
        if (state === "working") state = "resting"
      })
    })
  }
  const timer = setInterval(wake, 1000)
  return {
    wake,
    close: async () => {
      clearInterval(timer)
      state = "closed"
      await work
    }
  }
}
