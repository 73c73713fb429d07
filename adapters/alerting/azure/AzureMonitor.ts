import type { Sample, Translator } from "../../../application/ports/AlertTools.ts"
import * as Severity from "../../../domain/value/Severity.ts"
import { activityOf, isTest, portalOf } from "./AzureEssentials.ts"
import { key } from "../Proofs.ts"
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

const words: Severity.Words = { sev0: "critical", sev1: "high", sev2: "medium", sev3: "low", sev4: "info" }

const joined = (separator: string, parts: ReadonlyArray<unknown>): string | null =>
  text(parts.flatMap((part) => text(part) ?? []).join(separator))

const condition = ({ metricName, metricValue, operator, threshold }: Fields): string | null =>
  joined(" ", [metricName, operator, threshold, text(metricValue) === null ? null : `(it is ${text(metricValue)})`])

const decode: Translator["decode"] = ({ json, severities }) => {
  const { data, schemaId } = fields(json)
  if (schemaId !== "azureMonitorCommonAlertSchema")
    return unreadable(`its schemaId is ${shown(schemaId)}; switch 'Enable the common alert schema' on for the webhook`)
  const essentials = fields(fields(data)["essentials"])
  const context = fields(fields(data)["alertContext"])
  const custom = fields(fields(data)["customProperties"])
  const state = text(essentials["monitorCondition"])
  if (state !== "Fired" && state !== "Resolved") return ignored(`${shown(state)} does not say whether an alert fires`)
  const activity = activityOf(essentials, context)
  const isResolved = state === "Resolved" || activity?.isOver === true
  const criteria = list(fields(context["condition"])["allOf"]).map(fields)
  const [item] = list(essentials["configurationItems"])
  const fired = time(essentials["firedDateTime"])
  const ended = state === "Resolved" ? time(essentials["resolvedDateTime"]) : fired
  return one({
    title: joined(": ", [essentials["alertRule"], item]),
    status: isResolved ? "resolved" : "firing",
    fingerprint: activity?.fingerprint ?? first(essentials["alertId"], essentials["originAlertId"]),
    severity: isResolved ? null : Severity.read(essentials["severity"], severities, words),
    service: first(custom["service"], item, text(list(essentials["alertTargetIDs"])[0])?.split("/").at(-1)),
    environment: first(custom["environment"], essentials["targetResourceGroup"]),
    description: joined("\n", [
      essentials["description"],
      fields(context["properties"])["title"],
      ...criteria.map(condition)
    ]),
    startedAt: activity?.isOver === true ? null : fired,
    endedAt: isResolved ? ended : null,
    labels: labels(custom, context["labels"], {
      signal_type: essentials["signalType"],
      monitoring_service: essentials["monitoringService"],
      resource_type: essentials["targetResourceType"],
      resource_group: essentials["targetResourceGroup"]
    }),
    links: links({
      "Azure portal": portalOf(essentials),
      Investigation: essentials["investigationLink"],
      "Search results": criteria[0]?.["linkToSearchResultsUI"]
    }),
    at: isResolved ? ended : fired,
    isTest: isTest(essentials)
  })
}

const sample = (monitorCondition: string, times: Fields): Sample => ({
  body: {
    schemaId: "azureMonitorCommonAlertSchema",
    data: {
      essentials: {
        alertId: "/subscriptions/6f1d2c3b/providers/Microsoft.AlertsManagement/alerts/2a7c91d0",
        alertRule: "vm-cpu-high",
        severity: "Sev1",
        monitorCondition,
        configurationItems: ["billing-vm-1"],
        firedDateTime: "2026-11-14T14:03:22.4471203Z",
        ...times
      },
      customProperties: { service: "billing", environment: "production" }
    }
  }
})

/** Webhook actions of Azure Monitor's action groups, in the common alert schema. */
export const azureMonitor: Translator = {
  proof: key,
  sign: Signing.key,
  decode,
  samples: {
    firing: sample("Fired", {}),
    resolved: sample("Resolved", { resolvedDateTime: "2026-11-14T14:21:40.1183321Z" })
  },
  setup: ({ secret, url }) => [
    "In the Azure portal open Monitor > Alerts > Action groups, and create one or edit yours.",
    "Under Actions add one of the type Webhook.",
    `URI: ${url}?key=${encodeURIComponent(secret)}`,
    "Enable the common alert schema: Yes.",
    "Under Test, the sample alerts are recorded as tests and wake nobody.",
    "In an alert rule, the custom properties 'service' and 'environment' say what its alerts are about."
  ]
}
