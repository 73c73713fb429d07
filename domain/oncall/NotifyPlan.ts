import { DateTime, Schema } from "effect"
import type { Alert } from "./Alert.ts"
import type { Rows } from "../Change.ts"
import type { Decision, DecisionKey } from "../work/Decision.ts"
import { Incident, type Standing } from "./Incident.ts"
import { incidentJob, sourceJobs } from "./IncidentJob.ts"
import { take } from "../work/Fresh.ts"
import { Job, type JobId, type JobKind } from "../work/Job.ts"
import type { Member } from "../workspace/Member.ts"
import { Notice, type NoticeEvent, subject, text } from "./Notice.ts"
import { Notification, type NotificationId } from "./InboxEntry.ts"
import type { Place } from "./Place.ts"
import { chosenMembers, chosenPlaces } from "./Reach.ts"
import type { Service } from "./Service.ts"
import type { SignalSource } from "./SignalSource.ts"

/** An incident with the rows that its follow-up reads. */
export interface FollowContext {
  readonly now: DateTime.Utc
  readonly job: Job
  /** The workspace's slug. */
  readonly workspace: string
  readonly standing: Standing
  readonly service: Service
  readonly members: ReadonlyArray<Pick<Member, "id" | "email" | "name">>
  /** The team's places. */
  readonly places: ReadonlyArray<Place>
  /** The sources of its alerts. */
  readonly sources: ReadonlyArray<SignalSource>
  /** Its newest alerts. */
  readonly alerts: ReadonlyArray<Alert>
  /** The decision about it, if the job names one. */
  readonly decision: Decision | null
  /** Ids for one job and one notification per recipient. */
  readonly freshIds: ReadonlyArray<string>
}

/** Payload of a job that follows up an event of an incident. */
export const Follow = Schema.Struct({
  incident: Incident.fields.key,
  event: Notice.fields.event,
  decision: Schema.NullOr(Schema.String),
  /** Notifies members of an event that was posted to places before. */
  isLater: Schema.Boolean
})

/** Builds the job for an event of an incident; jobs of one incident run in their order. */
export const followUp = (
  id: JobId,
  incident: Pick<Incident, "key" | "team">,
  event: NoticeEvent,
  now: DateTime.Utc,
  more: { readonly dueAt?: DateTime.Utc; readonly decision?: DecisionKey; readonly isLater?: boolean } = {}
): Job =>
  incidentJob(incident, now, {
    id,
    kind: "follow_incident",
    lane: `follow ${incident.key}`,
    dueAt: more.dueAt ?? null,
    payload: { event, decision: more.decision ?? null, isLater: more.isLater ?? false }
  })

/** News of an incident waits this long for more. */
export const foldSeconds = 15

/** Further reopenings within this time of a notified one are folded into one notice. */
export const quietMinutes = 10

export const noticeOf = (
  at: FollowContext,
  event: NoticeEvent,
  notified: ReadonlyArray<string>,
  linkTo: (workspace: string, incident: Incident) => string
): Notice => {
  const { decision, service, standing, workspace } = at
  const { firing, incident } = standing
  const { alerts, environment, key, openedAt, resolvedAt, severity, status, team, title } = incident
  return {
    event,
    workspace,
    incident: {
      key,
      status,
      severity,
      title,
      team,
      service: service.name,
      environment,
      openedAt,
      resolvedAt,
      alerts,
      firing,
      url: linkTo(workspace, incident)
    },
    alerts: at.alerts.map(({ links, severity, status, title }) => ({
      title,
      severity,
      status,
      url: links[0]?.url ?? null
    })),
    notified,
    finding: incident.investigation?.summary ?? null,
    decision: decision && {
      key: decision.key,
      title: decision.title,
      options: decision.options.map(({ id, label }) => ({ id, label })),
      recommendation: decision.recommendation
    }
  }
}

const encodeNotice = Schema.encodeSync(Notice)

/** Notifies the first reopening at once: after a notice of the end nobody looks any more. */
const timing = ({ now, standing: { incident } }: FollowContext, event: NoticeEvent): "now" | "later" | "never" => {
  if (event === "resolved") return incident.told === "open" ? "now" : "never"
  if (event !== "opened" && event !== "reopened") return "never"
  if (incident.told === "open") return "never"
  const { notifiedAt } = incident
  const isSoon = notifiedAt !== null && DateTime.lessThan(now, DateTime.add(notifiedAt, { minutes: quietMinutes }))
  return isSoon ? "later" : "now"
}

/** True for an event that became void before its turn: news of a resolved incident, the end of a reopened one. */
const isVoid = ({ standing: { incident } }: FollowContext, event: NoticeEvent): boolean =>
  incident.status === "resolved" ? event === "updated" || event === "reopened" : event === "resolved"

/** Returns the rows that follow from one event of an incident, with one job for each part. */
export const follow = (
  at: FollowContext,
  { event, isLater }: Pick<typeof Follow.Type, "event" | "isLater">,
  linkTo: (workspace: string, incident: Incident) => string
): { readonly added: Rows; readonly changed: Rows } => {
  const { now, service, standing } = at
  const { incident } = standing
  const done = new Job({ ...at.job, status: "done", tries: at.job.tries + 1, error: null, updatedAt: now })
  if (isVoid(at, event)) return { added: {}, changed: { jobs: [done] } }

  const ids = at.freshIds.values()
  const fresh = <Id extends string>(): Id => take(ids) as Id
  const job = (kind: JobKind, lane: string, payload: Job["payload"]) =>
    incidentJob(incident, now, { id: fresh<JobId>(), kind, lane, payload })

  const when = timing(at, event)
  const members = when === "now" ? chosenMembers(service, at.members) : []
  const notice = noticeOf(
    at,
    event,
    members.map(({ name }) => name),
    linkTo
  )
  const encoded = encodeNotice(notice)
  const places = isLater ? [] : chosenPlaces(service, at.places)
  const later =
    when === "later" && incident.notifiedAt !== null
      ? [
          followUp(fresh(), incident, "reopened", now, {
            dueAt: DateTime.add(incident.notifiedAt, { minutes: quietMinutes }),
            isLater: true
          })
        ]
      : []
  const notified =
    when !== "now"
      ? incident
      : new Incident({
          ...incident,
          told: event === "resolved" ? "resolved" : "open",
          notifiedAt: event === "reopened" ? now : incident.notifiedAt
        })
  return {
    added: {
      jobs: [
        ...members.map(({ email, id }) =>
          job("notify_member", `mail ${incident.key} ${id}`, { member: id, email, notice: encoded })
        ),
        ...places.map(({ name }) =>
          job("post_to_place", `post ${incident.key} ${name}`, { place: name, notice: encoded })
        ),
        ...(event === "resolved" ? sourceJobs(incident, at, "resolved", fresh) : []),
        ...(event === "opened" ? [job("investigate_incident", `investigate ${incident.key}`, {})] : []),
        ...later
      ],
      notifications: members.map(
        ({ id }) =>
          new Notification({
            id: fresh<NotificationId>(),
            member: id,
            incident: incident.key,
            event,
            subject: subject(notice),
            text: text(notice),
            createdAt: now,
            readAt: null
          })
      )
    },
    changed: { jobs: [done], ...(notified !== incident && { incidents: [notified] }) }
  }
}
