import { Either, Record } from "effect"
import { permit, type Person } from "../../../../application/workspace/Authorization.ts"
import * as DeniedTarget from "../../../../application/workspace/DeniedTarget.ts"
import type { SourceChanges } from "../../../../domain/oncall/commands/ChangeSource.ts"
import { isPosting, type SignalSource } from "../../../../domain/oncall/SignalSource.ts"
import { bounds, type Check } from "../../../../domain/oncall/UptimeCheck.ts"
import { plain, Severity } from "../../../../domain/value/Severity.ts"
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

const longest = 60

/** The settings that a form asks for; a message says which word cannot be read. */
export const read = (form: Form, source: SignalSource): Either.Either<SourceChanges, string> => {
  const services = form.all("services")
  if (!isPosting(source.kind)) return Either.right({ services, isTimestampRequired: null, check: checkOf(form) })
  const [words, severities] = [form.all("word"), form.all("severity")]
  const changes = new Map<string, Severity | null>()
  for (const [index, word] of words.entries()) {
    if (word.trim() === "") continue
    if (plain(word) === "" || word.length > longest) return Either.left(`A word has 1 to ${longest} characters.`)
    changes.set(word, Severity.literals.find((severity) => severity === severities[index]) ?? null)
  }
  return Either.right({ services, isTimestampRequired: form.get("timestamp") !== "", severities: changes })
}
