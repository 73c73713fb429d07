import * as SqlClient from "@effect/sql/SqlClient"
import { Effect, Layer } from "effect"
import { type Due, DueWork } from "../../../application/jobs/DueWork.ts"
import { silentSeconds } from "../../../domain/runner/Runner.ts"
import * as Table from "../rows/Table.ts"
import { orDie } from "../connection/Transactions.ts"
import { checksDue } from "./PgCheckStore.ts"
import { mayGo } from "./PgJobStore.ts"
import { withRoom } from "./PgTeamStore.ts"

const look = `
  SELECT
    EXISTS (SELECT FROM decisions d WHERE d.status = 'pending' AND d.expires_at <= statement_timestamp()
      AND ${Table.held("d")}) AS decisions,
    EXISTS (${withRoom}) AS scheduling,
    EXISTS (${checksDue}) AS "uptimeChecks",
    EXISTS (SELECT FROM deliveries WHERE status IN ('waiting', 'replayed')) AS deliveries,
    EXISTS (SELECT FROM jobs j WHERE j.status = 'queued' AND ${mayGo("'{}'::text[]")})
      OR EXISTS (SELECT FROM jobs WHERE status = 'running'
        AND (leased_until IS NULL OR leased_until <= statement_timestamp())) AS jobs,
    EXISTS (SELECT FROM runs r WHERE r.lease IS NOT NULL AND r.leased_until <= statement_timestamp())
      OR EXISTS (SELECT FROM runners u WHERE u.offline_at IS NULL
        AND u.last_seen_at < statement_timestamp() - interval '${silentSeconds} seconds') AS leases
  WHERE $1`

/** Asks the database once. A statement with a parameter is prepared, so it is planned once. */
export const looked = Effect.flatMap(SqlClient.SqlClient, (sql) =>
  Effect.flatMap(orDie(sql.unsafe<Due>(look, [true])), ([due]) =>
    due === undefined ? Effect.dieMessage("no answer") : Effect.succeed(due)
  )
)

export const layer = Layer.effect(
  DueWork,
  Effect.map(SqlClient.SqlClient, (sql) => Effect.provideService(looked, SqlClient.SqlClient, sql))
)
