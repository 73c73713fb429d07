import { severities, type Severity } from "./Alerts.ts"

type Hours =
  | "always"
  | { readonly days: ReadonlyArray<string>; readonly start: string; readonly end: string; readonly timeZone: string }

export interface ServiceRow {
  readonly id: string
  readonly team: string
  readonly name: string
  readonly settings: { readonly minimumSeverity: Severity; readonly hours: Hours }
}

const rank = (severity: Severity) => severities.indexOf(severity)
export const atLeast = (severity: Severity, minimum: Severity) => rank(severity) <= rank(minimum)
export const worst = (a: Severity, b: Severity): Severity => (atLeast(a, b) ? a : b)

/** The service of an alert: the source's only one, else the one it names. */
export const serviceOf = (fed: ReadonlyArray<ServiceRow>, name: string | null): ServiceRow | null => {
  const [only] = fed
  if (only !== undefined && fed.length === 1) return only
  return (
    fed.find((one) => one.name === name) ?? fed.find((one) => one.name.toLowerCase() === name?.toLowerCase()) ?? null
  )
}

const week = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"]

const localTime = (at: Date, timeZone: string) => {
  const format = new Intl.DateTimeFormat("en-GB", { timeZone, weekday: "short", hour: "2-digit", minute: "2-digit" })
  const parts = new Map(format.formatToParts(at).map(({ type, value }) => [type, value]))
  return { day: (parts.get("weekday") ?? "").toLowerCase(), time: `${parts.get("hour")}:${parts.get("minute")}` }
}

/** The reason an alert opens no incident of the service, or null; a window past midnight belongs to its first day. */
export const refusalOf = (service: ServiceRow, severity: Severity, at: Date) => {
  const { hours, minimumSeverity } = service.settings
  if (!atLeast(severity, minimumSeverity))
    return {
      reason: "below_severity",
      explanation: `Its severity is ${severity}; ${service.name} opens incidents from ${minimumSeverity} on.`
    }
  if (hours === "always") return null
  const { day, time } = localTime(at, hours.timeZone)
  const hasStarted = hours.days.includes(day) && time >= hours.start
  const yesterday = week[(week.indexOf(day) + 6) % 7] ?? ""
  const isOn =
    hours.start < hours.end
      ? hasStarted && time < hours.end
      : hasStarted || (hours.days.includes(yesterday) && time < hours.end)
  if (isOn) return null
  const shown = `${day.charAt(0).toUpperCase()}${day.slice(1)} ${time} ${hours.timeZone}`
  return { reason: "outside_hours", explanation: `It came on ${shown}, outside the on-call hours of ${service.name}.` }
}
