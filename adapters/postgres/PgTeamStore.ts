import * as SqlClient from "@effect/sql/SqlClient"
import { Effect, Layer } from "effect"
import * as Json from "../../application/Json.ts"
import { TeamStore } from "../../application/ports/TeamStore.ts"
import { TeamNotFound, type TeamView } from "../../domain/Team.ts"
import * as Records from "./Records.ts"
import { orDie } from "./Statements.ts"

const from = "teams t LEFT JOIN policies p ON p.workspace_id = t.workspace_id AND p.team = t.slug"

const list = `
  SELECT ${Records.object(Records.teamView)} AS json FROM ${from}
  WHERE t.workspace_id = $1 AND t.deleted_at IS NULL
  ORDER BY lower(t.name COLLATE "C") COLLATE "C", t.slug COLLATE "C"`

const get = `
  SELECT ${Records.object(Records.teamView)} AS json FROM ${from}
  WHERE t.workspace_id = $1 AND t.slug = $2 AND t.deleted_at IS NULL`

export const layer = Layer.effect(
  TeamStore,
  Effect.map(SqlClient.SqlClient, (sql) => {
    const read = (statement: string, parameters: ReadonlyArray<string>) =>
      Effect.map(orDie(sql.unsafe<{ readonly json: string }>(statement, parameters)), (rows) =>
        rows.map((row) => Json.trust<TeamView>(row.json))
      )
    return TeamStore.of({
      list: (workspace) => read(list, [workspace]),
      get: (workspace, slug) =>
        Effect.flatMap(read(get, [workspace, slug]), ([json]) =>
          json === undefined ? new TeamNotFound({ team: slug }) : Effect.succeed(json)
        )
    })
  })
)
