import { Schema } from "effect"
import { ClassOfService, ColumnRole, Size } from "../work/Story.ts"
import { Line } from "../value/Text.ts"
import type { IssueChange } from "./IssueChange.ts"
import type { IssueSnapshot } from "./TrackerIssue.ts"

/** A label of an issue, or the status of a board or workflow. */
export const Mark = Schema.Struct({ kind: Schema.Literal("label", "status"), name: Line(200) })
export type Mark = typeof Mark.Type

/** A board with the field whose options are the statuses of issues, as the tracker names them, such as acme/7 and Status. */
export const Board = Schema.Struct({ name: Line(200), field: Line(200) })
export type Board = typeof Board.Type

/** Table that reads an issue's labels and status as fields of a story; the first row that matches decides. */
export const Mapping = Schema.Struct({
  columns: Schema.Array(Schema.Struct({ mark: Mark, column: ColumnRole })).pipe(Schema.maxItems(50)),
  /** Labels that mean a size or a class of service, besides those that every team has. */
  sizes: Schema.Record({ key: Line(200), value: Size }),
  classes: Schema.Record({ key: Line(200), value: ClassOfService }),
  /** Only issues with this label become stories; null mirrors all. */
  only: Schema.NullOr(Line(200)),
  /** The board that shows the statuses; a mapping by labels alone has none. */
  board: Schema.optionalWith(Board, { exact: true })
})
export type Mapping = typeof Mapping.Type

const label = (name: string): Mark => ({ kind: "label", name })

/** Mapping of a team that names none. Refining goes before Ready: an issue with both is not worked on. */
export const usualMapping: Mapping = {
  columns: [
    { mark: label("review"), column: "review" },
    { mark: label("in progress"), column: "in_progress" },
    { mark: label("refining"), column: "refining" },
    { mark: label("ready"), column: "ready" }
  ],
  sizes: {},
  classes: {},
  only: null
}

const status = (name: string): Mark => ({ kind: "status", name })

/** Columns of a board that names none. */
export const usualStatuses: Mapping["columns"] = [
  { mark: status("In review"), column: "review" },
  { mark: status("In progress"), column: "in_progress" },
  { mark: status("Ready"), column: "ready" },
  { mark: status("Backlog"), column: "backlog" },
  { mark: status("Done"), column: "done" }
]

/** Column of an open issue without a mark. */
export const usualColumn: ColumnRole = "backlog"

export const isSameName = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase()

type Marked = Pick<IssueSnapshot, "labels" | "status">

const has = ({ labels, status }: Marked, { kind, name }: Mark): boolean =>
  kind === "label" ? labels.some((one) => isSameName(one, name)) : status !== null && isSameName(status, name)

const firstOf = <A extends { readonly mark: Mark }>(rows: ReadonlyArray<A>, issue: Marked): A | undefined =>
  rows.find(({ mark }) => has(issue, mark))

export const isMirrored = ({ only }: Mapping, issue: Marked): boolean => only === null || has(issue, label(only))

/** The column that the tracker shows: a closed issue is done. */
export const columnShown = ({ columns }: Mapping, issue: Marked & Pick<IssueSnapshot, "closed">): ColumnRole =>
  issue.closed !== null ? "done" : (firstOf(columns, issue)?.column ?? usualColumn)

/** The kind of mark by which an issue shows its column. */
export const kindShown = ({ columns }: Mapping, issue: Marked): Mark["kind"] =>
  firstOf(columns, issue)?.mark.kind ?? "label"

/** Columns of stories that somebody chose to work on: an account with write access must stand for their text. */
export const chosen: ReadonlyArray<ColumnRole> = ["ready", "in_progress", "review"]

/** Labels and statuses that show a column. */
export const columnMarks = ({ columns }: Mapping, role: ColumnRole): ReadonlyArray<Mark> =>
  columns.flatMap(({ column, mark }) => (column === role ? [mark] : []))

/** A status with the time at which it was set, where the tracker says it. */
export type IssueStatus = Pick<IssueSnapshot, "status" | "statusSince">

/** True when both are the same status, or none. */
export const isSameStatus = (a: string | null, b: string | null): boolean =>
  a === null || b === null ? a === b : isSameName(a, b)

/** The status that shows a column: without one of its own it looks like Backlog. Undefined leaves the status. */
const statusFor = (columns: Mapping["columns"], role: ColumnRole): string | null | undefined => {
  const target = columns.find(({ column }) => column === role)?.mark
  if (target !== undefined) return target.kind === "status" ? target.name : undefined
  if (role === "done" || !columns.some(({ mark }) => mark.kind === "status")) return undefined
  return columns.find(({ column, mark }) => column === usualColumn && mark.kind === "status")?.mark.name ?? null
}

/** The change by which an issue shows a column. */
export const changeTo = (
  { columns }: Mapping,
  column: ColumnRole,
  issue: { readonly labels: ReadonlyArray<string>; readonly isClosed: boolean; readonly status: string | null }
): IssueChange => {
  const target = columns.find((row) => row.column === column)?.mark
  const wanted = target?.kind === "label" ? target.name : null
  const isShown = (name: string) => issue.labels.some((one) => isSameName(one, name))
  const others = columns.flatMap(({ mark }) =>
    mark.kind === "label" && isShown(mark.name) && !isSameName(mark.name, wanted ?? "") ? [mark.name] : []
  )
  const isDone = column === "done"
  const next = statusFor(columns, column)
  return {
    addLabels: wanted === null || isShown(wanted) ? [] : [wanted],
    removeLabels: [...new Set(others)],
    ...(isDone === issue.isClosed ? {} : { closed: isDone ? "completed" : null }),
    ...(next !== undefined && !isSameStatus(next, issue.status) && { status: next })
  }
}

const marksOf = ({ classes, columns, only, sizes }: Mapping): ReadonlyArray<Mark> => [
  ...columns.map(({ mark }) => mark),
  ...[...Object.keys(sizes), ...Object.keys(classes), ...(only === null ? [] : [only])].map(label)
]

/** Marks that the project lacks: their rows can never match. */
export const unknownMarks = (
  mapping: Mapping,
  project: { readonly labels: ReadonlyArray<string>; readonly statuses: ReadonlyArray<string> }
): ReadonlyArray<Mark> =>
  marksOf(mapping).filter(
    ({ kind, name }) => !(kind === "label" ? project.labels : project.statuses).some((one) => isSameName(one, name))
  )

/** The first mark that two rows name. */
export const contradiction = ({ columns }: Mapping): Mark | null => {
  const isSame = (a: Mark, b: Mark) => a.kind === b.kind && isSameName(a.name, b.name)
  const twice = columns.find(({ mark }, index) => columns.slice(0, index).some((row) => isSame(row.mark, mark)))
  return twice?.mark ?? null
}
