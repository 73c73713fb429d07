import { type Fields, fields, first, list, storable, text } from "../PayloadFields.ts"

/** The portal tests an action group with canned alerts, which never resolve. */
export const isTest = (essentials: Fields): boolean => {
  const places = [essentials["targetResourceGroup"], ...list(essentials["alertTargetIDs"])]
  const isCanned =
    places.some((place) => /(^|\/)test-rg(\/|$)/i.test(text(place) ?? "")) ||
    essentials["description"] === "Alert rule description"
  return isCanned && /^test-/i.test(text(essentials["alertRule"]) ?? "")
}

/** Alerts of the activity log always say Fired, each under a new id; their event shows whether the problem is over. */
export const activityOf = (essentials: Fields, context: Fields) => {
  const isHealth = /^(service|resource) ?health$/i.test(text(essentials["monitoringService"]) ?? "")
  if (!isHealth && !/^activity ?log$/i.test(text(essentials["signalType"]) ?? "")) return null
  const properties = fields(context["properties"])
  const about = first(properties["trackingId"], list(essentials["alertTargetIDs"])[0])
  const stages = [properties["stage"], properties["status"], context["status"]]
  return {
    fingerprint: isHealth && about !== null ? `${text(essentials["alertRule"])}:${about}` : null,
    isOver: stages.some((stage) => /^(resolved|complete|canceled|rca)$/i.test(text(stage) ?? ""))
  }
}

const details = "https://portal.azure.com/#view/Microsoft_Azure_Monitoring_Alerts/AlertDetails.ReactView/alertId/"

export const portalOf = (essentials: Fields): string | null => {
  const id = text(essentials["alertId"])
  return id === null ? null : `${details}${encodeURIComponent(storable(id, 1000))}`
}
