import { Effect, Layer } from "effect"
import { Health } from "../../application/ports/Health.ts"
import * as MemoryAuditLog from "./MemoryAuditLog.ts"
import * as MemoryChangeLog from "./MemoryChangeLog.ts"
import * as MemoryCheckStore from "./MemoryCheckStore.ts"
import * as MemoryDecisionStore from "./MemoryDecisionStore.ts"
import * as MemoryIdentityStore from "./MemoryIdentityStore.ts"
import * as MemoryImportStore from "./MemoryImportStore.ts"
import * as MemoryInbox from "./MemoryInbox.ts"
import * as MemoryWorkspaceSearch from "./MemoryWorkspaceSearch.ts"
import * as MemoryJobStore from "./MemoryJobStore.ts"
import * as MemoryOnCallStore from "./MemoryOnCallStore.ts"
import * as MemoryAuthenticatedReads from "./MemoryAuthenticatedReads.ts"
import * as MemoryRunnerStore from "./MemoryRunnerStore.ts"
import * as MemoryConnectionStore from "./codehost/MemoryConnectionStore.ts"
import * as MemoryPullRequestStore from "./codehost/MemoryPullRequestStore.ts"
import * as MemoryRunStore from "./MemoryRunStore.ts"
import * as MemorySecretStore from "./MemorySecretStore.ts"
import * as MemorySentForms from "./MemorySentForms.ts"
import * as MemorySignalStore from "./MemorySignalStore.ts"
import * as MemoryStoryStore from "./MemoryStoryStore.ts"
import * as MemoryTeamStore from "./MemoryTeamStore.ts"
import * as MemoryTokenStore from "./MemoryTokenStore.ts"
import * as MemoryTrackerStore from "./tracker/MemoryTrackerStore.ts"
import * as MemoryWorkspaceStore from "./MemoryWorkspaceStore.ts"
import * as MemoryState from "./MemoryState.ts"

const polling = Layer.provide(
  MemoryAuthenticatedReads.layer,
  Layer.mergeAll(MemoryDecisionStore.layer, MemoryRunStore.layer, MemoryTeamStore.layer, MemoryTokenStore.layer)
)

export const layer = Layer.mergeAll(
  MemoryAuditLog.layer,
  MemoryChangeLog.layer,
  Layer.provide(MemoryCheckStore.layer, MemorySignalStore.layer),
  MemoryConnectionStore.layer,
  MemoryDecisionStore.layer,
  MemoryIdentityStore.layer,
  MemoryImportStore.layer,
  MemoryInbox.layer,
  MemoryWorkspaceSearch.layer,
  MemoryJobStore.layer,
  MemoryOnCallStore.layer,
  polling,
  MemoryRunnerStore.layer,
  MemoryPullRequestStore.layer,
  MemoryRunStore.layer,
  MemorySecretStore.layer,
  MemorySentForms.layer,
  MemorySignalStore.layer,
  MemoryStoryStore.layer,
  MemoryTeamStore.layer,
  MemoryTokenStore.layer,
  MemoryTrackerStore.layer,
  MemoryWorkspaceStore.layer,
  Layer.succeed(Health, { ready: Effect.void })
).pipe(Layer.provide(MemoryState.layer))
