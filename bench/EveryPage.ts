import { crowdOnCall } from "../test/support/CrowdOnCall.ts"
import type { SourceId } from "../domain/oncall/SignalSource.ts"
import type { WorkspaceId } from "../domain/workspace/Workspace.ts"
import { keyOf } from "./Dataset.ts"
import type { Send } from "./Loading.ts"
import type { Plan } from "./Plan.ts"
import { median } from "./report/Figures.ts"
import { digits } from "./report/Table.ts"
import type { Service, Stage } from "./Stage.ts"

/** The time of one page of the app. */
export interface PageTime {
  readonly page: string
  /** Median over the rounds of the median time of a request. */
  readonly ms: number
}

/** Stories on the board that is measured. */
export const onBoard = 10_000

const columns = ["backlog", "refining", "ready", "in_progress", "review", "done"]

/** A team whose stories are in all columns, 100 runners, and a source with its alerts and incidents. */
const more = (workspace: string) => `
  INSERT INTO teams (workspace_id, slug, id, name, key_prefix, repositories, created_at)
    VALUES ('${workspace}', 'crowded', gen_random_uuid(), 'Crowded', 'CROWD', '{}', now());
  INSERT INTO stories (workspace_id, key, id, team, title, column_id, column_name, column_role, draft, readiness_score,
      class_of_service, acceptance_criteria, demonstrate, created_at, updated_at)
    SELECT '${workspace}', 'CROWD-' || n, gen_random_uuid(), 'crowded', 'Crowded story ' || n, c, c, c, false, 80,
      'standard', '[]', '[]', now(), now()
    FROM generate_series(1, ${onBoard}) n,
      LATERAL (SELECT (ARRAY[${columns.map((column) => `'${column}'`).join(", ")}])[1 + n % ${columns.length}]) x(c);
  INSERT INTO runners (workspace_id, id, token, name, version, os, arch, slots, executors, teams, registered_at,
      last_seen_at)
    SELECT workspace_id, gen_random_uuid(), id, 'runner', '1', 'linux', 'x64', 1, '[]', '[]', now(), now()
    FROM api_tokens WHERE workspace_id = '${workspace}' ORDER BY id LIMIT 100`

interface Ids {
  readonly workspace: WorkspaceId
  readonly source: SourceId
  readonly service: string
}

const pathsOf = ({ service, source }: Ids): Readonly<Record<string, string>> => ({
  teams: "teams",
  "new team": "new-team",
  [`board of ${onBoard.toLocaleString("en")} stories`]: "teams/crowded",
  "column of the board": "teams/crowded/columns/backlog",
  story: "stories/CROWD-7",
  runs: "runs",
  "runs of a team": "runs?team=team-3",
  run: `runs/${keyOf("run", 7)}`,
  "audit log": "audit",
  "audit log, filtered": "audit?event=decision_raised&actor=human&team=team-3",
  "audit log of days": "audit?from=2026-01-05&to=2026-01-06",
  "search for words": "search?q=crowded+77",
  "search for a word of all titles": "search?q=story",
  policies: "settings/policy",
  policy: "settings/policy/team-3",
  incidents: "incidents?status=all",
  services: "services",
  service: `services/${service}`,
  sources: "sources",
  source: `sources/${source}`,
  places: "settings/places",
  runners: "settings/runners"
})

/** Loads of a page before it is measured, and in each round. */
const [warmUp, perRound] = [150, 50]

/** Measures every page besides the decisions, with one connection. */
export const everyPage = async (
  stage: Stage,
  plan: Plan,
  send: Send,
  ours: Service,
  say: (line: string) => void
): Promise<ReadonlyArray<PageTime>> => {
  const ids = await stage.query(ours.database.name, async (client): Promise<Ids> => {
    const found = await client.query<Ids>(
      `SELECT s.workspace_id AS workspace, s.id AS source, v.id AS service FROM signal_sources s
       JOIN services v ON v.workspace_id = s.workspace_id WHERE s.token = $1`,
      [ours.database.source.path.split("/").at(-1)]
    )
    const [row] = found.rows
    if (row === undefined) throw new Error("the database has no source")
    await client.query("SET session_replication_role = replica")
    await client.query(more(row.workspace))
    await client.query(crowdOnCall(row.workspace, row.source))
    await client.query("VACUUM ANALYZE")
    return row
  })
  const { rounds } = plan.app
  const all = Object.entries(pathsOf(ids))
  const load = (path: string, amount: number) =>
    send(ours, "app-page", { requests: amount, connections: 1, paths: [path] })
  const times: Array<PageTime> = []
  for (const [page, path] of all) {
    await load(path, warmUp)
    const medians: Array<number> = []
    for (let round = 0; round < rounds; round++) medians.push((await load(path, perRound)).p50)
    times.push({ page, ms: median(medians) })
    say(`${page}: ${digits(median(medians))} ms`)
  }
  return times
}
