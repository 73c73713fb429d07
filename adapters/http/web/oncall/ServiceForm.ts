import { Either, Schema } from "effect"
import type { OnCall } from "../../../../domain/oncall/commands/OnCallContext.ts"
import { Hours, type Service, Weekday } from "../../../../domain/oncall/Service.ts"
import { versionOf } from "../../../../domain/value/ChangedMeanwhile.ts"
import { Severity } from "../../../../domain/value/Severity.ts"
import { cut } from "../../../../domain/value/Text.ts"
import { format } from "../../../../domain/value/Timestamp.ts"
import { byEmail } from "../../../../domain/workspace/Member.ts"
import type { Filled } from "../components/Form.tsx"
import type { Form } from "../Forms.ts"

/** Fields of the form of a service. */
export interface ServiceForm {
  readonly hours: string
  readonly days: ReadonlyArray<string>
  readonly start: string
  readonly end: string
  readonly timeZone: string
  readonly minimumSeverity: string
  readonly observeOnly: boolean
  readonly startFixes: boolean
  readonly acknowledgeInSource: boolean
  readonly notify: ReadonlyArray<string>
  readonly places: string
  readonly place: ReadonlyArray<string>
  /** The version that the form began with. */
  readonly updatedAt: string
}

export const formOf = (service: Service, zone: string): ServiceForm => {
  const { hours, places, ...rest } = service.settings
  const window = hours === "always" ? { days: [], start: "22:00", end: "06:00", timeZone: zone } : hours
  return {
    ...rest,
    ...window,
    hours: hours === "always" ? "always" : "some",
    places: places === null ? "every" : places.length === 0 ? "none" : "some",
    place: places ?? [],
    updatedAt: format(versionOf(service))
  }
}

/** The server reads 22:00, 2200, 22.00 and 22. */
const timeOf = (text: string): string => {
  const [, hour = "", minute = "00"] = /^(\d{1,2})(?:[:.]?(\d{2}))?$/.exec(text.trim()) ?? []
  return hour === "" ? text : `${hour.padStart(2, "0")}:${minute}`
}

export const read = (form: Form): ServiceForm => ({
  hours: form.get("hours"),
  days: form.all("days"),
  start: timeOf(form.get("start")),
  end: timeOf(form.get("end")),
  timeZone: form.get("timeZone").trim(),
  minimumSeverity: form.get("minimumSeverity"),
  observeOnly: form.get("observeOnly") !== "",
  startFixes: form.get("startFixes") !== "",
  acknowledgeInSource: form.get("acknowledgeInSource") !== "",
  notify: form.all("notify"),
  places: form.get("places"),
  place: form.all("place"),
  updatedAt: form.get("updatedAt")
})

const decodeHours = Schema.decodeUnknownEither(Hours)
const isDay = Schema.is(Weekday)

/** The hours of the form, or an error for each wrong field. */
export const hoursOf = ({
  days,
  end,
  hours,
  start,
  timeZone
}: ServiceForm): Either.Either<typeof Hours.Type, Filled["errors"]> => {
  if (hours === "always") return Either.right("always")
  if (hours !== "some") return Either.left({ hours: "Choose “Always”, or days and times." })
  const probe = (given: object) =>
    Either.isRight(decodeHours({ days: ["mon"], start: "00:00", end: "00:00", timeZone: "UTC", ...given }))
  const time = "Enter a time of day such as 22:00."
  const errors = {
    ...((days.length === 0 || !days.every(isDay)) && { days: "Choose at least one day." }),
    ...(!probe({ start }) && { start: time }),
    ...(!probe({ end }) && { end: time }),
    ...(!probe({ timeZone }) && { timeZone: "Choose a time zone such as Europe/Berlin." })
  }
  return Object.keys(errors).length > 0
    ? Either.left(errors)
    : Either.mapLeft(decodeHours({ days, start, end, timeZone }), () => ({ days: "Choose at least one day." }))
}

const isSeverity = Schema.is(Severity)

/** An error for each choice that the service cannot have. */
export const wrongChoices = (
  { minimumSeverity, notify, place, places }: ServiceForm,
  { settings: before, team }: Service,
  at: OnCall
): Filled["errors"] => {
  const stranger = notify.find((email) => byEmail(at.members, email) === undefined)
  const nowhere = place.find(
    (name) => !before.places?.includes(name) && !at.places.some((one) => one.team === team && one.name === name)
  )
  return {
    ...(!isSeverity(minimumSeverity) && { minimumSeverity: "Choose one of the severities." }),
    ...(stranger !== undefined && {
      notify: `${cut(stranger, 200)} is no member of this workspace, or left it. Choose among its members.`
    }),
    ...(!["every", "some", "none"].includes(places) && { places: "Choose one of these." }),
    ...(places === "some" && place.length === 0 && { places: "Choose at least one place, or “Nowhere”." }),
    ...(places === "some" &&
      nowhere !== undefined && { places: `The team has no place ${cut(nowhere, 200)}. Choose among its places.` })
  }
}

/** The settings that a form asks for. */
export const settingsOf = (form: ServiceForm, hours: typeof Hours.Type): Readonly<Record<string, unknown>> => ({
  observeOnly: form.observeOnly,
  startFixes: form.startFixes,
  acknowledgeInSource: form.acknowledgeInSource,
  minimumSeverity: form.minimumSeverity,
  hours,
  notify: form.notify,
  places: form.places === "every" ? null : form.places === "none" ? [] : form.place
})
