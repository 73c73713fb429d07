import * as HelpDoc from "@effect/cli/HelpDoc"
import * as Options from "@effect/cli/Options"
import * as ValidationError from "@effect/cli/ValidationError"
import { type Array, DateTime, Effect, Option, Schema } from "effect"
import * as Decision from "../../domain/work/Decision.ts"
import * as IncidentKey from "../../domain/value/IncidentKey.ts"
import { Email, NewEmail } from "../../domain/workspace/Member.ts"
import * as Run from "../../domain/work/Run.ts"
import * as Story from "../../domain/work/Story.ts"
import { parseSlug } from "../../domain/workspace/Team.ts"
import { Line, Name, Text } from "../../domain/value/Text.ts"
import { parse as parseTime } from "../../domain/value/Timestamp.ts"
import { WorkspaceSlug } from "../../domain/workspace/Workspace.ts"

/** Refuses a command line before the command runs. */
export const usage = (words: string) => ValidationError.invalidValue(HelpDoc.p(words))

const refuse = (name: string, allowed: string, text: string) =>
  usage(`--${name} must be ${allowed}; got '${text.length > 200 ? `${text.slice(0, 200)}…` : text}'`)

const decoder = <A, I extends string>(name: string, schema: Schema.Schema<A, I>, allowed: string) => {
  const decode = Schema.decodeUnknown(schema)
  return (text: string) => Effect.mapError(decode(text), () => refuse(name, allowed, text))
}

interface Shown {
  readonly description: string
  /** Placeholder of the value in the help. */
  readonly placeholder?: string
}

const shown =
  ({ description, placeholder = "TEXT" }: Shown) =>
  <A>(self: Options.Options<A>) =>
    self.pipe(Options.withPseudoName(placeholder), Options.withDescription(description))

/** An option whose error names it, the given value and the allowed values. */
export const option = <A, I extends string>(
  name: string,
  schema: Schema.Schema<A, I>,
  allowed: string,
  help: Shown
): Options.Options<A> => Options.text(name).pipe(shown(help), Options.mapEffect(decoder(name, schema, allowed)))

/** The same for an option that may be given several times. */
export const options = <A, I extends string>(
  name: string,
  schema: Schema.Schema<A, I>,
  allowed: string,
  help: Shown
): Options.Options<ReadonlyArray<A>> =>
  Options.text(name).pipe(
    shown(help),
    Options.repeated,
    Options.mapEffect((texts) => Effect.forEach(texts, decoder(name, schema, allowed)))
  )

export const oneOf = <const A extends Array.NonEmptyReadonlyArray<string>>(
  name: string,
  words: Schema.Literal<A>,
  description: string
) => {
  const [choice, list] = [words.literals.join("|"), words.literals.join(", ")]
  const help =
    words.literals.length > 1 && choice.length <= 50
      ? { description, placeholder: choice }
      : { description: `${description}: ${list}`, placeholder: name.toUpperCase() }
  return option(name, words, `one of ${list}`, help)
}

/** A switch with an explicit on and off, so that an omitted one changes nothing. */
export const onOff = (name: string, description: string) =>
  Options.map(oneOf(name, Schema.Literal("on", "off"), description), (word) => word === "on")

export const line = (name: string, description: string) =>
  option(name, Line(200), "text of 1 to 200 characters", { description })

/** The name of something that is created. */
export const newName = (name: string, description: string) =>
  option(name, Name(200), "text of 1 to 200 characters on one line, without control characters", { description })

export const title = (name: string, description: string) =>
  option(name, Name(500), "text of 1 to 500 characters on one line, without control characters", { description })

export const text = (name: string, description: string) =>
  option(name, Text, "text without NUL characters", { description })

/** The largest number that can be stored. */
const largest = 2_147_483_647

export const whole = (name: string, description: string, least = 0, most = largest) =>
  option(
    name,
    Schema.NumberFromString.pipe(Schema.int(), Schema.between(least, most)),
    `a whole number from ${least} to ${most}`,
    { description, placeholder: "NUMBER" }
  )

export const limit = whole("limit", "At most so many; default: 25", 1).pipe(Options.withDefault(25))

const Names = Schema.split(",").pipe(Schema.compose(Schema.Array(Schema.compose(Schema.Trim, Line(200)))))

export const names = (name: string, description: string) =>
  option(name, Names, "names of 1 to 200 characters, separated by commas", { description, placeholder: "NAMES" })

export const slug = (name: string, description: string) =>
  option(name, WorkspaceSlug, "lowercase words joined by hyphens, such as 'acme'", { description, placeholder: "SLUG" })

export const newWorkspace = slug("slug", "Slug of the workspace, such as acme")
export const workspace = slug("workspace", "Slug of the workspace")

export const confirm = Options.text("confirm").pipe(shown({ description: "The slug once more", placeholder: "SLUG" }))

/** Confirms an object by its name. */
export const confirmName = Options.text("confirm").pipe(
  shown({ description: "The name once more", placeholder: "NAME" })
)

export const email = (name: string, description: string) =>
  option(name, Email, "an e-mail address", { description, placeholder: "EMAIL" })

/** The address of somebody who is added. */
export const newEmail = (name: string, description: string) =>
  option(name, NewEmail, "an e-mail address without control characters", { description, placeholder: "EMAIL" })

/** An address that is looked up, in any form. */
export const knownEmail = (name: string, description: string) =>
  Options.text(name).pipe(shown({ description, placeholder: "EMAIL" }))

/** An option that `parse` reads; its error names it, the given value and the allowed values. */
export const parsed = <A>(name: string, parse: (text: string) => Option.Option<A>, allowed: string, help: Shown) =>
  Options.text(name).pipe(
    shown(help),
    Options.mapEffect((text) => Effect.mapError(parse(text), () => refuse(name, allowed, text)))
  )

const moments = "a day such as 2026-01-31 or an ISO 8601 timestamp"

/** A point in time; a day is its beginning in UTC. */
export const moment = (name: string, description: string) =>
  parsed(name, parseTime, moments, { description, placeholder: "TIME" })

/** A point in time; a day is its end in UTC. */
export const lastMoment = (name: string, description: string) =>
  parsed(
    name,
    (text) =>
      Option.map(parseTime(text), (at) => (text.length === 10 ? DateTime.add(at, { days: 1, millis: -1 }) : at)),
    moments,
    { description, placeholder: "TIME" }
  )

/** A key in any case; the error of a malformed key names the option. */
const key = <A>(name: string, parse: (text: string) => Option.Option<A>, allowed: string, description: string) =>
  parsed(name, parse, allowed, { description, placeholder: name === "team" ? "SLUG" : "KEY" })

export const team = key("team", parseSlug, "a team slug: lowercase words joined by hyphens", "Slug of the team")
export const run = key("run", Run.parseKey, "a run key such as run-7f3k", "Key of the run, such as run-7f3k")
export const story = key("story", Story.parseKey, "a story key such as PAY-12", "Key of the story, such as PAY-12")
export const decision = key(
  "decision",
  Decision.parseKey,
  "a decision key such as dec-4m2q",
  "Key of the decision, such as dec-4m2q"
)
export const incident = key(
  "incident",
  IncidentKey.parseKey,
  "an incident key such as inc-4m2q",
  "Key of the incident, such as inc-4m2q"
)
