import * as Command from "@effect/cli/Command"
import * as CliOptions from "@effect/cli/Options"
import { Effect, Option, Schema } from "effect"
import type { BindingState } from "../../../application/ports/tracker/TrackerStore.ts"
import * as Bindings from "../../../application/work/tracker/Bindings.ts"
import { type Mapping, usualMapping, usualStatuses } from "../../../domain/tracker/Mapping.ts"
import { boardOf, markOf } from "../../../domain/tracker/MappingText.ts"
import { format, formatOrNull } from "../../../domain/value/Timestamp.ts"
import { ClassOfService, ColumnRole, columnOf, Size } from "../../../domain/work/Story.ts"
import { columns, counted, time } from "../Columns.ts"
import { personalVerb } from "../Command.ts"
import { line, options, team } from "../Options.ts"

/** LABEL=WORD, split at the last sign, since labels may hold one. */
const pair = <A extends string>(word: Schema.Schema<A, A>) =>
  Schema.String.pipe(
    Schema.filter((text) => text.lastIndexOf("=") > 0),
    Schema.transform(Schema.Struct({ name: Schema.String, word: Schema.String }), {
      strict: true,
      decode: (text) => ({ name: text.slice(0, text.lastIndexOf("=")), word: text.slice(text.lastIndexOf("=") + 1) }),
      encode: ({ name, word: of }) => `${name}=${of}`
    }),
    Schema.compose(Schema.Struct({ name: Schema.String, word }), { strict: false })
  )

const pairs = <A extends string>(name: string, word: Schema.Schema<A, A>, words: string, description: string) =>
  options(name, pair(word), `a label and a word, such as ${description}: ${words}`, {
    description: `${description}; may be given several times`,
    placeholder: "LABEL=WORD"
  })

const input = {
  team,
  connection: line("connection", "Name of the connection, or its id"),
  project: line("project", "Project of the tracker, such as acme/shop"),
  columns: pairs(
    "column",
    ColumnRole,
    ColumnRole.literals.join(", "),
    "ready=ready, or status:Todo=backlog for a status, label:status:todo=backlog for such a label; the first that matches counts"
  ),
  sizes: pairs("size", Size, Size.literals.join(", "), "large=l"),
  classes: pairs("class", ClassOfService, ClassOfService.literals.join(", "), "urgent=expedite"),
  only: CliOptions.optional(line("only", "Label that an issue must have to become a story")),
  board: CliOptions.optional(
    line(
      "board",
      "Board that shows the status of issues, such as acme/7, or acme/7:Stage for a field other than Status"
    )
  )
}

type Input = {
  readonly columns: ReadonlyArray<{ readonly name: string; readonly word: ColumnRole }>
  readonly sizes: ReadonlyArray<{ readonly name: string; readonly word: typeof Size.Type }>
  readonly classes: ReadonlyArray<{ readonly name: string; readonly word: typeof ClassOfService.Type }>
  readonly only: Option.Option<string>
  readonly board: Option.Option<string>
}

/** Rows that are given replace the usual ones. */
const mappingOf = ({ board, classes, columns: given, only, sizes }: Input): Mapping => {
  const usual = Option.isNone(board) ? usualMapping.columns : usualStatuses
  return {
    columns: given.length === 0 ? usual : given.map(({ name: mark, word }) => ({ mark: markOf(mark), column: word })),
    sizes: Object.fromEntries(sizes.map(({ name: label, word }) => [label, word])),
    classes: Object.fromEntries(classes.map(({ name: label, word }) => [label, word])),
    only: Option.getOrNull(only),
    ...(Option.isSome(board) && { board: boardOf(board.value) })
  }
}

const shown = ({ binding, drafts, mirrored, sync, unwritten }: BindingState) => ({
  team: binding.team,
  platform: binding.platform,
  project: binding.project,
  mapping: binding.mapping,
  mirrored,
  unwritten,
  drafts,
  sweep: sync.sweep && { read: sync.sweep.read, total: sync.sweep.total, startedAt: format(sync.sweep.startedAt) },
  completeAt: formatOrNull(sync.sweptAt),
  readAt: formatOrNull(sync.readAt),
  trouble: sync.trouble,
  createdAt: format(binding.createdAt)
})

type Dry = Effect.Effect.Success<ReturnType<typeof Bindings.check>>

