import { DateTime, Option, Schema } from "effect"
import { Severity } from "../value/Severity.ts"
import { Email } from "../workspace/Member.ts"
import { TeamSlug } from "../workspace/Team.ts"
import { cut, Line } from "../value/Text.ts"
import { Timestamp } from "../value/Timestamp.ts"

export const ServiceId = Schema.UUID.pipe(Schema.brand("ServiceId"))
export type ServiceId = typeof ServiceId.Type

const TimeOfDay = Schema.String.pipe(
  Schema.pattern(/^([01]\d|2[0-3]):[0-5]\d$/, { message: () => "must be a time of day such as 22:00" })
)

export const Weekday = Schema.Literal("mon", "tue", "wed", "thu", "fri", "sat", "sun")
const Weekdays = Schema.NonEmptyArray(Weekday)
type Weekdays = typeof Weekdays.Type

const inWeekOrder = (days: Weekdays) => Weekday.literals.filter((day) => days.includes(day)) as unknown as Weekdays

/** Kept as typed: a runtime may know `CET` by another name. An offset is no zone: it has no summer time. */
const TimeZone = Schema.String.pipe(
  Schema.filter((name) => /^[a-z]/i.test(name) && Option.isSome(DateTime.zoneMakeNamed(name)), {
    message: ({ actual }) => `must be an IANA time zone such as Europe/Berlin; got '${cut(String(actual), 80)}'`
  })
)

export const Hours = Schema.Union(
  Schema.Literal("always"),
  Schema.Struct({
    /** Each once, in the order of the week. */
    days: Schema.transform(Weekdays, Schema.typeSchema(Weekdays), {
      strict: true,
      decode: inWeekOrder,
      encode: (days) => days
    }),
    start: TimeOfDay,
    end: TimeOfDay,
    timeZone: TimeZone
  }).annotations({
    title: 'an object such as {"days":["mon","tue"],"start":"22:00","end":"06:00","timeZone":"Europe/Berlin"}'
  })
)

const off = Schema.optionalWith(Schema.Boolean, { default: () => false })

/** How the service behaves on call; every default is the cautious one. */
export const OnCallSettings = Schema.Struct({
  observeOnly: off,
  startFixes: off,
  acknowledgeInSource: off,
  minimumSeverity: Schema.optionalWith(Severity, { default: () => "high" as const }),
  hours: Schema.optionalWith(Hours, { default: () => "always" as const }),
  notify: Schema.optionalWith(Schema.Array(Email), { default: () => [] }),
  places: Schema.optionalWith(Schema.NullOr(Schema.Array(Line(200))), { default: () => null })
})

/** A service that a team runs and alerts are about. */
export class Service extends Schema.Class<Service>("Service")({
  id: ServiceId,
  team: TeamSlug,
  name: Line(200),
  settings: OnCallSettings,
  createdAt: Timestamp,
  updatedAt: Schema.NullOr(Timestamp),
  deletedAt: Schema.NullOr(Timestamp)
}) {}

/** True when alerts are acknowledged and resolved in their source. */
export const updatesSources = ({ settings }: Pick<Service, "settings">): boolean =>
  settings.acknowledgeInSource && !settings.observeOnly
