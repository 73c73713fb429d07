import { type DateTime, Schema } from "effect"
import { Line, Name } from "../value/Text.ts"
import { Timestamp } from "../value/Timestamp.ts"

export const Preset = Schema.Literal("trial", "guarded", "standard", "autonomous")
export type Preset = typeof Preset.Type
export const PlanApproval = Schema.Literal("always", "large_stories", "never")
export const MergePolicy = Schema.Literal("manual", "small_changes", "verified")

/** Known agents are claude-code, codex, gemini-cli, opencode and custom; the set is open. */
export const Executor = Line(100)
/** An agent that is named now: rows of earlier versions may hold other characters. */
export const NewExecutor = Name(100)
export const defaultExecutor = "claude-code"

const count = Schema.Int.pipe(Schema.between(0, 2_147_483_647))
export const Cents = count

export const Budgets = Schema.Struct({
  runCents: Schema.NullOr(Cents),
  dayCents: Schema.NullOr(Cents),
  monthCents: Schema.NullOr(Cents)
})

/** The folder of gates and specs in a repository. */
export const ownFolder = ".kanman/**"

/** No agent may edit the specs it is judged by. */
export const acceptanceFolder = ".kanman/acceptance/**"

const settingFields = {
  executor: Executor,
  maxConcurrency: count,
  budgets: Budgets,
  planApproval: PlanApproval,
  mergePolicy: MergePolicy,
  deniedPaths: Schema.Array(Line(500)),
  acceptanceSpecRequired: Schema.Boolean,
  gateFailureBudget: count,
  mergeMaxLines: count,
  decisionHours: count.pipe(Schema.between(1, 8760))
}
export const Settings = Schema.Struct(settingFields)
export type Settings = typeof Settings.Type

export class Policy extends Schema.Class<Policy>("Policy")(
  Schema.Struct({
    preset: Preset,
    custom: Schema.Boolean,
    version: count.pipe(Schema.positive()),
    ...settingFields,
    updatedAt: Timestamp
  }).pipe(
    Schema.filter((policy) => {
      if (!policy.deniedPaths.includes(acceptanceFolder)) return `deniedPaths must hold '${acceptanceFolder}'`
      if (!policy.acceptanceSpecRequired && policy.preset !== "trial")
        return "acceptanceSpecRequired can be turned off only on the trial preset"
      return true
    })
  )
) {}

/** Policy as the API shows it. */
export const PolicySummary = Schema.Struct({
  preset: Preset,
  custom: Schema.Boolean,
  version: Schema.Int,
  executor: Schema.String,
  maxConcurrency: Schema.Int,
  budgets: Budgets,
  planApproval: PlanApproval,
  mergePolicy: MergePolicy,
  pausedAt: Schema.NullOr(Timestamp),
  updatedAt: Timestamp
}).annotations({ identifier: "Policy" })
export type PolicySummary = typeof PolicySummary.Type

const common = {
  executor: defaultExecutor,
  deniedPaths: [acceptanceFolder],
  acceptanceSpecRequired: true,
  gateFailureBudget: 2,
  decisionHours: 72
}

export const presets: Record<Preset, Settings> = {
  trial: {
    ...common,
    maxConcurrency: 1,
    budgets: { runCents: 200, dayCents: 1000, monthCents: 5000 },
    planApproval: "always",
    mergePolicy: "manual",
    mergeMaxLines: 0
  },
  guarded: {
    ...common,
    maxConcurrency: 1,
    budgets: { runCents: 500, dayCents: 5000, monthCents: 50000 },
    planApproval: "always",
    mergePolicy: "manual",
    mergeMaxLines: 0
  },
  standard: {
    ...common,
    maxConcurrency: 3,
    budgets: { runCents: 500, dayCents: 10000, monthCents: 100000 },
    planApproval: "large_stories",
    mergePolicy: "small_changes",
    mergeMaxLines: 200
  },
  autonomous: {
    ...common,
    maxConcurrency: 5,
    budgets: { runCents: 1000, dayCents: null, monthCents: null },
    planApproval: "never",
    mergePolicy: "verified",
    mergeMaxLines: 1000
  }
}

const sameSettings = Schema.equivalence(Settings)

/** Picks the settings that are compared with a preset. */
export const settings = (of: Settings): Settings => ({
  executor: of.executor,
  maxConcurrency: of.maxConcurrency,
  budgets: of.budgets,
  planApproval: of.planApproval,
  mergePolicy: of.mergePolicy,
  deniedPaths: of.deniedPaths,
  acceptanceSpecRequired: of.acceptanceSpecRequired,
  gateFailureBudget: of.gateFailureBudget,
  mergeMaxLines: of.mergeMaxLines,
  decisionHours: of.decisionHours
})

/** True when at least one setting departs from the preset: the policy is then custom. */
export const departs = (preset: Preset, settings: Settings): boolean => !sameSettings(presets[preset], settings)

export const summary = (policy: Policy, pausedAt: DateTime.Utc | null): PolicySummary => ({
  preset: policy.preset,
  custom: policy.custom,
  version: policy.version,
  executor: policy.executor,
  maxConcurrency: policy.maxConcurrency,
  budgets: policy.budgets,
  planApproval: policy.planApproval,
  mergePolicy: policy.mergePolicy,
  pausedAt,
  updatedAt: policy.updatedAt
})
