import { Schema } from "effect"
import { listed } from "../incidents/IncidentWords.ts"
import { Event, type RecordedEntry } from "../../../../domain/workspace/Audit.ts"

const isKnown = Schema.is(Event)

/** `Decision resolved`; an event that this version does not know keeps its name. */
export const eventWords = (event: string): string => {
  if (!isKnown(event)) return event
  const words = event.replaceAll("_", " ")
  return words.charAt(0).toUpperCase() + words.slice(1)
}

const channels: Readonly<Record<string, string>> = { app: "App", slack: "Slack", mcp: "MCP", api: "API" }

export const channelOf = ({ details }: RecordedEntry): string =>
  details["cli"] === true ? "Command line" : (channels[String(details["channel"])] ?? "–")

const mostFields = 3
const longest = 60

/** `runCents` as `run cents` */
const fieldWords = (name: string) => name.replaceAll(/([a-z])([A-Z])/g, "$1 $2").toLowerCase()

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** A value in words: `read and write`, `run cents 500, day cents none`. */
const wordsOf = (value: unknown): string => {
  if (value === null || value === undefined || value === "") return "none"
  if (typeof value === "boolean") return value ? "yes" : "no"
  if (Array.isArray(value)) return listed(value.map(wordsOf)) || "none"
  if (!isRecord(value)) return String(value)
  const fields = Object.entries(value).map(([name, one]) => `${fieldWords(name)} ${wordsOf(one)}`)
  return fields.join(", ") || "none"
}

const shown = (value: unknown): string => {
  const text = wordsOf(value)
  return text.length > longest ? `${text.slice(0, longest)}…` : text
}

/** The changed fields: `max concurrency 1 to 3, merge policy manual to verified` */
const changeWords = ({ details }: RecordedEntry): string | null => {
  const [before, after] = [details["before"], details["after"]]
  if (!isRecord(before) && !isRecord(after)) return null
  const [old, fresh] = [isRecord(before) ? before : {}, isRecord(after) ? after : {}]
  const names = [...new Set([...Object.keys(old), ...Object.keys(fresh)])]
  const words = names.slice(0, mostFields).map((name) => {
    if (!isRecord(before)) return `${fieldWords(name)} ${shown(fresh[name])}`
    if (!isRecord(after)) return `${fieldWords(name)} ${shown(old[name])}`
    return `${fieldWords(name)} ${shown(old[name])} to ${shown(fresh[name])}`
  })
  const more = names.length - words.length
  return `${words.join(", ")}${more > 0 ? `, and ${more} more` : ""}`
}

/** Words for the details of an entry; null when its entity says all. */
export const detailWords = (entry: RecordedEntry): string | null => {
  const { details, event } = entry
  if (event === "access_denied") return `Tried “${shown(details["operation"])}”, which takes another role`
  if (event === "decision_resolved") return `Chose “${shown(details["optionId"])}”`
  if (event === "audit_exported")
    return `${shown(details["count"])} entries as ${shown(details["format"])}${details["truncated"] === true ? ", not all that matched" : ""}`
  return changeWords(entry)
}

/** Address of the page of an entry's entity below the workspace; null when it has none. */
export const pathOf = ({ entity: { id, type }, team }: RecordedEntry): string | null => {
  const part = encodeURIComponent(id)
  switch (type) {
    case "decision":
      return `decisions/${part}`
    case "incident":
      return `incidents/${part}`
    case "run":
      return `runs/${part}`
    case "story":
      return `stories/${part}`
    case "service":
      return `services/${part}`
    case "signal_source":
      return `sources/${part}`
    case "policy":
      return team === null ? null : `settings/policy/${team}`
    case "team":
      return team === null ? null : `teams/${team}`
    default:
      return null
  }
}
