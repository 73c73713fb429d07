import { Effect } from "effect"
import type { Translator } from "../../../application/ports/AlertTools.ts"
import * as Severity from "../../../domain/value/Severity.ts"
import { named } from "../DeliveryName.ts"
import { hex, hmac } from "../Proofs.ts"
import {
  type Fields,
  fields,
  first,
  ignored,
  labels,
  links,
  list,
  one,
  text,
  time,
  unreadable
} from "../PayloadFields.ts"
import { shown } from "../AlertStates.ts"
import * as Signing from "../Signing.ts"

/** During a rotation the header holds one signature per secret; signatures of later versions are ignored. */
const signed = hmac({
  header: "X-PagerDuty-Signature",
  read: (header) =>
    header.split(",").flatMap((part) => (part.trim().startsWith("v1=") ? hex(part.trim().slice("v1=".length)) : []))
})

/** The events that carry the whole incident. */
const change =
  /^incident\.(triggered|acknowledged|unacknowledged|resolved|reopened|escalated|delegated|reassigned|priority_updated|service_updated|incident_type\.changed)$/

const summary = (reference: unknown): string | null => first(fields(reference)["summary"], fields(reference)["id"])

/** PagerDuty sends no description. */
const description = (incident: Fields): string => {
  const reason = fields(incident["resolve_reason"])
  const said = `PagerDuty incident ${first(incident["number"], incident["id"])}`
  if (reason["type"] !== "merge_resolve_reason") return `${said}.`
  return `${said}, merged into ${summary(reason["incident"]) ?? "another one"}.`
}

/** The priority, or the urgency if the priority is missing or a word of the account's own. */
const severityOf = ({ priority, urgency }: Fields, severities: Severity.Words | undefined): Severity.Said => {
  const said = text(fields(priority)["summary"])
  const byPriority = Severity.read(said, severities)
  if (said !== null && byPriority.unknown === null) return byPriority
  const byUrgency = Severity.read(urgency, severities)
  return { ...byUrgency, unknown: byPriority.unknown ?? byUrgency.unknown }
}

const decode: Translator["decode"] = ({ json, severities }) => {
  const body = fields(json)
  if (Array.isArray(body["messages"]))
    return unreadable("it is of a V2 extension; set up a Generic Webhook (v3) in its place")
  const event = fields(body["event"])
  const type = text(event["event_type"])
  if (type === null) return unreadable("it has no event.event_type, which every V3 webhook has")
  if (type === "pagey.ping") return ignored("a test message")
  if (!change.test(type)) return ignored(`${shown(type)} does not say how an incident stands`)
  const incident = fields(event["data"])
  const isReopening = type === "incident.reopened"
  const isResolved = !isReopening && (type === "incident.resolved" || incident["status"] === "resolved")
  const bridge = fields(incident["conference_bridge"])
  const at = time(event["occurred_at"])
  return one({
    title: text(incident["title"]),
    status: isResolved ? "resolved" : "firing",
    fingerprint: text(incident["id"]),
    severity: isResolved ? null : severityOf(incident, severities),
    service: summary(incident["service"]),
    description: description(incident),
    startedAt: time(incident["reopened_at"]) ?? time(incident["created_at"]),
    endedAt: isResolved ? at : null,
    labels: labels({
      number: incident["number"],
      incident_key: incident["incident_key"],
      urgency: incident["urgency"],
      priority: summary(incident["priority"]),
      service_id: fields(incident["service"])["id"],
      escalation_policy: summary(incident["escalation_policy"]),
      team: summary(list(incident["teams"])[0])
    }),
    links: links({ PagerDuty: incident["html_url"], Conference: bridge["conference_url"] }),
    at,
    isReopening,
    isAcknowledgement: type === "incident.acknowledged"
  })
}

const sample = (status: "triggered" | "resolved", at: string) => ({
  body: {
    event: {
      event_type: `incident.${status}`,
      occurred_at: at,
      data: {
        id: "Q2ZK7M9XWB41DE",
        status,
        title: "checkout: 5xx rate above 8%",
        service: { id: "PCHK01A", summary: "Checkout" },
        priority: { id: "PPRI01", summary: "P1" }
      }
    }
  }
})

/** PagerDuty webhook subscriptions, version 3. */
export const pagerduty: Translator = {
  proof: (post, expected) => Effect.as(signed(post, expected), { delivery: named(post.headers["x-webhook-id"]) }),
  sign: Signing.signed("x-pagerduty-signature", "v1="),
  decode,
  samples: {
    firing: sample("triggered", "2026-11-14T11:40:02Z"),
    resolved: sample("resolved", "2026-11-14T12:05:47Z")
  },
  setup: ({ url }) => [
    "In PagerDuty open Integrations > Generic Webhooks (v3) and choose New Webhook.",
    `Webhook URL: ${url}`,
    "Scope Type: the service, team or account whose incidents are to come here.",
    "Event Subscription: all events that begin with 'incident.'; those of no use are ignored.",
    "Add Webhook. PagerDuty shows the signing secret once: make it the secret of this source.",
    "Send Test Event is answered with 202 and recorded as a test message."
  ]
}
