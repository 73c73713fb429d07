import { Effect, Layer } from "effect"
import type { JobKind } from "../domain/Job.ts"
import * as Following from "./Following.ts"
import type { Investigator } from "./ports/Investigator.ts"
import type { Errand } from "./ports/JobStore.ts"
import { Notifiers } from "./ports/Notifier.ts"
import type { OnCallStore } from "./ports/OnCallStore.ts"
import { type Handler, type JobFailed, Outside } from "./ports/Outside.ts"
import type { SourceApis } from "./ports/SourceApis.ts"
import type { Sealing } from "./Sealing.ts"
import * as SourceUpdates from "./SourceUpdates.ts"
import * as Telling from "./Telling.ts"

type Needed = OnCallStore | Investigator | Notifiers | SourceApis | Sealing

/** What follows an incident, as jobs; without a mail server, mails rest. */
export const layer = Layer.effect(
  Outside,
  Effect.gen(function* () {
    const context = yield* Effect.context<Needed>()
    const { mail } = yield* Notifiers
    const work =
      (handle: (errand: Errand) => Effect.Effect<void, JobFailed, Needed>): Handler =>
      (errand) =>
        Effect.provide(handle(errand), context)
    return new Map<JobKind, Handler>([
      ["follow_incident", work(Following.follow)],
      ["investigate_incident", work(Following.investigate)],
      ["post_to_place", work(Telling.post)],
      ["update_source", work(SourceUpdates.update)],
      ...(mail === null ? [] : [["notify_member", work(Telling.mail)] as const])
    ])
  })
)
