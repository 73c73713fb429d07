import * as SqlClient from "@effect/sql/SqlClient"
import { Effect } from "effect"

/** Indexes for the hold on a team's merges and for the jobs of a run. */
export default Effect.flatMap(SqlClient.SqlClient, (sql) =>
  sql.unsafe(`
    CREATE INDEX decisions_main_red ON decisions (workspace_id, team, seq) WHERE kind = 'main_red_incident';
    CREATE INDEX jobs_of_run ON jobs (workspace_id, run_key, seq) WHERE run_key IS NOT NULL;
  `)
)
