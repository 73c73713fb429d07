import { Effect, Either, ParseResult, Predicate, Schema } from "effect"
import { Hours, OnCallSettings, Weekday } from "../../domain/oncall/Service.ts"
import { Severity } from "../../domain/value/Severity.ts"
import { usage } from "./Options.ts"

const settings = Object.keys(OnCallSettings.fields)
const parts = Hours.members[1].fields

const onOff = "true or false"
const time = "a time of day such as 22:00"

/** Allowed values of each setting and of each part of the hours. */
const allowed: Readonly<Record<string, string>> = {
  "": `an object with any of ${settings.join(", ")}`,
  observeOnly: onOff,
  startFixes: onOff,
  acknowledgeInSource: onOff,
  minimumSeverity: `one of ${Severity.literals.join(", ")}`,
  hours: `"always", or an object with ${Object.keys(parts).join(", ")}`,
  "hours.days": `a list of one or more of ${Weekday.literals.join(", ")}`,
  "hours.start": time,
  "hours.end": time,
  "hours.timeZone": "an IANA time zone such as Europe/Berlin",
  notify: "a list of members' e-mail addresses",
  places: "a list of names of the team's places, or null for all of them"
}

const decode = Schema.decodeUnknownEither(OnCallSettings, { onExcessProperty: "error" })

const shown = (value: unknown) => {
  const text = value === undefined ? "nothing" : JSON.stringify(value)
  return text.length > 200 ? `${text.slice(0, 200)}…` : text
}

/** The value at the end of a path. */
const at = (value: unknown, path: ReadonlyArray<PropertyKey>): unknown =>
  path.reduce<unknown>((inner, key) => (Predicate.hasProperty(inner, key) ? inner[key] : undefined), value)

const problemOf = (given: unknown, error: ParseResult.ParseError): string => {
  const issues = ParseResult.ArrayFormatter.formatErrorSync(error)
  const deepest = issues.reduce((deep, issue) => (issue.path.length > deep.path.length ? issue : deep))
  const field = deepest.path.filter((key) => typeof key !== "number").join(".")
  return deepest._tag === "Unexpected"
    ? `there is no setting '${field}'; ${field.startsWith("hours.") ? `hours must be ${allowed["hours"]}` : `the settings are ${settings.join(", ")}`}`
    : `${field || "it"} must be ${allowed[field]}; got ${shown(at(given, deepest.path))}`
}

/** Decodes some of a service's settings from JSON; errors name the setting, the given value and the allowed values. */
export const read = (text: string) => {
  const refuse = (problem: string) => Effect.fail(usage(`--settings: ${problem}`))
  const json = Either.try((): unknown => JSON.parse(text))
  if (Either.isLeft(json)) return refuse(`it must be JSON, such as '{"minimumSeverity":"high"}'; got '${text}'`)
  const given = json.right
  if (!Predicate.isRecord(given)) return refuse(`it must be ${allowed[""]}; got ${shown(given)}`)
  if (Object.keys(given).length === 0) return refuse(`there is nothing to change; name any of ${settings.join(", ")}`)
  return Either.match(decode(given), {
    onLeft: (error) => refuse(problemOf(given, error)),
    onRight: () => Effect.succeed(given as Readonly<Record<string, unknown>>)
  })
}
