import { Array, type DateTime, Either, Order, Schema } from "effect"
import { nameProblem } from "../value/Text.ts"
import { validated } from "../value/Validated.ts"
import { acceptanceFolder, departs, Policy, type Preset, presets, Settings, settings as settingsIn } from "./Policy.ts"

export class InvalidPolicy extends Schema.TaggedError<InvalidPolicy>()("InvalidPolicy", { problem: Schema.String }) {
  override get message() {
    return `${this.problem}. The policy is unchanged.`
  }
}

/** Refuses a change that was made from an older version. */
export class PolicyChangedMeanwhile extends Schema.TaggedError<PolicyChangedMeanwhile>()("PolicyChangedMeanwhile", {
  team: Schema.String,
  version: Schema.Number
}) {
  override get message() {
    return `The policy of '${this.team}' was changed meanwhile and has version ${this.version}. Nothing was saved; look at it again first.`
  }
}

/** A change of single settings. A new preset brings its own settings, and the given ones depart from it. */
export interface PolicyChange {
  readonly preset?: Preset
  readonly settings: Partial<Omit<Settings, "budgets">> & { readonly budgets?: Partial<Settings["budgets"]> }
}

/** A team without a policy counts as this preset, so its first policy starts from it. */
export const startingPreset: Preset = "guarded"

/** Returns the policy after a change. Denied paths survive a change of the preset; only given paths replace them. */
export const setPolicy = (
  policy: Policy | null,
  { preset: wanted, settings }: PolicyChange,
  now: DateTime.Utc
): Either.Either<Policy, InvalidPolicy> => {
  const preset = wanted ?? policy?.preset ?? startingPreset
  const base = wanted === undefined && policy !== null ? policy : presets[preset]
  const next: Settings = {
    ...settingsIn(base),
    deniedPaths: policy?.deniedPaths ?? base.deniedPaths,
    ...settings,
    budgets: { ...base.budgets, ...settings.budgets }
  }
  const problem = next.executor === base.executor ? null : nameProblem(next.executor)
  if (problem !== null) return Either.left(new InvalidPolicy({ problem: `executor: ${problem}` }))
  const deniedPaths = Array.dedupe([...next.deniedPaths, acceptanceFolder])
  return validated(
    () =>
      new Policy({
        ...next,
        deniedPaths,
        preset,
        custom: departs(preset, { ...next, deniedPaths }),
        version: (policy?.version ?? 0) + 1,
        updatedAt: now
      }),
    (field, problem) => new InvalidPolicy({ problem: field === "" ? problem : `${field}: ${problem}` })
  )
}

const sameSettings = Schema.equivalence(Settings)
const inOrder = (of: Settings): Settings => ({
  ...settingsIn(of),
  deniedPaths: Array.sort(of.deniedPaths, Order.string)
})

/** True when two policies allow the same; the order of denied paths is irrelevant. */
export const isSame = (one: Policy, other: Policy): boolean =>
  one.preset === other.preset && sameSettings(inOrder(one), inOrder(other))
