import * as SqlClient from "@effect/sql/SqlClient"
import { Effect, Layer, Option } from "effect"
import { Health, Unavailable } from "../../application/ports/Health.ts"
import * as Migrations from "./Migrations.ts"
import * as PgAuditLog from "./PgAuditLog.ts"
import * as PgCheckStore from "./PgCheckStore.ts"
import * as PgDecisionStore from "./PgDecisionStore.ts"
import * as PgImportStore from "./PgImportStore.ts"
import * as PgInbox from "./PgInbox.ts"
import * as PgJobStore from "./PgJobStore.ts"
import * as PgOnCallStore from "./PgOnCallStore.ts"
import * as PgPolling from "./PgPolling.ts"
import * as PgRunStore from "./PgRunStore.ts"
import * as PgSecretStore from "./PgSecretStore.ts"
import * as PgSignalStore from "./PgSignalStore.ts"
import * as PgStoryStore from "./PgStoryStore.ts"
import * as PgTeamStore from "./PgTeamStore.ts"
import * as PgTokenStore from "./PgTokenStore.ts"
import * as PgWorkspaceStore from "./PgWorkspaceStore.ts"

const health = Layer.effect(
  Health,
  Effect.map(SqlClient.SqlClient, (sql) => ({
    ready: Migrations.found.pipe(
      Effect.provideService(SqlClient.SqlClient, sql),
      Effect.timeout("1500 millis"),
      Effect.mapError(() => new Unavailable()),
      Effect.filterOrFail(
        (schema) => Option.contains(schema, Migrations.known),
        (schema) => {
          const found = Option.getOrElse(schema, () => "none")
          return new Unavailable({
            reason: `The database has schema ${found}, and this instance needs ${Migrations.known}.`
          })
        }
      )
    )
  }))
)

/** Every port on Postgres, over any SqlClient; the schema is brought up to date first. */
export const layer = Layer.mergeAll(
  PgAuditLog.layer,
  PgCheckStore.layer,
  PgDecisionStore.layer,
  PgImportStore.layer,
  PgInbox.layer,
  PgJobStore.layer,
  PgOnCallStore.layer,
  PgPolling.layer,
  PgRunStore.layer,
  PgSecretStore.layer,
  PgSignalStore.layer,
  PgStoryStore.layer,
  PgTeamStore.layer,
  PgTokenStore.layer,
  PgWorkspaceStore.layer,
  health
).pipe(Layer.provide(Migrations.layer))
