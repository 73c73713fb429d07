import type { DateTime, Effect } from "effect"
import * as Severity from "../../../domain/value/Severity.ts"
import type { Decoded, UnreadableAlert } from "../../../domain/oncall/Signal.ts"
import { type Fields, fields, first, ignored, labels, links, list, one, text, time } from "../PayloadFields.ts"
import { shown } from "../AlertStates.ts"

/** Decodes a hook from its action, its data and its time. */
export type Read = (
  action: string,
  data: Fields,
  sent: DateTime.Utc | null,
  severities: Severity.Words | undefined
) => Effect.Effect<Decoded, UnreadableAlert>

const words: Severity.Words = { fatal: "critical", debug: "info", sample: "info" }

/** Issues and metric alerts are each numbered from one. */
const identity = (kind: "issue" | "metric", id: unknown) => (text(id) === null ? null : `${kind}:${text(id)}`)

export const metricAlert: Read = (action, data, sent, severities) => {
  if (!["critical", "warning", "open", "resolved"].includes(action))
    return ignored(`${shown(action)} does not say how a metric alert stands`)
  const alert = fields(data["metric_alert"])
  const rule = fields(alert["alert_rule"])
  const isResolved = action === "resolved"
  const started = time(alert["date_started"])
  const ended = time(alert["date_closed"]) ?? sent
  return one({
    title: first(rule["name"], alert["title"], data["description_title"]),
    status: isResolved ? "resolved" : "firing",
    fingerprint: identity("metric", alert["id"]),
    severity: isResolved ? null : Severity.read(action, severities),
    service: text(list(alert["projects"])[0]),
    environment: text(rule["environment"]),
    description: text(data["description_text"]),
    startedAt: started,
    endedAt: isResolved ? ended : null,
    labels: labels({ rule_id: rule["id"], aggregate: rule["aggregate"], query: rule["query"] }),
    links: links({ Sentry: data["web_url"] }),
    at: isResolved ? ended : (started ?? sent)
  })
}

const pairs = (tags: unknown): Fields =>
  Object.fromEntries(list(tags).flatMap((pair) => (Array.isArray(pair) ? [[text(pair[0]) ?? "tag", pair[1]]] : [])))

/** An issue that a rule finds alarming; only the issue's own hook reports its end. */
export const eventAlert: Read = (_, data, _sent, severities) => {
  const event = fields(data["event"])
  const tags = pairs(event["tags"])
  const project = /\/projects\/[^/]+\/([^/]+)\//.exec(text(event["url"]) ?? "")?.[1]
  const at = time(event["datetime"])
  return one({
    title: text(event["title"]),
    status: "firing",
    fingerprint: identity("issue", event["issue_id"]),
    severity: Severity.read(first(event["level"], tags["level"]), severities, words),
    service: first(project, tags["service"], tags["server_name"]),
    environment: first(event["environment"], tags["environment"]),
    description: first(fields(event["metadata"])["value"], event["culprit"]),
    startedAt: at,
    labels: labels(tags, { rule: data["triggered_rule"], release: event["release"], platform: event["platform"] }),
    links: links({ Sentry: event["web_url"] }),
    at,
    isTest: tags["sample_event"] === "yes"
  })
}

export const issue: Read = (action, data, sent, severities) => {
  const isResolved = ["resolved", "archived", "ignored"].includes(action)
  if (!isResolved && action !== "created" && action !== "unresolved")
    return ignored(`${shown(action)} does not say how an issue stands`)
  const found = fields(data["issue"])
  return one({
    title: text(found["title"]),
    status: isResolved ? "resolved" : "firing",
    fingerprint: identity("issue", found["id"]),
    severity: isResolved ? null : Severity.read(first(found["level"], found["priority"]), severities, words),
    service: text(fields(found["project"])["slug"]),
    description: text(found["culprit"]),
    startedAt: time(found["firstSeen"]),
    endedAt: isResolved ? sent : null,
    labels: labels({
      short_id: found["shortId"],
      level: found["level"],
      priority: found["priority"],
      category: found["issueCategory"],
      substatus: found["substatus"]
    }),
    links: links({ Sentry: first(found["web_url"], found["permalink"]) }),
    at: sent,
    isReopening: action === "unresolved"
  })
}
