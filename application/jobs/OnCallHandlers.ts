import { Effect, Layer } from "effect"
import * as FollowIncident from "../oncall/FollowIncident.ts"
import type { Inbox } from "../ports/Inbox.ts"
import type { Investigator } from "../ports/Investigator.ts"
import type { WorkspaceJob } from "../ports/JobStore.ts"
import { Notifiers } from "../ports/Notifier.ts"
import type { OnCallStore } from "../ports/OnCallStore.ts"
import { type Handler, type JobFailed, JobHandlers } from "../ports/JobHandlers.ts"
import type { SourceApis } from "../ports/SourceApis.ts"
import type { Sealing } from "../secrets/Sealing.ts"
import * as UpdateSource from "../oncall/UpdateSource.ts"
import * as SendNotice from "../oncall/SendNotice.ts"

type Needed = Inbox | OnCallStore | Investigator | Notifiers | SourceApis | Sealing

/** Handlers of the jobs that follow an incident; without a mail server, mails rest. */
export const layer = Layer.effect(
  JobHandlers,
  Effect.gen(function* () {
    const context = yield* Effect.context<Needed>()
    const { mail } = yield* Notifiers
    const handler =
      (handle: (work: WorkspaceJob) => Effect.Effect<void, JobFailed, Needed>): Handler =>
      (work) =>
        Effect.provide(handle(work), context)
    return {
      follow_incident: handler(FollowIncident.follow),
      investigate_incident: handler(FollowIncident.investigate),
      post_to_place: handler(SendNotice.post),
      update_source: handler(UpdateSource.update),
      notify_member: mail === null ? null : handler(SendNotice.mail),
      // Systems that work on stories are not connected yet.
      tell_agent: null,
      open_pull_request: null,
      merge_pull_request: null,
      open_revert: null,
      restore_spec: null,
      write_story: null
    }
  })
)
