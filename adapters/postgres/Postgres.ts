import * as SqlClient from "@effect/sql/SqlClient"
import { Effect, Layer, Option } from "effect"
import { Health, Unavailable } from "../../application/ports/Health.ts"
import * as Migrations from "./connection/Migrations.ts"
import * as PgAuditLog from "./stores/PgAuditLog.ts"
import * as PgChangeLog from "./stores/PgChangeLog.ts"
import * as PgCheckStore from "./stores/PgCheckStore.ts"
import * as PgConnectionStore from "./stores/PgConnectionStore.ts"
import * as PgDecisionStore from "./stores/PgDecisionStore.ts"
import * as PgDueWork from "./stores/PgDueWork.ts"
import * as PgIdentityStore from "./stores/PgIdentityStore.ts"
import * as PgImportStore from "./stores/PgImportStore.ts"
import * as PgInbox from "./stores/PgInbox.ts"
import * as PgWorkspaceSearch from "./stores/PgWorkspaceSearch.ts"
import * as PgJobStore from "./stores/PgJobStore.ts"
import * as PgOnCallStore from "./stores/PgOnCallStore.ts"
import * as PgPullRequestStore from "./stores/PgPullRequestStore.ts"
import * as PgAuthenticatedReads from "./stores/PgAuthenticatedReads.ts"
import * as PgRunnerStore from "./stores/PgRunnerStore.ts"
import * as PgRunStore from "./stores/PgRunStore.ts"
import * as PgSecretStore from "./stores/PgSecretStore.ts"
import * as PgSentForms from "./stores/PgSentForms.ts"
import * as PgSignalStore from "./stores/PgSignalStore.ts"
import * as PgStoryStore from "./stores/PgStoryStore.ts"
import * as PgTeamStore from "./stores/PgTeamStore.ts"
import * as PgTokenStore from "./stores/PgTokenStore.ts"
import * as PgTrackerStore from "./stores/PgTrackerStore.ts"
import * as PgWorkspaceStore from "./stores/PgWorkspaceStore.ts"

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

/** Every port on Postgres, over any SqlClient; migrates the schema first. */
export const layer = Layer.mergeAll(
  PgAuditLog.layer,
  PgChangeLog.layer,
  PgCheckStore.layer,
  PgConnectionStore.layer,
  PgDecisionStore.layer,
  PgDueWork.layer,
  PgIdentityStore.layer,
  PgImportStore.layer,
  PgInbox.layer,
  PgWorkspaceSearch.layer,
  PgJobStore.layer,
  PgOnCallStore.layer,
  PgAuthenticatedReads.layer,
  PgRunnerStore.layer,
  PgPullRequestStore.layer,
  PgRunStore.layer,
  PgSecretStore.layer,
  PgSentForms.layer,
  PgSignalStore.layer,
  PgStoryStore.layer,
  PgTeamStore.layer,
  PgTokenStore.layer,
  PgTrackerStore.layer,
  PgWorkspaceStore.layer,
  health
).pipe(Layer.provide(Migrations.layer))
