import { Array } from "effect"
import type { MergePolicy, PlanApproval, Preset, Settings } from "../../../../domain/workspace/Policy.ts"

export const presetWords: Record<Preset, string> = {
  trial: "Trial",
  guarded: "Guarded",
  standard: "Standard",
  autonomous: "Autonomous"
}

export const presetHints: Record<Preset, string> = {
  trial: "One run at a time, small budgets, every plan and merge waits for a person",
  guarded: "One run at a time, every plan and merge waits for a person",
  standard: "Three runs, people approve large plans and large merges",
  autonomous: "Five runs, nothing waits for a person while gates pass"
}

export const planWords: Record<typeof PlanApproval.Type, string> = {
  always: "Every plan",
  large_stories: "Plans of large stories, L and XL",
  never: "No plan"
}

export const mergeWords: Record<typeof MergePolicy.Type, string> = {
  manual: "None: a person approves every merge",
  small_changes: "Small ones",
  verified: "All of them"
}

/** `5.00 €` */
export const money = (cents: number | null): string => (cents === null ? "no limit" : `${(cents / 100).toFixed(2)} €`)

const times = (count: number) => (count === 1 ? "once" : `${count} times`)

/** One setting in words, from the values of all. */
interface Setting {
  readonly name: string
  readonly shown: (of: Settings) => string
  /** Consequence of the new value. */
  readonly consequence: (after: Settings, before: Settings) => string
}

const runLimit = ({ budgets }: Settings) => money(budgets.runCents ?? 500)

const spending = (unit: string, limit: (of: Settings) => number | null): Setting => ({
  name: `Budget of a ${unit}`,
  shown: (of) => money(limit(of)),
  consequence: (after) =>
    limit(after) === null
      ? `Runs start however much was spent in the ${unit}.`
      : `No run starts once ${money(limit(after))} was spent in a ${unit} (UTC). Runs that work then go on.`
})

const concurrency: Setting = {
  name: "Runs at the same time",
  shown: ({ maxConcurrency }) => String(maxConcurrency),
  consequence: ({ maxConcurrency: after }, { maxConcurrency: before }) =>
    after === 0
      ? "No story is started any more. Runs that work now go on."
      : after > before
        ? `Ready stories start at once, until ${after} runs work.`
        : `No story starts while ${after} or more runs work. Runs that work now go on.`
}

const merging = ({ mergeMaxLines, mergePolicy }: Settings) =>
  mergePolicy === "manual"
    ? "Every merge waits for a person."
    : mergePolicy === "verified"
      ? "Every verified change is merged without asking."
      : `Verified changes of up to ${mergeMaxLines} lines are merged without asking; larger ones wait for a person.`

const paths: Setting = {
  name: "Paths that agents may not change",
  shown: ({ deniedPaths }) => deniedPaths.join(", "),
  consequence: ({ deniedPaths: after }, { deniedPaths: before }) => {
    const [added, removed] = [Array.difference(after, before), Array.difference(before, after)]
    return [
      ...(added.length > 0 ? [`A run that changes ${added.join(", ")} asks a person first.`] : []),
      ...(removed.length > 0 ? [`Runs may change ${removed.join(", ")} without asking.`] : [])
    ].join(" ")
  }
}

/** Every setting of a policy, in the order of the page. */
export const settings: ReadonlyArray<Setting> = [
  {
    name: "Coding agent",
    shown: ({ executor }) => executor,
    consequence: ({ executor }) => `New runs use ${executor}. Runs that work now keep their agent.`
  },
  concurrency,
  {
    name: "Budget of a run",
    shown: runLimit,
    consequence: (after) => `A new run may cost ${runLimit(after)} before a person is asked. Others keep their budget.`
  },
  spending("day", ({ budgets }) => budgets.dayCents),
  spending("month", ({ budgets }) => budgets.monthCents),
  {
    name: "Plans that a person approves",
    shown: ({ planApproval }) => planWords[planApproval],
    consequence: ({ planApproval }) =>
      planApproval === "always"
        ? "Every plan waits for a person."
        : planApproval === "never"
          ? "No plan waits for a person."
          : "Plans of stories of size L and XL wait for a person. Others go on by themselves."
  },
  {
    name: "Changes that merge without asking",
    shown: ({ mergePolicy }) => mergeWords[mergePolicy],
    consequence: merging
  },
  {
    name: "Lines of a small change",
    shown: ({ mergeMaxLines }) => String(mergeMaxLines),
    consequence: (after) =>
      after.mergePolicy === "small_changes"
        ? merging(after)
        : "Nothing follows while the size of a change is not asked for."
  },
  {
    name: "Failures of a gate before a person is asked",
    shown: ({ gateFailureBudget }) => String(gateFailureBudget),
    consequence: ({ gateFailureBudget }) =>
      gateFailureBudget === 0
        ? "A person is asked the first time that a gate fails in a run."
        : `A gate may fail ${times(gateFailureBudget)} in a run before a person is asked.`
  },
  {
    name: "Acceptance spec",
    shown: ({ acceptanceSpecRequired }) => (acceptanceSpecRequired ? "required" : "not required"),
    consequence: ({ acceptanceSpecRequired }) =>
      acceptanceSpecRequired
        ? "A run needs an acceptance spec to be verified."
        : "Runs are verified without an acceptance spec."
  },
  paths,
  {
    name: "Time to answer a decision",
    shown: ({ decisionHours }) => `${decisionHours} h`,
    consequence: ({ decisionHours }) =>
      `New decisions expire after ${decisionHours} h, and their runs end. Those that wait now keep their time.`
  }
]

/** A setting that a change replaces, with what follows from it. */
export interface Difference {
  readonly name: string
  readonly before: string
  readonly after: string
  readonly consequence: string
}

export const differences = (before: Settings, after: Settings): ReadonlyArray<Difference> =>
  settings.flatMap(({ consequence, name, shown }) =>
    shown(before) === shown(after)
      ? []
      : [{ name, before: shown(before), after: shown(after), consequence: consequence(after, before) }]
  )
