import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import { Effect, Option, Record, Schema } from "effect"
import * as Teams from "../../../application/work/Teams.ts"
import * as Policy from "../../../domain/workspace/Policy.ts"
import { KeyPrefix, type Team, TeamSlug } from "../../../domain/workspace/Team.ts"
import { Line } from "../../../domain/value/Text.ts"
import { formatOrNull } from "../../../domain/value/Timestamp.ts"
import { confirm, line, oneOf, onOff, option, options, team, text, usage, whole } from "../Options.ts"
import { named } from "../OptionErrors.ts"
import { placeCommand } from "./PlaceCommands.ts"
import { personalVerb } from "../Command.ts"

const shown = ({ id, keyPrefix, name, pausedAt, policy, slug }: Team) => ({
  id,
  slug,
  name,
  keyPrefix,
  paused: pausedAt !== null,
  pausedAt: formatOrNull(pausedAt),
  preset: policy?.preset ?? null
})

const create = personalVerb(
  "create",
  "Create a team",
  {
    slug: option("slug", TeamSlug, "lowercase words joined by hyphens", {
      description: "Slug of the team, such as payments",
      placeholder: "SLUG"
    }),
    name: line("name", "Name of the team"),
    keyPrefix: option("key-prefix", KeyPrefix, "1 to 10 of A-Z and 0-9, a letter first", {
      description: "What its story keys begin with, such as PAY",
      placeholder: "PREFIX"
    }),
    description: Options.optional(text("description", "What the team is for")),
    preset: oneOf("preset", Policy.Preset, "The policy it begins with; default: standard").pipe(
      Options.withDefault("standard" as const)
    )
  },
  (person, { description, ...input }) =>
    Effect.map(named(Teams.create(person, { ...input, description: Option.getOrNull(description) })), shown),
  ({ keyPrefix, slug }) => `Created team ${slug}; its stories are ${keyPrefix}-1 and so on.`
)

const pause = personalVerb(
  "pause",
  "Pause a team: it starts no new work, running work finishes",
  { team },
  (person, input) => Effect.map(Teams.pause(person, input.team), shown),
  ({ slug }) => `Paused ${slug}.`
)

const resume = personalVerb(
  "resume",
  "Resume a team: it takes Ready stories again",
  { team },
  (person, input) => Effect.map(Teams.resume(person, input.team), shown),
  ({ slug }) => `Resumed ${slug}.`
)

const remove = personalVerb(
  "delete",
  "Delete a team: its runs stop, its pending decisions are cancelled; rows and audit stay",
  { team, confirm },
  (person, { confirm, team }) => Effect.as(Teams.remove(person, team, confirm), { slug: team, deleted: true }),
  ({ slug }) => `Deleted team ${slug}.`
)

export const teamCommand = Command.make("team").pipe(
  Command.withDescription("Create, pause, resume and delete teams, and say where their incidents are posted"),
  Command.withSubcommands([create, pause, resume, remove, placeCommand])
)

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
  executor: Options.optional(line("executor", "The coding agent, such as claude-code")),
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
    whole("decision-hours", "After how many hours an unanswered decision expires, 1 to 8760", 1)
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
      description: `Paths nobody's agent may change, in place of those before; ${Policy.acceptanceFolder} always is one`,
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
  ({ changed, custom, preset, team, version }) =>
    `The policy of ${team} ${changed ? `is version ${version} now` : `stays version ${version}`}: ` +
    `${preset}${custom ? ", custom" : ""}.`
)

export const policyCommand = Command.make("policy").pipe(
  Command.withDescription("Change what a team may do on its own"),
  Command.withSubcommands([set])
)
