import { DateTime, String } from "effect"
import { boundedCache } from "../value/BoundedCache.ts"
import type * as Service from "./Service.ts"

type Hours = typeof Service.Hours.Type

/** In the order in which `DateTime` counts weekdays. */
const week = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"] as const

const twoDigits = (part: number) => part.toString().padStart(2, "0")

/** Creating a zone takes longer than using it, and a storm of alerts uses one zone again and again. */
const zones = boundedCache<string, DateTime.TimeZone.Named>()

const zoneOf = (name: string): DateTime.TimeZone.Named =>
  zones.get(name) ?? zones.set(name, DateTime.zoneUnsafeMakeNamed(name))

const local = (hours: Hours, at: DateTime.Utc) => {
  const parts = DateTime.toParts(hours === "always" ? at : DateTime.setZone(at, zoneOf(hours.timeZone)))
  return {
    today: week[parts.weekDay],
    yesterday: week[(parts.weekDay + 6) % 7],
    /** Formatted like `start` and `end`, so that they sort as times do. */
    time: `${twoDigits(parts.hours)}:${twoDigits(parts.minutes)}`
  }
}

/** Uses the local clock, so that skipped or repeated hours need no rule; a day is the day its window starts. */
export const contains = (hours: Hours, at: DateTime.Utc): boolean => {
  if (hours === "always") return true
  const { time, today, yesterday } = local(hours, at)
  const isNamed = (weekday: typeof today) => hours.days.some((day) => String.capitalize(day) === weekday)
  const hasStarted = isNamed(today) && time >= hours.start
  if (hours.start < hours.end) return hasStarted && time < hours.end
  return hasStarted || (isNamed(yesterday) && time < hours.end)
}

/** Local time as people on call read it, such as `Sat 06:00 Europe/Berlin`. */
export const localTime = (hours: Hours, at: DateTime.Utc): string => {
  const { time, today } = local(hours, at)
  return `${today} ${time} ${hours === "always" ? "UTC" : hours.timeZone}`
}
