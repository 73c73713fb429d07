import { Effect } from "effect"
import type { Sample, Translator } from "../../../application/ports/AlertTools.ts"
import { named } from "../DeliveryName.ts"
import { hex, hmac } from "../Proofs.ts"
import { epoch, fields, ignored, text, unreadable } from "../PayloadFields.ts"
import * as SentryAlerts from "./SentryAlerts.ts"
import { shown } from "../AlertStates.ts"
import * as Signing from "../Signing.ts"

const signed = hmac({ header: "Sentry-Hook-Signature", read: hex })

const readers: Readonly<Record<string, SentryAlerts.Read>> = {
  metric_alert: SentryAlerts.metricAlert,
  event_alert: SentryAlerts.eventAlert,
  issue: SentryAlerts.issue
}

/** A header, not the body, names the resource. */
const decode: Translator["decode"] = ({ headers, json, severities }) => {
  const resource = text(headers["sentry-hook-resource"])
  const action = text(fields(json)["action"])
  if (resource === null) return unreadable("it has no header Sentry-Hook-Resource, which tells what it is about")
  if (resource === "installation") return ignored("the handshake of an installation")
  const read = Object.hasOwn(readers, resource) ? readers[resource] : undefined
  if (read === undefined) return ignored(`${shown(resource)} is no alert`)
  if (action === null) return unreadable("it has no action")
  return read(action, fields(fields(json)["data"]), epoch(headers["sentry-hook-timestamp"]), severities)
}

const sample = (action: string, closed: string | null): Sample => ({
  headers: { "Sentry-Hook-Resource": "metric_alert", "Sentry-Hook-Timestamp": "1794663360" },
  body: {
    action,
    data: {
      metric_alert: {
        id: "88213",
        projects: ["checkout-web"],
        alert_rule: { id: "9034", name: "Checkout error rate", environment: "production", aggregate: "count()" },
        date_started: "2026-11-14T13:10:00Z",
        date_closed: closed
      },
      description_text: "263 events in the last 5 minutes\nFilter: level:error",
      web_url: "https://acme.sentry.io/organizations/acme/alerts/rules/details/9034/?alert=412"
    }
  }
})

/** Sentry's integration platform: internal integrations and published ones. */
export const sentry: Translator = {
  proof: (post, expected) => Effect.as(signed(post, expected), { delivery: named(post.headers["request-id"]) }),
  sign: Signing.signed("sentry-hook-signature", ""),
  decode,
  samples: { firing: sample("critical", null), resolved: sample("resolved", "2026-11-14T13:36:00Z") },
  setup: ({ url }) => [
    "In Sentry open Settings > Developer Settings > Custom Integrations and create an internal integration.",
    `Webhook URL: ${url}`,
    "Switch Alert Rule Action on, so that alert rules can name the integration.",
    "Permissions: Issue & Event: Read. Webhooks: issue, by which Sentry tells that an issue is resolved.",
    "Save, copy the Client Secret and make it the secret of this source.",
    "In each alert rule that is to come here add the action 'Send a notification via' this integration."
  ]
}
