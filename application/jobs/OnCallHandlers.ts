import { Effect, Layer } from "effect"
import * as OpenRevert from "../codehost/OpenRevert.ts"
import * as PullRequests from "../codehost/PullRequests.ts"
import * as RestoreSpec from "../codehost/RestoreSpec.ts"
import * as FollowIncident from "../oncall/FollowIncident.ts"
import type { AuditLog } from "../ports/AuditLog.ts"
import type { PullRequestStore } from "../ports/codehost/PullRequestStore.ts"
import type { Inbox } from "../ports/Inbox.ts"
import type { Investigator } from "../ports/Investigator.ts"
import type { WorkspaceJob } from "../ports/JobStore.ts"
import { Notifiers } from "../ports/Notifier.ts"
import type { OnCallStore } from "../ports/OnCallStore.ts"
import { type Handler, JobHandlers, type Unfinished } from "../ports/JobHandlers.ts"
import type { RunStore } from "../ports/RunStore.ts"
import type { ConnectionStore } from "../ports/connection/ConnectionStore.ts"
import type { StoryStore } from "../ports/StoryStore.ts"
import type { TeamStore } from "../ports/TeamStore.ts"
import type { TrackerStore } from "../ports/tracker/TrackerStore.ts"
import type { SourceApis } from "../ports/SourceApis.ts"
import type { Sealing } from "../secrets/Sealing.ts"
import * as UpdateSource from "../oncall/UpdateSource.ts"
import * as WriteStory from "../work/tracker/WriteStory.ts"
import * as SendNotice from "../oncall/SendNotice.ts"

type OnCall = Inbox | OnCallStore | Investigator | Notifiers | SourceApis | Sealing
type Work = AuditLog | ConnectionStore | PullRequestStore | RunStore | StoryStore | TeamStore | TrackerStore
type Needed = OnCall | Work

/** Handlers of the jobs that follow an incident, and of those for code hosts and trackers; without a mail server, mails rest. */
export const layer = Layer.effect(
  JobHandlers,
  Effect.gen(function* () {
    const context = yield* Effect.context<Needed>()
    const { mail } = yield* Notifiers
    const handler =
      (handle: (work: WorkspaceJob) => Effect.Effect<void, Unfinished, Needed>): Handler =>
      (work) =>
        Effect.provide(handle(work), context)
    return {
      follow_incident: handler(FollowIncident.follow),
      investigate_incident: handler(FollowIncident.investigate),
      post_to_place: handler(SendNotice.post),
      update_source: handler(UpdateSource.update),
      notify_member: mail === null ? null : handler(SendNotice.mail),
      open_pull_request: handler(PullRequests.open),
      merge_pull_request: handler(PullRequests.merge),
      open_revert: handler(OpenRevert.open),
      restore_spec: handler(RestoreSpec.restore),
      write_story: handler(WriteStory.write),
      // A lease delivers answers to agents.
      tell_agent: null
    }
  })
)
