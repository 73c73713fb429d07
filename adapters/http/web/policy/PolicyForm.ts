import { Either, Option, Schema } from "effect"
import {
  acceptanceFolder,
  MergePolicy,
  NewExecutor,
  PlanApproval,
  Preset,
  presets,
  type Settings
} from "../../../../domain/workspace/Policy.ts"
import type { PolicyChange } from "../../../../domain/workspace/SetPolicy.ts"
import { Line } from "../../../../domain/value/Text.ts"
import type { Filled } from "../components/Form.tsx"
import type { Form } from "../Forms.ts"

const most = 2_147_483_647

const euros = (cents: number | null) => (cents === null ? "" : (cents / 100).toFixed(2))

/** The fields of a form that shows a policy. */
export const valuesOf = (preset: Preset, of: Settings): Filled["values"] => ({
  preset,
  executor: of.executor,
  maxConcurrency: String(of.maxConcurrency),
  runCents: euros(of.budgets.runCents),
  dayCents: euros(of.budgets.dayCents),
  monthCents: euros(of.budgets.monthCents),
  planApproval: of.planApproval,
  mergePolicy: of.mergePolicy,
  mergeMaxLines: String(of.mergeMaxLines),
  gateFailureBudget: String(of.gateFailureBudget),
  decisionHours: String(of.decisionHours),
  acceptanceSpecRequired: of.acceptanceSpecRequired ? "on" : "",
  deniedPaths: of.deniedPaths.join("\n")
})

const names = Object.keys(valuesOf("trial", presets.trial))

const whole = (least: number, top: number) => (text: string) =>
  /^\d{1,10}$/.test(text) && Number(text) >= least && Number(text) <= top ? Option.some(Number(text)) : Option.none()

const amount = (text: string): Option.Option<number | null> => {
  if (text === "") return Option.some(null)
  if (!/^\d{1,8}([.,]\d{1,2})?$/.test(text)) return Option.none()
  const cents = Math.round(Number(text.replace(",", ".")) * 100)
  return cents <= most ? Option.some(cents) : Option.none()
}

const decoded = <A, I>(schema: Schema.Schema<A, I>) => Schema.decodeUnknownOption(schema)

const pathsOf = (text: string) =>
  text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "")

const money = "Enter an amount in euros such as 5.00, or nothing for no limit."

/** Reads every setting of a form; errors say what to enter. */
export const read = (form: Form): Either.Either<PolicyChange, Filled> => {
  const values = Object.fromEntries(names.map((name) => [name, form.get(name).trim()]))
  const errors: Record<string, string> = {}
  const field = <A>(name: string, parse: (text: string) => Option.Option<A>, problem: string): A => {
    const value = parse(values[name] ?? "")
    if (Option.isNone(value)) errors[name] = problem
    return Option.getOrUndefined(value) as A
  }
  const change: PolicyChange = {
    preset: field("preset", decoded(Preset), "Choose one of the presets."),
    settings: {
      executor: field("executor", decoded(NewExecutor), "Enter the coding agent, such as claude-code."),
      maxConcurrency: field("maxConcurrency", whole(0, most), "Enter a whole number, such as 3."),
      budgets: {
        runCents: field("runCents", amount, money),
        dayCents: field("dayCents", amount, money),
        monthCents: field("monthCents", amount, money)
      },
      planApproval: field("planApproval", decoded(PlanApproval), "Choose which plans a person approves."),
      mergePolicy: field("mergePolicy", decoded(MergePolicy), "Choose which changes merge without asking."),
      mergeMaxLines: field("mergeMaxLines", whole(0, most), "Enter a whole number of lines, such as 200."),
      gateFailureBudget: field("gateFailureBudget", whole(0, most), "Enter a whole number, such as 2."),
      decisionHours: field("decisionHours", whole(1, 8760), "Enter hours from 1 to 8760, such as 72."),
      acceptanceSpecRequired: values["acceptanceSpecRequired"] !== "",
      deniedPaths: field(
        "deniedPaths",
        (text) => decoded(Schema.Array(Line(500)))([...new Set([...pathsOf(text), acceptanceFolder])]),
        "Enter one path a line, each of at most 500 characters."
      )
    }
  }
  if (values["acceptanceSpecRequired"] === "" && values["preset"] !== "trial")
    errors["acceptanceSpecRequired"] = "Only the preset Trial works without an acceptance spec."
  return Object.keys(errors).length > 0 ? Either.left({ values, errors }) : Either.right(change)
}
