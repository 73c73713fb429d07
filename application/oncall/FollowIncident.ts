import { Effect, Schema } from "effect"
import { conclude } from "../../domain/oncall/FindingOutcome.ts"
import { Follow, follow as planned } from "../../domain/oncall/NotifyPlan.ts"
import type { Incident } from "../../domain/oncall/Incident.ts"
import { IncidentKey } from "../../domain/value/IncidentKey.ts"
import { Investigator } from "../ports/Investigator.ts"
import type { WorkspaceJob } from "../ports/JobStore.ts"
import { OnCallStore } from "../ports/OnCallStore.ts"
import { JobFailed } from "../ports/JobHandlers.ts"
import { PublicUrl } from "./PublicUrl.ts"

/** Decodes a job's payload; fails for good when it cannot. */
export const payloadOf = <A, I>(schema: Schema.Schema<A, I>, { job }: WorkspaceJob) =>
  Effect.mapError(
    Schema.decodeUnknown(schema)(job.payload),
    ({ message }) => new JobFailed({ reason: `It cannot be read: ${message}`, isFinal: true })
  )

/** Fans an event of an incident out to members, places and sources, once, in one transaction. */
export const follow = Effect.fn("FollowIncident.follow")(function* (work: WorkspaceJob) {
  const about = yield* payloadOf(Follow, work)
  const base = yield* PublicUrl
  const linkTo = (workspace: string, { key }: Incident) => `${base}/${workspace}/incidents/${key}`
  yield* (yield* OnCallStore).follow(work.workspace, work.job.id, (at) => planned(at, about, linkTo))
})

const Investigate = Schema.Struct({ incident: IncidentKey })

/** Investigates the cause, records the finding, and asks for or starts the step it requires. */
export const investigate = Effect.fn("FollowIncident.investigate")(function* (work: WorkspaceJob) {
  const { incident } = yield* payloadOf(Investigate, work)
  const store = yield* OnCallStore
  const evidence = yield* store.evidence(work.workspace, incident)
  if (evidence === null) return
  const finding = yield* (yield* Investigator).investigate(evidence)
  yield* store.conclude(work.workspace, work.job.id, conclude(finding))
})
