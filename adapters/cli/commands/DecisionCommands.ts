import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import { Effect, Option, Schema } from "effect"
import * as Decisions from "../../../application/work/Decisions.ts"
import { DecisionStore } from "../../../application/ports/DecisionStore.ts"
import { Action, DecisionStatus, type DecisionView, Kind } from "../../../domain/work/Decision.ts"
import { Role } from "../../../domain/workspace/Member.ts"
import { usual } from "../../../domain/work/DecisionTriggers.ts"
import { Line } from "../../../domain/value/Text.ts"
import type { TeamNotFound } from "../../../domain/workspace/Team.ts"
import { columns, flat, paragraphs, row, section, time } from "../Columns.ts"
import { paged, pageOf, personalList } from "../Paging.ts"
import { decision, line, oneOf, option, options, run, story, team, text, title, usage } from "../Options.ts"
import { personalVerb } from "../Command.ts"

type Shown = typeof DecisionView.Encoded

const ChoiceText = Schema.TemplateLiteralParser(Line(100), ":", Action, ":", Line(200))

const choiceShape = `ID:ACTION:LABEL such as 'yes:approve_plan:Approve it', ACTION being one of ${Action.literals.join(", ")}`

const choices = options("option", ChoiceText, choiceShape, {
  description: "An answer people may give, 2 to 4 times: yes:approve_plan:'Approve it'; default: the kind's usual ones",
  placeholder: "ID:ACTION:LABEL"
})

const placeOf = (given: {
  readonly run: Option.Option<Extract<Decisions.Place, { run: unknown }>["run"]>
  readonly story: Option.Option<Extract<Decisions.Place, { story: unknown }>["story"]>
  readonly team: Option.Option<Extract<Decisions.Place, { team: unknown }>["team"]>
}) => {
  const [place, another] = [
    ...Option.toArray(Option.map(given.run, (run): Decisions.Place => ({ run }))),
    ...Option.toArray(Option.map(given.story, (story): Decisions.Place => ({ story }))),
    ...Option.toArray(Option.map(given.team, (team): Decisions.Place => ({ team })))
  ]
  return place === undefined || another !== undefined
    ? Effect.fail(usage("Say what it is about with one of --run, --story and --team"))
    : Effect.succeed(place)
}

const raise = personalVerb(
  "raise",
  "Raise a decision about a run, a story or a team: name one of them",
  {
    kind: oneOf("kind", Kind, "What is to be decided"),
    title: title("title", "What is asked, in one line"),
    run: Options.optional(run),
    story: Options.optional(story),
    team: Options.optional(team),
    body: text("body", "The reasoning, in Markdown").pipe(Options.withDefault("")),
    subject: Options.optional(title("subject", "The path, gate or merge it is about; an exception holds for it alone")),
    authority: oneOf("authority", Role, "The least role that may answer; default: member").pipe(
      Options.withDefault("member" as const)
    ),
    choices,
    recommend: Options.optional(line("recommend", "Id of the recommended option; default: the first"))
  },
  (person, { authority, body, choices, kind, recommend, subject, title, ...given }) =>
    Effect.gen(function* () {
      const place = yield* placeOf(given)
      const offered = choices.map(([id, , action, , label]) => ({ id, action, label }))
      if (offered.length === 1 || offered.length > 4)
        return yield* Effect.fail(usage(`--option must be given 2 to 4 times, or not at all; got ${offered.length}`))
      const about = "run" in place ? "run" : "story" in place ? "story" : "team"
      const asked =
        offered.length === 0 ? usual(kind, about) : { options: offered, recommendation: offered[0]?.id ?? "" }
      const json = yield* Decisions.raise(person, place, {
        kind,
        title,
        body,
        authority,
        subject: Option.getOrNull(subject),
        options: asked.options,
        recommendation: Option.getOrElse(recommend, () => asked.recommendation)
      })
      return JSON.parse(json) as Shown
    }),
  ({ key, options }) => `Raised ${key}. It may be answered with: ${options.map(({ id }) => id).join(", ")}.`
)

const Via = Schema.Literal("app", "slack", "mcp")

const answer = personalVerb(
  "answer",
  "Answer a decision; the first answer wins",
  {
    decision,
    option: option("option", Schema.String, "an id", {
      description: "Id of one of its options; 'decision list' shows them",
      placeholder: "ID"
    }),
    note: Options.optional(text("note", "What the agent should know; at most 4,000 characters")),
    via: oneOf("via", Via, "The channel the answer came through; default: app").pipe(
      Options.withDefault("app" as const)
    )
  },
  (person, { decision, note, option, via }) =>
    Effect.map(
      Decisions.answer(
        { ...person, channel: via },
        { decision, optionId: option, note: Option.getOrNull(note), idempotency: null }
      ),
      ({ json }) => JSON.parse(json) as typeof Decisions.ResolvedView.Encoded
    ),
  ({ effects, key }) =>
    [`Answered ${key}.`, ...effects.map(({ status, summary }) => `- ${flat(summary)} (${status})`)].join("\n")
)

const answers = ({ options }: Shown) =>
  options.map(({ id, recommended }) => (recommended ? `${id} (recommended)` : id)).join(", ")

/** Lists a decision with the command that resolves it while it is pending. */
const listed = (decision: Shown) => {
  const { key, kind, runKey, status, story, team, title } = decision
  const first = row([key, status, kind, runKey ?? story ?? team, title])
  return status === "pending" ? `${first}\n          answer with ${answers(decision)}` : first
}

const list = personalList(
  "list",
  "List decisions, newest first",
  {
    status: Options.optional(oneOf("status", DecisionStatus, "Only decisions with this status")),
    team: Options.optional(team),
    run: Options.optional(run),
    ...paged
  },
  ({ workspace }, { run, status, team, ...asked }) =>
    Effect.flatMap(DecisionStore, (store) => {
      const filters = {
        status: Option.getOrNull(status),
        team: Option.getOrNull(team),
        run: Option.getOrNull(run)
      }
      return pageOf<DecisionView, Shown, TeamNotFound, never>(
        { workspace, list: "decisions", filters },
        asked,
        (page) => store.page(workspace, filters, page)
      )
    }),
  "No decisions.",
  (decisions) => decisions.map(listed)
)

const show = personalVerb(
  "show",
  "Show a decision with its reasoning, its options and its answer",
  { decision },
  ({ workspace }, input) =>
    Effect.map(
      Effect.flatMap(DecisionStore, (store) => store.get(workspace, input.decision)),
      (json) => JSON.parse(json) as Shown
    ),
  (shown) =>
    [
      `${shown.key}: ${flat(shown.title)}`,
      ...columns([
        ["  Kind", shown.kind],
        ["  Status", shown.status],
        ["  About", [shown.runKey, shown.story, shown.team].filter(Boolean).join(", ")],
        ["  Answered by", `${shown.authority} or above`],
        ["  Raised", time(shown.createdAt)],
        ["  Expires", time(shown.expiresAt, "never")]
      ]),
      ...section("Reasoning", paragraphs(shown.body)),
      ...section(
        "Options",
        columns(shown.options.map(({ id, label, recommended }) => [id, recommended ? `${label} (recommended)` : label]))
      ),
      ...section(
        "Answer",
        shown.resolution === null
          ? []
          : [
              `${shown.resolution.optionId}, ${time(shown.resolvedAt)} via ${shown.resolvedVia}`,
              ...paragraphs(shown.resolution.note)
            ]
      )
    ].join("\n")
)

export const decisionCommand = Command.make("decision").pipe(
  Command.withDescription("Raise, answer, list and show decisions"),
  Command.withSubcommands([raise, answer, list, show])
)
