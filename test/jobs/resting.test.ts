import * as SqlClient from "@effect/sql/SqlClient"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { prefix } from "../../adapters/workflow/ClusterTables.ts"
import * as TestPostgres from "../support/TestPostgres.ts"
import * as Engine from "./Engine.ts"
import * as Queue from "./Queue.ts"

layer(TestPostgres.layer, { timeout: "60 seconds", excludeTestServices: true })("with nothing connected", (it) => {
  it.scoped("jobs are put to rest, and the engine makes no tables", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { id, slug } = yield* Queue.workspace
      yield* Engine.start({})
      yield* Queue.put({ slug }, ["tell_agent", "write_story"])
      yield* Engine.eventually(Queue.all(id, "no_adapter"), (jobs) => jobs.length === 2)
      assert.deepStrictEqual(yield* sql`SELECT FROM pg_tables WHERE starts_with(tablename, ${prefix})`, [])
    })
  )
})
