import { Array, DateTime, Option, Order, String } from "effect"
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

/** Minutes of one day on which a service is on call, and the window that starts then. */
export interface Day {
  readonly name: (typeof week)[number]
  /** From inclusive, to exclusive. */
  readonly parts: ReadonlyArray<{ readonly from: number; readonly to: number }>
  /** Such as `22:00 to Tue 06:00`; null when none starts. */
  readonly window: string | null
}

const wholeDay = 24 * 60

const minuteOf = (time: string) => Number(time.slice(0, 2)) * 60 + Number(time.slice(3))

const fromMonday = [1, 2, 3, 4, 5, 6, 0] as const

/** The week from Monday on, as the local clock shows it. */
export const weekOf = (hours: Hours): ReadonlyArray<Day> =>
  fromMonday.map((index) => {
    const [name, before, after] = [week[index], week[(index + 6) % 7], week[(index + 1) % 7]]
    if (hours === "always") return { name, parts: [{ from: 0, to: wholeDay }], window: "all day" }
    const starts = (weekday: string | undefined) => hours.days.some((day) => String.capitalize(day) === weekday)
    const [from, to] = [minuteOf(hours.start), minuteOf(hours.end)]
    const isOvernight = hours.start >= hours.end
    const parts = [
      ...(isOvernight && starts(before) && to > 0 ? [{ from: 0, to }] : []),
      ...(starts(name) ? [{ from, to: isOvernight ? wholeDay : to }] : [])
    ]
    const end = isOvernight ? `${after} ${hours.end}` : hours.end
    return { name, parts, window: starts(name) ? `${hours.start} to ${end}` : null }
  })

const days = 9
const minute = 60_000

const offsetAt = (zone: DateTime.TimeZone, millis: number) =>
  DateTime.zonedOffset(DateTime.unsafeMakeZoned(millis, { timeZone: zone }))

/** The first minute with another offset in a span; none if its ends have the same. */
const clockChange = (zone: DateTime.TimeZone, from: number, to: number): ReadonlyArray<number> => {
  const offset = offsetAt(zone, from)
  if (offsetAt(zone, to) === offset) return []
  let [low, high] = [from, to]
  while (high - low > minute) {
    const middle = low + Math.floor((high - low) / 2 / minute) * minute
    if (offsetAt(zone, middle) === offset) low = middle
    else high = middle
  }
  return [high]
}

/** Every instant within the next days at which the hours may begin or end. */
const boundaries = (hours: Exclude<Hours, "always">, at: DateTime.Utc): ReadonlyArray<number> => {
  const zone = zoneOf(hours.timeZone)
  const today = DateTime.toParts(DateTime.setZone(at, zone))
  const from = Math.floor(at.epochMillis / minute) * minute
  return Array.range(-1, days).flatMap((later) => {
    const changes = clockChange(zone, from + later * wholeDay * minute, from + (later + 1) * wholeDay * minute)
    const times = [hours.start, hours.end].flatMap((time) =>
      (["earlier", "later"] as const).flatMap((disambiguation) => {
        const parts = { year: today.year, month: today.month, day: today.day + later }
        const local = { ...parts, hours: Math.floor(minuteOf(time) / 60), minutes: minuteOf(time) % 60 }
        const options = { timeZone: zone, adjustForTimeZone: true, disambiguation }
        return Option.match(DateTime.makeZoned(normal(local), options), {
          onNone: () => [],
          onSome: ({ epochMillis }) => [epochMillis]
        })
      })
    )
    return [...changes, ...times]
  })
}

/** Carries a day past the end of its month over. */
const normal = (parts: { readonly year: number; readonly month: number; readonly day: number } & object) => {
  const { day, month, year } = DateTime.toPartsUtc(
    DateTime.unsafeMake(Date.UTC(parts.year, parts.month - 1, parts.day))
  )
  return { ...parts, year, month, day }
}

/** The next instant at which the hours begin or end; null when they never do. */
export const nextChange = (hours: Hours, at: DateTime.Utc): DateTime.Utc | null => {
  if (hours === "always") return null
  const isOn = contains(hours, at)
  const found = Array.sort(boundaries(hours, at), Order.number).find(
    (millis) => millis > at.epochMillis && contains(hours, DateTime.unsafeMake(millis)) !== isOn
  )
  return found === undefined ? null : DateTime.unsafeMake(found)
}

const longNames = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"]

const longName = (day: string | undefined) => longNames.find((name) => name.startsWith(day ?? "")) ?? ""

const lengthOf = (millis: number): string => {
  const minutes = Math.round(millis / minute)
  const [count, hour, rest] = [Math.floor(minutes / wholeDay), Math.floor((minutes % wholeDay) / 60), minutes % 60]
  const parts = [
    ...(count > 0 ? [`${count} ${count === 1 ? "day" : "days"}`] : []),
    ...(hour > 0 ? [`${hour} h`] : []),
    ...(rest > 0 && count === 0 ? [`${rest} min`] : [])
  ]
  return parts.length === 0 ? "under 1 min" : parts.join(" ")
}

/** State of the hours at a moment, and their next change, in words of the hours' zone. */
export interface Outlook {
  readonly isOn: boolean
  /** `Off until tonight.` */
  readonly state: string
  /** `It is Tuesday 10:42 in Berlin.` */
  readonly now: string
  /** `Next change: today at 22:00, in 11 h 18 min; on until Wednesday 06:00.` Null when there is none. */
  readonly next: string | null
}

export const outlook = (hours: Hours, at: DateTime.Utc): Outlook => {
  const zone = hours === "always" ? "UTC" : hours.timeZone
  const here = local(hours, at)
  const now = `It is ${longName(here.today)} ${here.time} in ${zone.split("/").at(-1)?.replaceAll("_", " ")}.`
  const isOn = contains(hours, at)
  const change = nextChange(hours, at)
  if (hours === "always" || change === null) return { isOn, state: isOn ? "Always on." : "Never on.", now, next: null }
  const dayOf = (moment: DateTime.Utc) => {
    const dates = [at, moment].map((one) => DateTime.formatIsoDate(DateTime.setZone(one, zoneOf(zone))))
    const apart = Math.round((Date.parse(dates[1] ?? "") - Date.parse(dates[0] ?? "")) / (wholeDay * minute))
    const { time, today } = local(hours, moment)
    const day =
      apart === 0 ? "today" : apart === 1 ? "tomorrow" : apart < 7 ? longName(today) : `next ${longName(today)}`
    return { day, time }
  }
  const first = dayOf(change)
  const after = nextChange(hours, change)
  const until = after === null ? "" : `; ${isOn ? "off" : "on"} until ${dayOf(after).day} ${dayOf(after).time}`
  const isTonight = first.day === "today" && first.time >= "18:00"
  const span = isOn ? [at, change] : [change, after ?? change]
  const moved = clockChange(zoneOf(zone), span[0]?.epochMillis ?? 0, span[1]?.epochMillis ?? 0).length > 0
  const clock = moved ? ` The clock changes ${isOn ? "before then" : "in that window"}.` : ""
  return {
    isOn,
    state: `${isOn ? "On" : "Off"} until ${isTonight ? "tonight" : `${first.day} ${first.time}`}.`,
    now,
    next: `Next change: ${first.day} at ${first.time}, in ${lengthOf(change.epochMillis - at.epochMillis)}${until}.${clock}`
  }
}
