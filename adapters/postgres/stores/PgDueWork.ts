import * as SqlClient from "@effect/sql/SqlClient"
import { Effect, Layer } from "effect"
import { type Due, DueWork } from "../../../application/jobs/DueWork.ts"
import * as Table from "../rows/Table.ts"
import { orDie } from "../connection/Transactions.ts"
import { checksDue } from "./PgCheckStore.ts"
import { withRoom } from "./PgTeamStore.ts"

const look = `
  SELECT
    EXISTS (SELECT FROM decisions d WHERE d.status = 'pending' AND d.expires_at <= statement_timestamp()
      AND ${Table.held("d")}) AS decisions,
    EXISTS (${withRoom}) AS scheduling,
    EXISTS (${checksDue}) AS "uptimeChecks",
    EXISTS (SELECT FROM deliveries WHERE status IN ('waiting', 'replayed')) AS deliveries,
    EXISTS (SELECT FROM jobs WHERE status = 'queued' AND (due_at IS NULL OR due_at <= statement_timestamp()))
      OR EXISTS (SELECT FROM jobs WHERE status = 'running'
        AND (leased_until IS NULL OR leased_until <= statement_timestamp())) AS jobs`

/** Asks the database once. */
export const looked = Effect.flatMap(SqlClient.SqlClient, (sql) =>
  Effect.flatMap(orDie(sql.unsafe<Due>(look)), ([due]) =>
    due === undefined ? Effect.dieMessage("no answer") : Effect.succeed(due)
  )
)

/** Shared by the tasks that ask within the same second. */
export const layer = Layer.effect(
  DueWork,
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Effect.cachedWithTTL(Effect.provideService(looked, SqlClient.SqlClient, sql), "900 millis")
  )
)
