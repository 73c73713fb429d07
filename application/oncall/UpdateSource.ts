import { Effect, Either } from "effect"
import { byService } from "../../domain/workspace/Actor.ts"
import type { AlertView } from "../../domain/oncall/Alert.ts"
import { recordUpdate, Update } from "../../domain/oncall/commands/RecordUpdate.ts"
import { ofSource } from "../../domain/value/SecretBinding.ts"
import { updatesSources } from "../../domain/oncall/Service.ts"
import { payloadOf } from "./FollowIncident.ts"
import type { WorkspaceJob } from "../ports/JobStore.ts"
import { OnCallStore } from "../ports/OnCallStore.ts"
import { JobFailed } from "../ports/JobHandlers.ts"
import { SourceApis, type SourceUpdate } from "../ports/SourceApis.ts"
import { Sealing } from "../secrets/Sealing.ts"

/** A wrong key is wrong for every alert. */
const mostRefusals = 3

type Shown = typeof AlertView.Encoded

/** Records the update of an alert in its tool. */
const note = (work: WorkspaceJob, update: Update, alert: Shown, problem: string | null) =>
  Effect.flatMap(OnCallStore, (store) =>
    store.change(work.workspace, {}, recordUpdate(byService, update, alert, problem))
  ).pipe(Effect.ignore)

/** Acknowledges or resolves the alerts of an incident in their source, one after the other. */
export const update = Effect.fn("UpdateSource.update")(function* (work: WorkspaceJob) {
  const wanted = yield* payloadOf(Update, work)
  const store = yield* OnCallStore
  const { services, sources } = yield* store.look(work.workspace)
  const source = sources.find(({ deletedAt, id }) => id === wanted.source && deletedAt === null)
  const api = source && (yield* SourceApis)[source.kind]
  if (source === undefined || api === undefined || source.credentials === null) return
  const alerts = (yield* store.alerts(work.workspace, wanted.incident))
    .map((json) => JSON.parse(json) as Shown)
    .filter((alert) => alert.source === source.name)
  // Settings may have changed since the job was queued.
  const isWanted = services.some((one) => updatesSources(one) && alerts.some(({ service }) => service === one.name))
  if (!isWanted) return
  const credentials = yield* Effect.mapError(
    (yield* Sealing).open(source.credentials, ofSource(source.id)),
    ({ message }) => new JobFailed({ reason: message, isFinal: false })
  )
  const refusals: Array<string> = []
  for (const alert of alerts) {
    const one: SourceUpdate = { alert, to: wanted.to, incident: wanted.incident, credentials }
    const done = yield* Effect.either(api.update(one))
    if (Either.isRight(done)) {
      if (done.right === "updated") yield* note(work, wanted, alert, null)
      continue
    }
    const { isFinal, reason } = done.left
    if (!isFinal) return yield* done.left
    yield* note(work, wanted, alert, reason)
    if (refusals.push(reason) === mostRefusals) break
  }
  if (refusals[0] !== undefined) return yield* new JobFailed({ reason: refusals[0], isFinal: true })
})
