import * as Memory from "../../adapters/memory/Memory.ts"
import * as TestPostgres from "../support/TestPostgres.ts"
import { shared } from "./Shared.ts"
import { auditLogContract } from "./AuditLogContract.ts"
import { boardContract } from "./BoardContract.ts"
import { changeFeedContract } from "./ChangeFeedContract.ts"
import { checkStoreContract } from "./CheckStoreContract.ts"
import { decisionStoreContract } from "./DecisionStoreContract.ts"
import { connectionStoreContract } from "./ConnectionStoreContract.ts"
import { deletedTeamContract } from "./DeletedTeamContract.ts"
import { drainContract } from "./DrainContract.ts"
import { concludeContract } from "./ConcludeContract.ts"
import { followContract } from "./FollowContract.ts"
import { healthContract } from "./HealthContract.ts"
import { identityEndContract } from "./IdentityEndContract.ts"
import { identityStoreContract } from "./IdentityStoreContract.ts"
import { importStoreContract } from "./ImportStoreContract.ts"
import { decisionQueueContract } from "./DecisionQueueContract.ts"
import { inboxContract } from "./InboxContract.ts"
import { jobLaneContract } from "./JobLaneContract.ts"
import { jobLeaseContract } from "./JobLeaseContract.ts"
import { jobStoreContract } from "./JobStoreContract.ts"
import { heldQuestionContract } from "./HeldQuestionContract.ts"
import { leaseContract } from "./LeaseContract.ts"
import { leaseGuardContract } from "./LeaseGuardContract.ts"
import { runnerDrainContract } from "./RunnerDrainContract.ts"
import { listContract } from "./ListContract.ts"
import { mergeHoldContract } from "./MergeHoldContract.ts"
import { noticeContract } from "./NoticeContract.ts"
import { onCallStoreContract } from "./OnCallStoreContract.ts"
import { openIdContract } from "./OpenIdContract.ts"
import { pagingContract } from "./PagingContract.ts"
import { pollingContract } from "./PollingContract.ts"
import { pullRequestStoreContract } from "./PullRequestStoreContract.ts"
import { readContract } from "./ReadContract.ts"
import { secretStoreContract } from "./SecretStoreContract.ts"
import { refusedContract } from "./RefusedContract.ts"
import { searchContract } from "./SearchContract.ts"
import { signalStoreContract } from "./SignalStoreContract.ts"
import { rebindContract } from "./RebindContract.ts"
import { trackerStatusContract } from "./TrackerStatusContract.ts"
import { trackerStoreContract } from "./TrackerStoreContract.ts"
import { sentFormsContract } from "./SentFormsContract.ts"
import { tokenStoreContract } from "./TokenStoreContract.ts"
import { workContract } from "./WorkContract.ts"
import { writeLimitContract } from "./WriteLimitContract.ts"
import { workspaceStoreContract } from "./WorkspaceStoreContract.ts"

for (const [adapter, own, layer] of [
  ["memory", Memory.layer, Memory.layer],
  ["postgres", TestPostgres.layer, shared(TestPostgres.layer)]
] as const) {
  // These read rows of all workspaces.
  jobStoreContract(adapter, own)
  jobLeaseContract(adapter, own)
  jobLaneContract(adapter, own)
  connectionStoreContract(adapter, own)
  trackerStoreContract(adapter, own)
  rebindContract(adapter, own)
  trackerStatusContract(adapter, own)
  writeLimitContract(adapter, own)
  secretStoreContract(adapter, own)
  signalStoreContract(adapter, own)
  checkStoreContract(adapter, own)
  changeFeedContract(adapter, own)
  drainContract(adapter, own)

  workspaceStoreContract(adapter, layer)
  tokenStoreContract(adapter, layer)
  sentFormsContract(adapter, layer)
  auditLogContract(adapter, layer)
  healthContract(adapter, layer)
  identityStoreContract(adapter, layer)
  identityEndContract(adapter, layer)
  openIdContract(adapter, layer)
  importStoreContract(adapter, layer)
  mergeHoldContract(adapter, layer)
  pullRequestStoreContract(adapter, layer)
  searchContract(adapter, layer)
  refusedContract(adapter, layer)
  onCallStoreContract(adapter, layer)
  followContract(adapter, layer)
  concludeContract(adapter, layer)
  inboxContract(adapter, layer)
  decisionQueueContract(adapter, layer)
  noticeContract(adapter, layer)
  pollingContract(adapter, layer)
  readContract(adapter, layer)
  decisionStoreContract(adapter, layer)
  deletedTeamContract(adapter, layer)
  workContract(adapter, layer)
  boardContract(adapter, layer)
  pagingContract(adapter, layer)
  listContract(adapter, layer)
  leaseContract(adapter, layer)
  heldQuestionContract(adapter, layer)
  leaseGuardContract(adapter, layer)
  runnerDrainContract(adapter, layer)
}
