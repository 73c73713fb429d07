import * as SqlClient from "@effect/sql/SqlClient"
import { Effect, Layer } from "effect"
import { DecisionStore } from "../../application/ports/DecisionStore.ts"
import { type Decision, DecisionNotFound } from "../../domain/Decision.ts"
import { one, page } from "./Pages.ts"
import * as Records from "./Records.ts"

export const layer = Layer.effect(
  DecisionStore,
  Effect.map(SqlClient.SqlClient, (sql) => {
    const json = Records.object(Records.decision)
    const decisions = page<Decision>(sql, { from: "decisions d", alias: "d", json })
    return DecisionStore.of({
      page: (workspace, { run, status, team }, request) =>
        decisions(
          workspace,
          team,
          [...(status === null ? [] : [sql`d.status = ${status}`]), ...(run === null ? [] : [sql`d.run_key = ${run}`])],
          request
        ),
      get: (workspace, key) =>
        one<Decision, DecisionNotFound>(
          sql`SELECT ${sql.literal(json)} AS json FROM decisions d WHERE d.workspace_id = ${workspace} AND d.key = ${key}`,
          () => new DecisionNotFound({ decision: key })
        )
    })
  })
)
