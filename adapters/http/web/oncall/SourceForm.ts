import { Either, Record, Schema } from "effect"
import { permit, type Person } from "../../../../application/workspace/Authorization.ts"
import * as DeniedTarget from "../../../../application/workspace/DeniedTarget.ts"
import type { SourceChanges } from "../../../../domain/oncall/commands/ChangeSource.ts"
import { isPosting, type SignalSource } from "../../../../domain/oncall/SignalSource.ts"
import { bounds, type Check } from "../../../../domain/oncall/UptimeCheck.ts"
import type { OnCall } from "../../../../domain/oncall/commands/OnCallContext.ts"
import { versionOf } from "../../../../domain/value/ChangedMeanwhile.ts"
import { plain, Severity } from "../../../../domain/value/Severity.ts"
import { cut } from "../../../../domain/value/Text.ts"
import { format } from "../../../../domain/value/Timestamp.ts"
import type { Filled } from "../components/Form.tsx"
import type { Form } from "../Forms.ts"

/** A tool whose steps do not contain our secret makes its own. */
export const isOurs = (secret: string, setup: ReadonlyArray<string>): boolean =>
  setup.length === 0 || setup.some((step) => step.includes(secret) || step.includes(encodeURIComponent(secret)))

/** Refuses a person without the role before a form that is wrong is shown again. */
export const permitted = (person: Person, operation: "source set" | "source secret" | "source create", name: string) =>
  permit(person, operation, DeniedTarget.ofSource(person, name))

/** Fields of a check; a query may hold a secret, so the address is shown only to admins. */
export const checkValues = (check: Check): Filled["values"] => Record.map({ ...check }, String)

const numbers = Object.keys(bounds) as ReadonlyArray<keyof typeof bounds>

/** The check that a form asks for; an empty number is the usual one. */
export const checkOf = (form: Form): Partial<Check> => {
  const given = numbers.flatMap((name) => {
    const text = form.get(name).trim()
    return text === "" ? [] : [[name, Number(text)] as const]
  })
  return { url: form.get("url").trim(), ...Object.fromEntries(given) }
}

/** Fields of the settings of a source, as they are or as a person typed them. */
export interface Typed {
  /** Names of services. */
  readonly services: ReadonlyArray<string>
  readonly isTimestampRequired: boolean
  readonly words: ReadonlyArray<readonly [word: string, severity: string]>
  readonly check: Filled["values"]
  /** The version that the form began with. */
  readonly updatedAt: string
}

export const present = (source: SignalSource, { services }: Pick<OnCall, "services">): Typed => ({
  services: services.filter(({ id }) => source.services.includes(id)).map(({ name }) => name),
  isTimestampRequired: source.isTimestampRequired,
  words: Object.entries(source.severities),
  check: source.check === null ? {} : checkValues(source.check),
  updatedAt: format(versionOf(source))
})

export const typedIn = (form: Form): Typed => {
  const severities = form.all("severity")
  return {
    services: form.all("services"),
    isTimestampRequired: form.get("timestamp") !== "",
    words: form.all("word").map((word, index) => [word, severities[index] ?? ""] as const),
    check: Object.fromEntries(["url", ...numbers].map((name) => [name, form.get(name).trim()])),
    updatedAt: form.get("updatedAt")
  }
}

/** The refusal of a check begins with the name of its field. */
export const checkErrors = (problem: string): Filled["errors"] => {
  const [field = "", ...words] = problem.split(" ")
  return ["url", ...numbers].includes(field) ? { [field]: `This ${words.join(" ")}.` } : { url: `${problem}.` }
}

const longest = 60

const isSeverity = Schema.is(Severity)

/** The settings that a form asks for; a message says which word cannot be read. */
export const read = (form: Form, source: SignalSource): Either.Either<SourceChanges, string> => {
  const services = form.all("services")
  if (!isPosting(source.kind)) return Either.right({ services, isTimestampRequired: null, check: checkOf(form) })
  const changes = new Map<string, Severity | null>()
  for (const [word, severity] of typedIn(form).words) {
    if (word.trim() === "") continue
    if (plain(word) === "" || word.length > longest) return Either.left(`A word has 1 to ${longest} characters.`)
    if (severity !== "" && !isSeverity(severity))
      return Either.left(`The severity of ${word} is ‘${cut(severity, 60)}’. Choose one of the list, or “Not known”.`)
    changes.set(word, severity === "" ? null : severity)
  }
  return Either.right({ services, isTimestampRequired: form.get("timestamp") !== "", severities: changes })
}
