import * as Migrator from "@effect/sql/Migrator"
import * as SqlClient from "@effect/sql/SqlClient"
import { Effect, Layer } from "effect"
import workspaces from "./migrations/0001_Workspaces.ts"
import work from "./migrations/0002_Work.ts"

const migrate = Migrator.make({})({
  table: "migrations",
  loader: Migrator.fromRecord({ "0001_Workspaces": workspaces, "0002_Work": work })
})

const lock = 7_261_001

/** Applied at start; instances that start together take turns on a lock of the session, which ends with it. */
export const layer = Layer.effectDiscard(
  Effect.scoped(
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const session = yield* sql.reserve
      yield* Effect.acquireRelease(
        session.executeRaw(`SET statement_timeout = 0; SELECT pg_advisory_lock(${lock})`, []),
        () => Effect.orDie(session.executeRaw(`SELECT pg_advisory_unlock(${lock}); RESET statement_timeout`, []))
      )
      yield* migrate
    })
  )
)
