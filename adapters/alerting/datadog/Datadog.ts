import type { Translator } from "../../../application/ports/AlertTools.ts"
import * as Severity from "../../../domain/value/Severity.ts"
import type { Signal } from "../../../domain/oncall/Signal.ts"
import { samples, template } from "./DatadogPayload.ts"
import { bearer } from "../Proofs.ts"
import * as PayloadFields from "../PayloadFields.ts"
import * as Signing from "../Signing.ts"

const firing = /^(triggered|re-triggered|warn|re-warn|no data|re-no data|renotify)$/i
const prefixes = /^(\[(TEST|P[1-5]|(Re-)?(Triggered|Warn|No Data|Renotify|Recovered)[^\]]*)\]\s*)+/i

const first = (...values: ReadonlyArray<unknown>): string | null =>
  PayloadFields.first(...values.map(PayloadFields.filled))

/** Reads the transition, or else the type of the event. */
const statusOf = (event: PayloadFields.Fields): Signal["status"] | null => {
  const transition = first(event["alert_transition"]) ?? ""
  if (/^recovered/i.test(transition)) return "resolved"
  if (firing.test(transition)) return "firing"
  const type = first(event["alert_type"])?.toLowerCase()
  if (type === "success") return "resolved"
  return type === "error" || type === "warning" ? "firing" : null
}

/** Identity from trigger to recovery, or else the monitor's group: the monitor alone would mix its groups. */
const identityOf = (event: PayloadFields.Fields): string | null => {
  const monitor = first(event["alert_id"], event["monitor_id"])
  const scope = first(event["alert_scope"], event["scopes"]) ?? ""
  return first(event["alert_cycle_key"]) ?? (monitor === null ? null : `${monitor} ${scope}`)
}

/** Parses `env:prod,monitor,service:orders` or a list of such; a word without a value is skipped. */
const tagged = (...values: ReadonlyArray<unknown>): Record<string, string> =>
  Object.fromEntries(
    values
      .flatMap((value) => (Array.isArray(value) ? value : (first(value)?.split(",") ?? [])))
      .flatMap((tag) => {
        const [, name, value] = /^([^:]+):(.+)$/.exec(first(tag) ?? "") ?? []
        return name === undefined || value === undefined ? [] : [[name, value]]
      })
  )

const decode: Translator["decode"] = ({ json, severities }) => {
  const event = PayloadFields.fields(json)
  const status = statusOf(event)
  const fingerprint = identityOf(event)
  if (status === null || fingerprint === null)
    return PayloadFields.unreadable(
      "it lacks alert_transition or alert_cycle_key, as Datadog's default payload does; paste the payload of this source's set-up steps into the webhook"
    )
  const tags = tagged(event["tags"], event["alert_scope"], event["scopes"])
  const title = first(event["alert_title"], event["title"])
  const at = PayloadFields.epoch(first(event["date"], event["last_updated"], event["date_posix"]))
  const priority = /^p[1-5]$/i.exec(first(event["alert_priority"]) ?? "")?.[0]
  return PayloadFields.one({
    title: PayloadFields.first(title?.replace(prefixes, ""), title),
    status,
    fingerprint,
    severity:
      status === "firing" ? Severity.read(first(priority, event["severity"], event["alert_type"]), severities) : null,
    service: first(event["service"], tags["service"]),
    environment: first(event["environment"], tags["env"]),
    description: PayloadFields.text(first(event["text_only_msg"], event["body"])?.replaceAll("%%%", "")),
    startedAt: status === "firing" ? at : null,
    endedAt: status === "resolved" ? at : null,
    labels: {
      ...tags,
      ...PayloadFields.labels({
        alert_id: first(event["alert_id"], event["monitor_id"]),
        alert_metric: first(event["alert_metric"]),
        alert_query: first(event["alert_query"]),
        hostname: first(event["hostname"])
      })
    },
    links: PayloadFields.links({ Event: first(event["link"], event["url"]), Snapshot: event["snapshot"] }),
    at,
    isTest: /^(\[P[1-5]\]\s*)?\[TEST\]/i.test(title ?? "")
  })
}

/** Datadog's webhooks, whose body is the template that users paste. */
export const datadog: Translator = {
  proof: bearer,
  sign: Signing.bearer,
  decode,
  samples,
  setup: ({ secret, url }) => [
    "In Datadog open Integrations > Webhooks, add a webhook named 'gatehouse' and set:",
    `  URL: ${url}`,
    `  Custom headers: {"Authorization":"Bearer ${secret}"}`,
    "  Encode as form: off",
    "  Payload:",
    ...template,
    "Write @webhook-gatehouse into each monitor's message, outside {{#is_alert}}, so that recoveries are sent too.",
    "Severity is the monitor's priority; service and environment are its tags 'service' and 'env'."
  ]
}
