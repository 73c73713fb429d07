import { Effect, Layer } from "effect"
import * as FollowIncident from "../oncall/FollowIncident.ts"
import type { Investigator } from "../ports/Investigator.ts"
import type { Errand } from "../ports/JobStore.ts"
import { Notifiers } from "../ports/Notifier.ts"
import type { OnCallStore } from "../ports/OnCallStore.ts"
import { type Handler, type JobFailed, JobHandlers } from "../ports/JobHandlers.ts"
import type { SourceApis } from "../ports/SourceApis.ts"
import type { Sealing } from "../secrets/Sealing.ts"
import * as UpdateSource from "../oncall/UpdateSource.ts"
import * as SendNotice from "../oncall/SendNotice.ts"

type Needed = OnCallStore | Investigator | Notifiers | SourceApis | Sealing

/** Handlers of the jobs that follow an incident; without a mail server, mails rest. */
export const layer = Layer.effect(
  JobHandlers,
  Effect.gen(function* () {
    const context = yield* Effect.context<Needed>()
    const { mail } = yield* Notifiers
    const work =
      (handle: (errand: Errand) => Effect.Effect<void, JobFailed, Needed>): Handler =>
      (errand) =>
        Effect.provide(handle(errand), context)
    return {
      follow_incident: work(FollowIncident.follow),
      investigate_incident: work(FollowIncident.investigate),
      post_to_place: work(SendNotice.post),
      update_source: work(UpdateSource.update),
      notify_member: mail === null ? null : work(SendNotice.mail),
      // Systems that work on stories are not connected yet.
      tell_agent: null,
      merge_pull_request: null,
      open_revert: null,
      restore_spec: null,
      write_story: null
    }
  })
)
