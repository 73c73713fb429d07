import * as Json from "../../application/ports/Json.ts"
import { IncidentHistory, longestHistory, type Sent } from "../../domain/oncall/Incident.ts"
import type { SourceId } from "../../domain/oncall/SignalSource.ts"
import type { IncidentKey } from "../../domain/value/IncidentKey.ts"
import type { Job } from "../../domain/work/Job.ts"
import type { MemberId } from "../../domain/workspace/Member.ts"
import { values } from "./MemoryWorkContext.ts"
import type { Tenant } from "./MemoryState.ts"

const encode = Json.encoder(IncidentHistory)

const newest = <A>(rows: ReadonlyArray<A>): ReadonlyArray<A> => rows.slice(-longestHistory).toReversed()

const text = (value: unknown) => (typeof value === "string" ? value : "")

const recipientOf = (tenant: Tenant | undefined, { kind, payload }: Job) => {
  if (kind === "post_to_place") return text(payload["place"])
  return kind === "notify_member"
    ? (tenant?.members.get(payload["member"] as MemberId)?.name ?? "")
    : (tenant?.sources.get(payload["source"] as SourceId)?.name ?? "")
}

const isSending = (kind: Job["kind"]): kind is Sent["kind"] =>
  kind === "notify_member" || kind === "post_to_place" || kind === "update_source"

const sentOf =
  (tenant: Tenant | undefined) =>
  (job: Job): ReadonlyArray<Sent> => {
    const { createdAt, error, kind, payload, status, tries, updatedAt } = job
    const notice = payload["notice"] as { readonly event?: unknown } | undefined
    const event = text(notice?.event ?? payload["to"])
    const to = recipientOf(tenant, job)
    return isSending(kind) ? [{ kind, to, event, status, tries, error, createdAt, updatedAt }] : []
  }

/** Everything recorded about an incident besides its alerts. */
export const historyOf = (tenant: Tenant | undefined, key: IncidentKey): Json.Json<IncidentHistory> =>
  encode({
    entries: newest(
      (tenant?.audit ?? [])
        .map(({ value }) => value)
        .filter(({ entity }) => entity.type === "incident" && entity.id === key)
    ),
    notified: newest(
      values(tenant?.notifications)
        .filter(({ incident }) => incident === key)
        .map(({ createdAt, event, member, readAt }) => ({
          member,
          name: tenant?.members.get(member)?.name ?? "",
          event,
          createdAt,
          readAt
        }))
    ),
    sent: newest(
      values(tenant?.jobs)
        .filter(({ payload }) => payload["incident"] === key)
        .flatMap(sentOf(tenant))
    )
  })
