import * as SqlClient from "@effect/sql/SqlClient"
import { Effect, Layer } from "effect"
import { AuthenticatedReads } from "../../../application/ports/AuthenticatedReads.ts"
import type { DecisionView } from "../../../domain/work/Decision.ts"
import { RunNotFound, type RunView } from "../../../domain/work/Run.ts"
import type { RunKey } from "../../../domain/value/RunKey.ts"
import { polledOne, polledPage } from "../reads/PageReads.ts"
import * as PgDecisionStore from "./PgDecisionStore.ts"
import * as PgRunStore from "./PgRunStore.ts"
import * as PgTeamStore from "./PgTeamStore.ts"
import * as SharedReads from "../reads/SharedReads.ts"

export const layer = Layer.effect(
  AuthenticatedReads,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const runtime = yield* Effect.runtime()
    const decisions = polledPage<DecisionView>(sql, runtime, PgDecisionStore.list)
    const run = polledOne<RunView, RunKey, RunNotFound>(
      sql,
      runtime,
      PgRunStore.view,
      (key) => new RunNotFound({ run: key })
    )
    const teams = SharedReads.entered(sql, runtime, PgTeamStore.list)
    return {
      decisions: (hash, { run, status, team }, request, lane) => decisions(hash, team, { status, run }, request, lane),
      run,
      teams: (hash, lane) => teams(hash, {}, lane)
    }
  })
)
