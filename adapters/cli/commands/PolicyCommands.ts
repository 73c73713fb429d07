import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import { Effect, Option, Record, Schema } from "effect"
import { TeamStore } from "../../../application/ports/TeamStore.ts"
import * as Teams from "../../../application/work/Teams.ts"
import { settingsOf } from "../../../domain/work/DecisionTriggers.ts"
import * as Policy from "../../../domain/workspace/Policy.ts"
import type { Team } from "../../../domain/workspace/Team.ts"
import { Line } from "../../../domain/value/Text.ts"
import { cents as money, columns, time } from "../Columns.ts"
import { newName, oneOf, onOff, option, options, team, usage, whole } from "../Options.ts"
import { personalVerb } from "../Command.ts"
import { presetWords } from "../Wording.ts"

const CentsOrNone = Schema.Union(
  Schema.transform(Schema.Literal("none"), Schema.Null, {
    strict: true,
    decode: () => null,
    encode: () => "none" as const
  }),
  Schema.compose(Schema.NumberFromString, Policy.Cents)
)
const cents = (name: string, description: string) =>
  Options.optional(
    option(name, CentsOrNone, "a whole number of cents up to 2147483647, or none", {
      description,
      placeholder: "CENTS|none"
    })
  )

const encode = Schema.encodeSync(Policy.Policy)

const optional = {
  executor: Options.optional(
    newName("executor", "The coding agent, such as claude-code; custom is the command of a runner")
  ),
  maxConcurrency: Options.optional(whole("max-concurrency", "How many runs may work at the same time")),
  planApproval: Options.optional(oneOf("plan-approval", Policy.PlanApproval, "Which plans people approve")),
  mergePolicy: Options.optional(
    oneOf("merge-policy", Policy.MergePolicy, "Which verified changes merge without asking")
  ),
  gateFailureBudget: Options.optional(
    whole("gate-failure-budget", "How often a gate may fail in a run before people are asked")
  ),
  mergeMaxLines: Options.optional(whole("merge-max-lines", "The largest change that is a small one, in lines")),
  decisionHours: Options.optional(
    whole("decision-hours", "After how many hours an unanswered decision expires, 1 to 8760", 1, 8760)
  )
}
const budgets = {
  runCents: cents("run-budget", "What a run may cost before people are asked; none means 500"),
  dayCents: cents("day-budget", "What may be spent in a UTC day before no new run starts"),
  monthCents: cents("month-budget", "What may be spent in a UTC month before no new run starts")
}

const set = personalVerb(
  "set",
  "Change a team's policy; other settings keep their values",
  {
    team,
    preset: Options.optional(
      oneOf("preset", Policy.Preset, "Another preset, with all of its settings; denied paths stay")
    ),
    deniedPaths: options("denied-path", Line(500), "text of 1 to 500 characters", {
      description: `Paths nobody's agent may change; replaces the current list; ${Policy.acceptanceFolder} always is one`,
      placeholder: "GLOB"
    }),
    acceptanceSpec: Options.optional(
      onOff("acceptance-spec", "Whether a story needs an acceptance spec; off only on trial")
    ),
    ...optional,
    ...budgets
  },
  (person, input) =>
    Effect.gen(function* () {
      const { acceptanceSpec, dayCents, deniedPaths, executor, monthCents, preset, runCents, team } = input
      const { decisionHours, gateFailureBudget, maxConcurrency, mergeMaxLines, mergePolicy, planApproval } = input
      const settings = {
        ...Record.getSomes({ executor }),
        ...Record.getSomes({ planApproval }),
        ...Record.getSomes({ mergePolicy }),
        ...Record.getSomes({ maxConcurrency, gateFailureBudget, mergeMaxLines, decisionHours }),
        ...(deniedPaths.length > 0 && { deniedPaths }),
        ...(Option.isSome(acceptanceSpec) && { acceptanceSpecRequired: acceptanceSpec.value })
      }
      const budgets = Record.getSomes({ runCents, dayCents, monthCents })
      if (Option.isNone(preset) && Object.keys({ ...settings, ...budgets }).length === 0)
        return yield* Effect.fail(usage("There is nothing to change: name at least one setting"))
      const change = { ...Record.getSomes({ preset }), settings: { ...settings, budgets } }
      const { isChanged, policy } = yield* Teams.setPolicy(person, team, change)
      return { team, ...encode(policy), changed: isChanged }
    }),
  ({ changed, custom, executor, preset, team, version }) =>
    `The policy of ${team} ${changed ? `is version ${version} now` : `stays version ${version}`}: ` +
    `preset ${presetWords({ custom, preset })}, coding agent ${executor}.`
)

/** The rules of a team without a policy are shown too, since they hold. */
const shownOf = (slug: string, policy: typeof Policy.Policy.Encoded | null) =>
  policy === null
    ? { team: slug, preset: null, custom: false, version: null, ...settingsOf(null), updatedAt: null }
    : { team: slug, ...policy }

const headline = ({ custom, preset, team, updatedAt, version }: ReturnType<typeof shownOf>) =>
  preset === null
    ? `${team} has no policy of its own; these rules hold:`
    : `The policy of ${team} is version ${version}: preset ${presetWords({ custom, preset })}, set ${time(updatedAt)}`

const show = personalVerb(
  "show",
  "Show all of a team's policy",
  { team },
  ({ workspace }, input) =>
    Effect.gen(function* () {
      const { policy, slug } = JSON.parse(yield* (yield* TeamStore).whole(workspace, input.team)) as typeof Team.Encoded
      return shownOf(slug, policy)
    }),
  (shown) =>
    [
      headline(shown),
      ...columns([
        ["  Coding agent", shown.executor],
        ["  Runs at the same time", `${shown.maxConcurrency}`],
        ["  Plans that people approve", shown.planApproval],
        ["  Changes that merge without asking", shown.mergePolicy],
        ["  Largest small change", `${shown.mergeMaxLines} lines`],
        ["  Budget of a run", money(shown.budgets.runCents)],
        ["  Budget of a day", money(shown.budgets.dayCents)],
        ["  Budget of a month", money(shown.budgets.monthCents)],
        ["  Failures of a gate before people are asked", `${shown.gateFailureBudget}`],
        ["  Acceptance spec required", shown.acceptanceSpecRequired ? "yes" : "no"],
        ["  Decisions expire after", `${shown.decisionHours} hours`],
        ["  Denied paths", shown.deniedPaths.join(", ")]
      ])
    ].join("\n")
)

export const policyCommand = Command.make("policy").pipe(
  Command.withDescription("Show and change what a team may do on its own"),
  Command.withSubcommands([show, set])
)
