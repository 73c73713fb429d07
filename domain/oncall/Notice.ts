import { Schema } from "effect"
import { DecisionKey } from "../work/Decision.ts"
import { IncidentKey } from "../value/IncidentKey.ts"
import { Severity } from "../value/Severity.ts"
import { cut, oneLine } from "../value/Text.ts"
import { TeamSlug } from "../workspace/Team.ts"
import { Timestamp } from "../value/Timestamp.ts"

export const NoticeEvent = Schema.Literal("opened", "reopened", "updated", "asked", "resolved")
export type NoticeEvent = typeof NoticeEvent.Type

/** A message about an incident for members and places. */
export const Notice = Schema.Struct({
  event: NoticeEvent,
  workspace: Schema.String,
  incident: Schema.Struct({
    key: IncidentKey,
    status: Schema.Literal("open", "resolved"),
    severity: Severity,
    title: Schema.String,
    team: TeamSlug,
    service: Schema.String,
    environment: Schema.NullOr(Schema.String),
    openedAt: Timestamp,
    resolvedAt: Schema.NullOr(Timestamp),
    /** Number of alerts that ever joined it, and of its firing alerts. */
    alerts: Schema.Int,
    firing: Schema.Int,
    url: Schema.String
  }),
  /** Some of its alerts, newest first. */
  alerts: Schema.Array(
    Schema.Struct({
      title: Schema.String,
      severity: Severity,
      status: Schema.String,
      url: Schema.NullOr(Schema.String)
    })
  ),
  /** Names of the notified members. */
  notified: Schema.Array(Schema.String),
  /** Finding of the investigation, once there is one. */
  finding: Schema.optionalWith(Schema.NullOr(Schema.String), { default: () => null }),
  /** The decision that was raised about it. */
  decision: Schema.NullOr(
    Schema.Struct({
      key: DecisionKey,
      title: Schema.String,
      options: Schema.Array(Schema.Struct({ id: Schema.String, label: Schema.String })),
      recommendation: Schema.String
    })
  )
})
export type Notice = typeof Notice.Type

const where = ({ environment, service }: Notice["incident"]) =>
  environment === null ? service : `${service} (${environment})`

const count = (amount: number, word: string) => `${amount.toLocaleString("en")} ${word}${amount === 1 ? "" : "s"}`

const heads: Record<NoticeEvent, (notice: Notice) => string> = {
  opened: ({ incident }) => `[${incident.severity}] ${incident.title}`,
  reopened: ({ incident }) => `[${incident.severity}] Again: ${incident.title}`,
  updated: ({ incident }) => `[${incident.severity}] Still open: ${incident.title}`,
  asked: ({ decision, incident }) => `[${incident.severity}] Asked about ${incident.key}: ${decision?.title ?? ""}`,
  resolved: ({ incident }) => `[resolved] ${incident.title}`
}

/** One line, such as the subject of a mail. */
export const subject = (notice: Notice): string => cut(oneLine(heads[notice.event](notice)), 200)

/** The whole message for people. */
export const text = (notice: Notice): string => {
  const { alerts, decision, finding, incident, notified } = notice
  const { alerts: joined, firing, key } = incident
  const state = incident.status === "open" ? `${count(joined, "alert")}, ${firing} firing` : count(joined, "alert")
  return [
    subject(notice),
    `${key}, ${where(incident)}, team ${incident.team}: ${state}`,
    ...alerts.map(
      ({ severity, status, title, url }) => `- ${oneLine(title)} (${severity}, ${status})${url ? ` ${url}` : ""}`
    ),
    ...(joined > alerts.length && alerts.length > 0 ? [`and ${count(joined - alerts.length, "more alert")}`] : []),
    ...(finding === null ? [] : [`Cause: ${oneLine(finding)}`]),
    ...(decision === null
      ? []
      : [
          `${decision.key} asks: ${oneLine(decision.title)}`,
          ...decision.options.map(
            ({ id, label }) => `- ${id}: ${oneLine(label)}${id === decision.recommendation ? " (recommended)" : ""}`
          )
        ]),
    ...(notified.length > 0 ? [`Notified: ${notified.join(", ")}`] : []),
    incident.url
  ].join("\n")
}
