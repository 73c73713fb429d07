import type { Sample, Translator } from "../../../application/ports/AlertTools.ts"
import * as Severity from "../../../domain/value/Severity.ts"
import { bearer } from "../Proofs.ts"
import { epoch, fields, first, ignored, labels, list, one, text, unreadable } from "../PayloadFields.ts"
import { shown } from "../AlertStates.ts"
import * as Signing from "../Signing.ts"

/** P1 to P5 is also sent as a number, as JSON or text. */
const words: Severity.Words = { 1: "critical", 2: "high", 3: "medium", 4: "low", 5: "info" }

/** State of an alert by the action; most actions say nothing. */
const stands: Readonly<Record<string, "firing" | "resolved">> = {
  Create: "firing",
  Acknowledge: "firing",
  UnAcknowledge: "firing",
  Close: "resolved",
  Delete: "resolved"
}

const isEnvironment = /^env(ironment)?:/i

const decode: Translator["decode"] = ({ json, severities }) => {
  const body = fields(json)
  const action = text(body["action"])
  if (action === null) return unreadable("it has no action")
  const status = Object.hasOwn(stands, action) ? stands[action] : undefined
  if (status === undefined) return ignored(`${shown(action)} does not say whether an alert fires`)
  const alert = fields(body["alert"])
  const details = fields(alert["details"])
  const tags = list(alert["tags"]).flatMap((tag) => text(tag) ?? [])
  const responders = list(alert["responders"]).flatMap((responder) => text(fields(responder)["name"]) ?? [])
  const at = epoch(alert["updatedAt"])
  const isTold = text(alert["priority"]) !== null || action === "Create"
  return one({
    title: text(alert["message"]),
    status,
    fingerprint: text(alert["alertId"]),
    severity: status === "firing" && isTold ? Severity.read(alert["priority"], severities, words) : null,
    service: first(details["service"], alert["entity"], responders[0]),
    environment: first(details["environment"], tags.find((tag) => isEnvironment.test(tag))?.replace(isEnvironment, "")),
    description: text(alert["description"]),
    startedAt: epoch(alert["createdAt"]),
    endedAt: status === "resolved" ? at : null,
    labels: labels(details, {
      alias: alert["alias"],
      tiny_id: alert["tinyId"],
      source: alert["source"],
      priority: alert["priority"],
      tags: tags.join(", "),
      responders: responders.join(", ")
    }),
    at,
    isAcknowledgement: action === "Acknowledge"
  })
}

const sample = (action: string, updatedAt: number): Sample => ({
  body: {
    action,
    alert: {
      alertId: "b0e4b3a6-7c1d-4c77-a2c9-6f5d2f1e9a08-1794672000123",
      message: "Kafka consumer lag above 50k",
      tags: ["kafka", "env:prod"],
      tinyId: "3087",
      entity: "orders-consumer",
      alias: "kafka-lag/orders-consumer/prod",
      createdAt: 1794672000123,
      updatedAt,
      username: "System",
      priority: "P1",
      source: "Prometheus"
    },
    integrationName: "gatehouse",
    integrationType: "Webhook"
  }
})

/** Webhook integrations of Opsgenie and of Jira Service Management, which took it over. */
export const opsgenie: Translator = {
  proof: bearer,
  sign: Signing.bearer,
  decode,
  samples: {
    firing: sample("Create", 1_794_672_000_123_000_064),
    resolved: sample("Close", 1_794_673_800_999_000_064)
  },
  setup: ({ secret, url }) => [
    "In Opsgenie open Settings > Integrations > Add integration > Webhook; in Jira Service Management, Operations > Integrations.",
    `Webhook URL: ${url}`,
    `Custom header: Authorization, with the value: Bearer ${secret}`,
    "Tick 'Add Alert Description to Payload' and 'Add Alert Details to Payload'.",
    "Alert actions to send: Create, Acknowledge, UnAcknowledge, Close and Delete. Others are ignored.",
    "An alert is of the service that its detail 'service' names, else of its entity."
  ]
}