/** The words of a dry run. */
export const checked = ({
  boardProblem,
  columns: counts,
  isWhole,
  missing,
  project,
  statuses,
  stories,
  unknown,
  unmarked
}: Dry): string =>
  [
    `${project}: ${counted(stories.length, "issue")}${isWhole ? "" : " on the first page"}.`,
    ...missing.map((permission) => `Missing permission: ${permission}`),
    ...(boardProblem === null ? [] : [`The board cannot be used: ${boardProblem}`]),
    ...unknown.map(({ kind, name }) =>
      kind === "status" && statuses.length > 0
        ? `The board has no status '${name}'. It has ${statuses.map((one) => `'${one}'`).join(", ")}.`
        : `The project has no ${kind} '${name}'.`
    ),
    ...unmarked.map(
      (role) =>
        `No ${statuses.length > 0 ? "status" : "label"} means ${columnOf(role).name}: its stories look like Backlog in the tracker.`
    ),
    ...counts.filter(({ count }) => count > 0).map(({ column, count }) => `${columnOf(column).name}: ${count}`),
    ...columns(
      stories.map(({ column, criteria, key, note, readinessScore, title }) => [
        key,
        column === null ? "not mirrored" : columnOf(column).name,
        counted(criteria, "criterion", "criteria"),
        String(readinessScore),
        note === null ? title : `${title} (${note})`
      ])
    )
  ].join("\n")

const check = personalVerb(
  "check",
  "Show the stories that the issues of a project would become; nothing is kept",
  input,
  (person, { connection, project, team: slug, ...rest }) =>
    Bindings.check(person, { team: slug, connection, project, mapping: mappingOf(rest) }),
  checked
)

const bind = personalVerb(
  "bind",
  "Bind a team to a project of a tracker; its issues become stories",
  input,
  (person, { connection, project, team: slug, ...rest }) =>
    Effect.map(
      Bindings.bind(person, { team: slug, connection, project, mapping: mappingOf(rest) }),
      ({ mapping, platform, project: name, team: of }) => ({ team: of, platform, project: name, mapping })
    ),
  ({ project, team: slug }) =>
    `Bound the team ${slug} to ${project}. Its issues become stories from now on; 'tracker show' shows the progress.`
)

const ofAll = ({ read, total }: { readonly read: number; readonly total: number | null }) =>
  total === null ? counted(read, "issue") : `${read} of ${counted(total, "issue")}`

const show = personalVerb(
  "show",
  "Show the tracker of a team and the progress of its mirror",
  { team },
  (person, { team: slug }) => Effect.map(Bindings.show(person, slug), shown),
  ({ completeAt, drafts, mapping, mirrored, project, readAt, sweep, team: slug, trouble, unwritten }) =>
    [
      `${slug} mirrors ${project}: ${counted(mirrored, "issue")}.`,
      `To write: ${counted(unwritten, "change")} and ${counted(drafts, "approved draft")}.`,
      completeAt !== null
        ? `All issues were read at ${time(completeAt)}, and changes at ${time(readAt)}.`
        : sweep === null
          ? "The first mirror begins within a minute."
          : `First mirror: ${ofAll(sweep)} read since ${time(sweep.startedAt)}.`,
      ...(trouble === null ? [] : [`Trouble: ${trouble}`]),
      ...mapping.columns.map(({ column, mark }) => `The ${mark.kind} '${mark.name}' means ${columnOf(column).name}.`),
      ...(mapping.board === undefined
        ? []
        : [`Statuses are options of '${mapping.board.field}' of ${mapping.board.name}.`]),
      ...(mapping.only === null ? [] : [`Only issues with the label '${mapping.only}' become stories.`])
    ].join("\n")
)

const unbind = personalVerb(
  "unbind",
  "End the mirror of a team; its stories stay",
  { team },
  (person, { team: slug }) =>
    Effect.map(Bindings.unbind(person, slug), ({ binding, kept }) => ({
      team: binding.team,
      project: binding.project,
      keptStories: kept
    })),
  ({ keptStories, project, team: slug }) =>
    `Unbound the team ${slug} from ${project}. ${counted(keptStories, "story stays", "stories stay")} with text, runs and links to issues, and the text can be edited here. Nothing was changed in the tracker.`
)

export const trackerCommand = Command.make("tracker").pipe(
  Command.withDescription("Mirror the issues of a tracker as stories of a team"),
  Command.withSubcommands([check, bind, show, unbind])
)
