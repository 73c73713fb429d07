import type { Sample, Translator } from "../../../application/ports/AlertTools.ts"
import * as Severity from "../../../domain/value/Severity.ts"
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

/** A page's `major` means a partial outage. */
const own: Severity.Words = { major: "high", none: "info" }

const component = (update: Fields, found: Fields, page: Fields, severities: Severity.Words | undefined) => {
  const status = first(update["new_status"], found["status"])
  if (status === null) return unreadable("it does not say how the component is")
  const name = text(found["name"])
  const isResolved = status === "operational"
  const at = time(update["created_at"])
  return one({
    title: name === null ? null : `${name}: ${status.replaceAll("_", " ")}`,
    status: isResolved ? "resolved" : "firing",
    fingerprint: first(found["id"], update["component_id"]),
    severity: isResolved ? null : Severity.read(status, severities, own),
    service: name,
    description: text(page["status_description"]),
    startedAt: isResolved ? null : at,
    endedAt: isResolved ? at : null,
    labels: labels({ page: page["id"], group: found["group_id"], old_status: update["old_status"] }),
    at
  })
}

const isUnwell = (component: Fields) => component["new_status"] !== "operational"
const isOver = /^(resolved|completed|postmortem)$/
const isOn = /^(investigating|identified|monitoring|scheduled|in_progress|verifying)$/

/** The worst of its impact on the page and on its components; announced maintenance wakes nobody. */
const severityOf = (
  { impact, status }: Fields,
  affected: ReadonlyArray<Fields>,
  severities: Severity.Words | undefined
): Severity.Said => {
  if (status === "scheduled" || impact === "maintenance") return { severity: "info", unknown: null }
  const words = [impact, ...affected.map((component) => component["new_status"])].filter((word) => text(word) !== null)
  const said = words.map((word) => Severity.read(word, severities, own))
  const unknown = said.find((one) => one.unknown !== null)?.unknown ?? null
  return {
    severity: said.map(({ severity }) => severity).reduce(Severity.worst, said[0]?.severity ?? "medium"),
    unknown
  }
}

const incident = (found: Fields, page: Fields, severities: Severity.Words | undefined) => {
  const status = text(found["status"])
  if (status === null) return unreadable("it does not say how the incident stands")
  const isResolved = isOver.test(status)
  if (!isResolved && !isOn.test(status)) return ignored(`${shown(status)} does not say how an incident stands`)
  const newest = fields(list(found["incident_updates"])[0])
  const affected = list(newest["affected_components"]).map(fields).filter(isUnwell)
  const concerned = [...affected, ...list(found["components"]).map(fields)].flatMap(({ name }) => text(name) ?? [])
  const names = [...new Set(concerned)]
  const updated = time(found["updated_at"])
  const ended = time(found["resolved_at"]) ?? updated
  return one({
    title: text(found["name"]),
    status: isResolved ? "resolved" : "firing",
    fingerprint: text(found["id"]),
    severity: isResolved ? null : severityOf(found, affected, severities),
    service: names[0] ?? null,
    description: text(newest["body"]),
    startedAt: time(found["created_at"]),
    endedAt: isResolved ? ended : null,
    labels: labels({ page: page["id"], impact: found["impact"], state: status, components: names.join(", ") }),
    links: links({ Statuspage: found["shortlink"] }),
    at: isResolved ? ended : updated
  })
}

const decode: Translator["decode"] = ({ json, severities }) => {
  const { component: whole, component_update: update, incident: found, page } = fields(json)
  if (update !== undefined) return component(fields(update), fields(whole), fields(page), severities)
  if (found !== undefined) return incident(fields(found), fields(page), severities)
  return unreadable("it is neither of a component nor of an incident")
}

const sample = (status: string, at: string): Sample => ({
  body: {
    page: { id: "p3v8m1qz6ktd" },
    component_update: { id: "u5b1d8g3k6mq", component_id: "c7h2r9yw4nbs", new_status: status, created_at: at },
    component: { id: "c7h2r9yw4nbs", name: "Payments API", status }
  }
})

/** Webhook subscribers of an Atlassian Statuspage. */
export const statuspage: Translator = {
  proof: key,
  sign: Signing.key,
  decode,
  samples: {
    firing: sample("partial_outage", "2026-11-14T15:20:11Z"),
    resolved: sample("operational", "2026-11-14T15:58:40Z")
  },
  setup: ({ secret, url }) => [
    "On the status page choose Subscribe to updates, then the tab Webhook.",
    `Webhook address: ${url}?key=${encodeURIComponent(secret)}`,
    "Give an email address that people read: Statuspage writes there when deliveries fail.",
    "Choose the components you depend on. Maintenance comes as Info, which opens no incident by default."
  ]
}
