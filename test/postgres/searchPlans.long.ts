import { SqlClient } from "@effect/sql"
import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { WorkspaceSearch } from "../../application/ports/search/WorkspaceSearch.ts"
import { WorkspaceId } from "../../domain/workspace/Workspace.ts"
import { crowd } from "../support/Crowd.ts"
import { explaining, type Plan, planOf } from "../support/Plan.ts"
import * as TestPostgres from "../support/TestPostgres.ts"

const workspace = WorkspaceId.make("00000000-0000-4000-8000-000000000004")

/** Tables with an index of the words in their titles. */
const tables = ["stories", "decisions", "incidents"] as const

/** Each title has a word that all of its table have, and one of its own; those of other workspaces have the same, and say so. */
const named = tables
  .map(
    (table) => `
  UPDATE ${table} o SET title = 'Some ${table} case' || n.number || CASE n.workspace_id WHEN '${workspace}' THEN '' ELSE ' elsewhere' END
  FROM (SELECT workspace_id, key, row_number() OVER (PARTITION BY workspace_id ORDER BY key) AS number FROM ${table}) n
  WHERE (n.workspace_id, n.key) = (o.workspace_id, o.key);`
  )
  .join("")

const crowded = Layer.effectDiscard(
  Effect.flatMap(SqlClient.SqlClient, (sql) => sql.unsafe(`${crowd}; ${named} ANALYZE`))
).pipe(Layer.provideMerge(Layer.provide(TestPostgres.layer, explaining)))

/** Rows that a plan read from a table. */
const rowsOf = (plan: Plan, table: string) =>
  plan
    .filter((node) => node["Relation Name"] === table)
    .reduce((sum, node) => sum + (node["Actual Rows"] ?? 0) + (node["Rows Removed by Filter"] ?? 0), 0)

it.layer(crowded, { timeout: "300 seconds" })("plans of the search", (it) => {
  it.effect.each([["case77"], ["some", "case77"], ["case7"]])("the words %s are looked up in the indexes", (...words) =>
    Effect.gen(function* () {
      const search = yield* WorkspaceSearch
      const plan = yield* planOf(search.find(workspace, { key: "nothing", words: words.flat() }))
      for (const table of tables) {
        const scans = plan.filter((node) => node["Relation Name"] === table).map((node) => node["Node Type"])
        assert.notInclude(scans, "Seq Scan", table)
        assert.isTrue(
          plan.some((node) => node["Index Name"] === `${table}_search`),
          `${table} is searched without its index`
        )
        // The newest of the workspace; of 2,000 in each of ten, case7, case70 to case79, case700 to case799.
        assert.isAtMost(rowsOf(plan, table), 300 + (words.flat().includes("case7") ? 115 : 15), table)
      }
    })
  )

  it.effect("a word of very many titles is found among the newest rows of its own workspace", () =>
    Effect.gen(function* () {
      const search = yield* WorkspaceSearch
      const find = search.find(workspace, { key: "nothing", words: ["some"] })
      const plan = yield* planOf(find)
      for (const table of tables) {
        const scans = plan.filter((node) => node["Relation Name"] === table)
        assert.notInclude(
          scans.map((node) => node["Node Type"]),
          "Seq Scan"
        )
        // The newest incidents are those of a deleted team.
        const isLookedUp = plan.some((node) => node["Index Name"] === `${table}_search` && node["Actual Loops"] !== 0)
        assert.strictEqual(isLookedUp, table === "incidents", table)
        assert.isAtMost(rowsOf(plan, table), isLookedUp ? 300 + 2000 : 300, table)
      }
      const hits = yield* find
      assert.deepStrictEqual(
        hits.filter(({ title }) => title.includes("elsewhere")),
        []
      )
      const sql = yield* SqlClient.SqlClient
      for (const [index, table] of tables.entries()) {
        const newest = yield* sql<{ readonly key: string }>`
          SELECT o.key FROM ${sql(table)} o WHERE o.workspace_id = ${workspace} AND o.team <> 'gone'
          ORDER BY o.seq DESC LIMIT 10`
        const type = ["story", "decision", "incident"][index]
        assert.deepStrictEqual(
          hits.filter((hit) => hit.type === type).map(({ key }) => key),
          newest.map(({ key }) => key)
        )
      }
    })
  )

  it.effect("a key is looked up by its own index", () =>
    Effect.gen(function* () {
      const search = yield* WorkspaceSearch
      for (const key of ["b-7", "dec-01f9", "inc-0007", "run-0007"]) {
        const plan = yield* planOf(search.find(workspace, { key, words: [] }))
        for (const table of [...tables, "runs"]) assert.isAtMost(rowsOf(plan, table), 301, `${key} in ${table}`)
      }
    })
  )
})
