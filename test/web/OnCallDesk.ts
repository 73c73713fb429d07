import { Effect } from "effect"
import * as FollowIncident from "../../application/oncall/FollowIncident.ts"
import * as Services from "../../application/oncall/Services.ts"
import { AuditLog } from "../../application/ports/AuditLog.ts"
import { OnCallStore } from "../../application/ports/OnCallStore.ts"
import type { AuditEntry } from "../../domain/workspace/Audit.ts"
import type { IncidentView } from "../../domain/oncall/Incident.ts"
import type { Signal } from "../../domain/oncall/Signal.ts"
import type { WorkspaceId } from "../../domain/workspace/Workspace.ts"
import * as At from "../contract/scenes/OnCallScene.ts"
import { fires } from "../domain/oncall/TriageScene.ts"
import * as Queue from "../jobs/Queue.ts"
import * as People from "../support/People.ts"
import * as Seed from "../support/Seed.ts"

/** A workspace whose service checkout notifies its owner and its member; its sources send alerts. */
export const desk = Effect.gen(function* () {
  const place = yield* At.place
  const member = yield* People.person(place.slug, "member")
  yield* Services.set(place.owner, "checkout", { notify: [Seed.ownerEmail, People.emailOf("member")] })
  return { ...place, member }
})
export type Desk = Effect.Effect.Success<typeof desk>

/** Sends alerts, and does what follows from them except for mails and posts. */
export const tell = (at: Desk, ...signals: ReadonlyArray<Signal>) =>
  Effect.gen(function* () {
    yield* At.tell(at, ...signals)
    for (const job of (yield* Queue.all(at.id, "queued")).toReversed())
      if (job.kind === "follow_incident") yield* FollowIncident.follow({ workspace: at.id, job })
  })

export const alert = (name: string, said: Parameters<typeof fires>[1] = {}) =>
  fires(name, { severity: "critical", environment: name, title: `${name} is down`, ...said })

/** Newest first. */
export const incidents = (workspace: WorkspaceId) =>
  Effect.map(
    Effect.flatMap(OnCallStore, (store) => store.incidents(workspace)),
    (all) => all.map((json) => JSON.parse(json) as typeof IncidentView.Encoded)
  )

/** The newest audit entries: event, result and channel of each. */
export const entries = (workspace: WorkspaceId, most: number) =>
  Effect.map(
    Effect.flatMap(AuditLog, (log) => log.page(workspace, Seed.anyEntry, { limit: most, before: null })),
    ({ items }) =>
      (JSON.parse(items) as ReadonlyArray<typeof AuditEntry.Encoded>).map(({ details, event, result }) =>
        [event, result, details["channel"]].join(" ")
      )
  )

/** Values that must stay text on every page. */
export const hostile = `<script>alert(1)</script>"'><img src=x onerror=alert(2)>&lt;b&gt;`

/** Fails when hostile text became markup; quotes and angle brackets must be escaped. */
export const markup = (html: string): ReadonlyArray<string> =>
  html.match(/<script>|<img|onerror=alert\(2\)>(?!&)/g) ?? []
