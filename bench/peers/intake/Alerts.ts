// @effect-diagnostics globalDate:off
import { createHash } from "node:crypto"
import { time as parseTime } from "../Parameters.ts"
import { Refusal } from "../Refusal.ts"

export const severities = ["critical", "high", "medium", "low", "info"] as const
export type Severity = (typeof severities)[number]

/** The state of one alert in a delivery, with times as stored. */
export interface Signal {
  readonly title: string
  readonly status: "firing" | "resolved"
  readonly fingerprint: string
  readonly severity: Severity | null
  readonly service: string | null
  readonly environment: string | null
  readonly description: string | null
  readonly startedAt: string | null
  readonly endedAt: string | null
  readonly labels: Readonly<Record<string, string>>
  readonly links: ReadonlyArray<{ readonly label: string; readonly url: string }>
  readonly at: string | null
  readonly isReopening: false
  readonly isAcknowledgement: false
  readonly isTest: false
}

/** Other tools' words; an unknown word is medium. */
const words: Readonly<Record<Severity, string>> = {
  critical: "critical p1 sev1 majoroutage",
  high: "high error p2 partialoutage",
  medium: "",
  low: "low minor p4",
  info: "info p5 maintenance undermaintenance"
}
const severityOf = new Map(severities.flatMap((one) => words[one].split(" ").map((word) => [word, one] as const)))

const isFields = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const severity = (value: unknown): Severity =>
  severityOf.get((text(value) ?? "").toLowerCase().replace(/[\s_-]+/g, "")) ?? "medium"

/** Replaces NUL and lone surrogates, which cannot be stored, and cuts text that is too long. */
const storable = (value: string, length: number): string => {
  const clean = value.replaceAll("\0", "\u{FFFD}").replace(/\p{Surrogate}/gu, "\u{FFFD}")
  const points = clean.length > length ? [...clean] : []
  return points.length > length ? `${points.slice(0, length - 1).join("")}…` : clean
}

const text = (value: unknown): string | null => {
  if (typeof value === "number" || typeof value === "boolean") return String(value)
  return typeof value === "string" && value.trim() !== "" ? value.trim() : null
}

const cut = (value: unknown, length: number): string | null => {
  const found = text(value)
  return found === null ? null : storable(found, length)
}

/** ISO 8601, or seconds or milliseconds since 1970. */
const time = (value: unknown): string | null => {
  if (typeof value === "number")
    return value < 1e9 || value > 1e14 ? null : new Date(value < 1e11 ? value * 1000 : value).toISOString()
  return typeof value === "string" ? (parseTime(value.trim())?.toISOString() ?? null) : null
}

const labelsOf = (value: unknown): Record<string, string> =>
  Object.fromEntries(
    Object.entries(isFields(value) ? value : {})
      .flatMap(([name, one]) => {
        const found = typeof one === "object" && one !== null ? JSON.stringify(one) : text(one)
        return found === null || name === "__proto__" ? [] : [[storable(name, 500), storable(found, 10_000)] as const]
      })
      .slice(0, 100)
  )

const linksOf = (value: unknown): Signal["links"] =>
  (Array.isArray(value) ? value : [])
    .flatMap((one: unknown) => {
      const { label, url } = isFields(one) ? one : {}
      const [name, address] = [cut(label, 500), text(url)]
      return name !== null && address !== null && /^https?:\/\//i.test(address) && URL.canParse(address)
        ? [{ label: name, url: address }]
        : []
    })
    .slice(0, 20)

const digest = (parts: ReadonlyArray<string>) =>
  `v1:${createHash("sha256")
    .update(parts.map((part) => `${Buffer.byteLength(part)}:${part}`).join(""))
    .digest("hex")}`

const fingerprintOf = (title: string, labels: Readonly<Record<string, string>>) =>
  digest([
    title,
    ...Object.keys(labels)
      .toSorted()
      .flatMap((name) => [name, labels[name] ?? ""])
  ])

export const unreadable = (problem: string) =>
  new Refusal(400, "unreadable_alert", `The alert cannot be read: ${storable(problem, 500)}.`)

const signal = (value: unknown, path: string): Signal => {
  if (!isFields(value)) throw unreadable(`${path || "the body"} must be an object with a title`)
  const at = path === "" ? "" : `${path}.`
  const title = typeof value["title"] === "string" ? cut(value["title"], 500) : null
  if (title === null) throw unreadable(`${at}title must be text that is not blank`)
  const status = String(value["status"] ?? "firing")
    .trim()
    .toLowerCase()
  if (status !== "firing" && status !== "resolved") throw unreadable(`${at}status must be one of firing, resolved`)
  const labels = labelsOf(value["labels"])
  const [startedAt, endedAt] = [time(value["startedAt"]), time(value["endedAt"])]
  const fingerprint = cut(value["fingerprint"], 1e6) ?? cut(value["id"], 1e6) ?? fingerprintOf(title, labels)
  return {
    title,
    status,
    fingerprint: fingerprint.length <= 200 ? fingerprint : digest([fingerprint]),
    severity: status === "firing" ? severity(value["severity"]) : null,
    service: cut(value["service"], 500),
    environment: cut(value["environment"], 500),
    description: cut(value["description"], 10_000),
    startedAt,
    endedAt,
    labels,
    links: linksOf(value["links"]),
    at: status === "firing" ? startedAt : endedAt,
    isReopening: false,
    isAcknowledgement: false,
    isTest: false
  }
}

/** The alerts of a delivery; unreadable ones are listed by their index, the rest is accepted. */
export const read = (json: unknown) => {
  const alerts = isFields(json) ? json["alerts"] : undefined
  if (alerts === undefined || alerts === null) return { signals: [signal(json, "")], rejected: [] }
  if (!Array.isArray(alerts)) throw unreadable("alerts must be an array")
  if (alerts.length > 10_000) throw unreadable(`it holds ${alerts.length} alerts`)
  const signals: Array<Signal> = []
  const rejected: Array<{ readonly index: number; readonly message: string }> = []
  for (const [index, alert] of alerts.entries())
    try {
      signals.push(signal(alert, `alerts[${index}]`))
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      rejected.push({ index, message: error.message })
    }
  if (signals.length === 0 && rejected.length > 0) throw unreadable(`none of ${alerts.length}`)
  return { signals, rejected }
}
