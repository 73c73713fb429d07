import { DateTime, Option } from "effect"
import * as Timestamp from "../../../../domain/value/Timestamp.ts"
import type { Reader } from "../Reader.ts"

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour

const formats = {
  exact: { dateStyle: "short", timeStyle: "medium" },
  clock: { hour: "2-digit", minute: "2-digit" },
  second: { hour: "2-digit", minute: "2-digit", second: "2-digit" },
  date: { day: "numeric", month: "short" },
  dateOfYear: { day: "numeric", month: "short", year: "numeric" },
  moment: { weekday: "short", day: "numeric", month: "short", hour: "2-digit", minute: "2-digit" },
  day: { year: "numeric", month: "2-digit", day: "2-digit" }
} satisfies Record<string, Intl.DateTimeFormatOptions>
type Format = keyof typeof formats

const made = new Map<string, Intl.DateTimeFormat>()

/** There are a few hundred zones at most. */
const formatter = (format: Format, zone: string) => {
  const known = made.get(`${format} ${zone}`)
  if (known !== undefined) return known
  const locale = format === "exact" || format === "day" ? "sv-SE" : "en-GB"
  const one = new Intl.DateTimeFormat(locale, { ...formats[format], timeZone: zone, hourCycle: "h23" })
  made.set(`${format} ${zone}`, one)
  return one
}

/** Formats an instant in the reader's zone. */
export const format = (format: Format, at: DateTime.Utc, { zone }: Reader): string =>
  formatter(format, zone.id).format(DateTime.toEpochMillis(at))

/** `2026-11-07 14:52:00 Europe/Berlin` */
export const exact = (at: DateTime.Utc, reader: Reader): string => `${format("exact", at, reader)} ${reader.zone.id}`

const between = (from: DateTime.Utc, to: DateTime.Utc) => DateTime.toEpochMillis(to) - DateTime.toEpochMillis(from)

/** Days on the reader's calendar from an instant until now. */
const calendarDays = (at: DateTime.Utc, reader: Reader) =>
  Math.round((Date.parse(format("day", reader.now, reader)) - Date.parse(format("day", at, reader))) / day)

const dateOf = (at: DateTime.Utc, reader: Reader) =>
  format(between(at, reader.now) < 180 * day ? "date" : "dateOfYear", at, reader)

/** `3 h ago`, `yesterday`, `2 days ago`, then the date. */
export const age = (at: DateTime.Utc, reader: Reader): string => {
  const passed = between(at, reader.now)
  const days = calendarDays(at, reader)
  if (passed < minute) return "just now"
  if (passed < hour) return `${Math.floor(passed / minute)} min ago`
  if (days === 0 || passed < 12 * hour) return `${Math.floor(passed / hour)} h ago`
  if (days === 1) return "yesterday"
  return days < 7 ? `${days} days ago` : dateOf(at, reader)
}

/** `13:52 today`, `Sat 7 Nov, 14:52` */
export const moment = (at: DateTime.Utc, reader: Reader): string =>
  calendarDays(at, reader) === 0 ? `${format("clock", at, reader)} today` : format("moment", at, reader)

const stamp = /\b(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:\d{2}))(?!\w)/

/** A text in parts: words, and the instants that its timestamps mean. */
export const partsOf = (text: string): ReadonlyArray<string | DateTime.Utc> =>
  text.split(stamp).map((part, index) => (index % 2 === 0 ? part : Option.getOrElse(Timestamp.parse(part), () => part)))

/** A text with its timestamps in the reader's time, where there is only text. */
export const withMoments = (text: string, reader: Reader): string =>
  partsOf(text)
    .map((part) => (typeof part === "string" ? part : moment(part, reader)))
    .join("")

const counted = (amount: number, unit: string) => `${amount} ${unit}${unit === "day" && amount !== 1 ? "s" : ""}`

/** Two units of a length of time at most: `48 min`, `3 h 10 min`, `1 day 22 h`. */
export const lengthOf = (milliseconds: number): string => {
  const minutes = Math.max(0, Math.floor(milliseconds / minute))
  const [days, hours] = [Math.floor(minutes / 1440), Math.floor(minutes / 60)]
  const [unit, rest] = days > 0 ? [counted(days, "day"), hours % 24] : [counted(hours, "h"), minutes % 60]
  if (hours === 0) return minutes === 0 ? "under 1 min" : counted(minutes, "min")
  return rest === 0 ? unit : `${unit} ${counted(rest, days > 0 ? "h" : "min")}`
}

export interface Left {
  readonly words: string
  readonly tone: "" | "warn" | "bad"
  /** Part of the time that is left, from 0 to 100. */
  readonly part: number
}

/** Time left until a deadline: amber below four hours, red below one. */
export const left = (from: DateTime.Utc, until: DateTime.Utc, { now }: Reader): Left => {
  const rest = between(now, until)
  const part = Math.round((100 * rest) / Math.max(1, between(from, until)))
  return {
    words: rest <= 0 ? "Expired" : `${lengthOf(rest)} left`,
    tone: rest < hour ? "bad" : rest < 4 * hour ? "warn" : "",
    part: Math.min(100, Math.max(0, part))
  }
}
