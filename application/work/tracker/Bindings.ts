import { Effect } from "effect"
import * as ChangeBinding from "../../../domain/tracker/ChangeBinding.ts"
import { type BindingId, InvalidBinding, TeamNotBound } from "../../../domain/tracker/Binding.ts"
import {
  chosen,
  columnMarks,
  columnShown,
  isMirrored,
  kindShown,
  type Mapping,
  unknownMarks
} from "../../../domain/tracker/Mapping.ts"
import { readIssue } from "../../../domain/tracker/ReadIssue.ts"
import { readLabels } from "../../../domain/tracker/ReadLabels.ts"
import type { IssueSnapshot } from "../../../domain/tracker/TrackerIssue.ts"
import { distrust } from "../../../domain/tracker/Trust.ts"
import * as Uuid from "../../../domain/value/Uuid.ts"
import { ColumnRole, readiness } from "../../../domain/work/Story.ts"
import type { TeamSlug } from "../../../domain/workspace/Team.ts"
import * as Connections from "../../codehost/Connections.ts"
import { ConnectionStore } from "../../ports/connection/ConnectionStore.ts"
import { TeamStore } from "../../ports/TeamStore.ts"
import { TrackerStore } from "../../ports/tracker/TrackerStore.ts"
import { type Project, type Tracker, type TrackerFailed, Trackers } from "../../ports/tracker/Trackers.ts"
import { byOf, permit, type Person } from "../../workspace/Authorization.ts"
import * as DeniedTarget from "../../workspace/DeniedTarget.ts"

/** A binding as a member asks for it. */
export interface BindingInput {
  readonly team: TeamSlug
  /** Name or id. */
  readonly connection: string
  readonly project: string
  readonly mapping: Mapping
}

/** A story that an issue would become. */
export interface Preview {
  readonly key: string
  readonly url: string
  readonly title: string
  /** Null when it is not mirrored. */
  readonly column: ColumnRole | null
  readonly size: string | null
  readonly classOfService: string
  readonly criteria: number
  readonly readinessScore: number
  /** Reason for which a Ready issue is not worked on. */
  readonly note: string | null
}

const invalid = (field: string, problem: string) => new InvalidBinding({ field, problem })

const refusal = ({ project }: BindingInput, { reason }: TrackerFailed) =>
  invalid(`The project '${project}'`, `cannot be read: ${reason.replace(/\.$/, "")}`)

/** The project as the tracker spells it. Permissions and labels that it lacks are named. */
const inspected = (person: Person, input: BindingInput) =>
  Effect.gen(function* () {
    const connection = yield* Connections.find(person, input.connection)
    const tracker = (yield* Trackers)(connection)
    if (tracker === null)
      return yield* invalid(`The connection '${input.connection}'`, "has no issues that can be mirrored")
    const at: Project = { workspace: person.workspace, connection, project: input.project, board: input.mapping.board }
    const facts = yield* Effect.mapError(tracker.inspect(at), (failed) => refusal(input, failed))
    return { at: { ...at, project: facts.project }, tracker, facts }
  })

const previewed = (at: Project, tracker: Tracker, { mapping }: BindingInput, issue: IssueSnapshot) =>
  Effect.gen(function* () {
    const shown = columnShown(mapping, issue)
    const isAsked = chosen.includes(shown)
    const acts = isAsked ? yield* tracker.trail(at, issue, columnMarks(mapping, shown)) : null
    const note = acts && distrust(at.project, acts, kindShown(mapping, issue))
    const read = readIssue(issue.body)
    const { key, title, url } = issue
    const preview: Preview = {
      key,
      url,
      title,
      column: !isMirrored(mapping, issue) ? null : note === null ? shown : "refining",
      ...readLabels(issue.labels, mapping),
      criteria: read.acceptanceCriteria.length,
      readinessScore: readiness(read),
      note
    }
    return preview
  })

const byColumn = (stories: ReadonlyArray<Preview>) =>
  ColumnRole.literals.map((column) => ({ column, count: stories.filter((one) => one.column === column).length }))

/** A dry run: reads the first page of a project and returns the stories that would come. Nothing is kept. */
export const check = Effect.fn("Bindings.check")(function* (person: Person, input: BindingInput) {
  yield* permit(person, "tracker check", DeniedTarget.ofTeam(person, input.team))
  yield* (yield* TeamStore).get(person.workspace, input.team)
  const { at, facts, tracker } = yield* inspected(person, input)
  const { stories, isWhole } = yield* Effect.gen(function* () {
    // Without its board a project is shown as if no issue had a status.
    const readable = facts.boardProblem == null ? at : { ...at, board: undefined }
    const page = yield* tracker.page(readable, { since: null, cursor: null })
    const issues = page?.issues ?? []
    const stories = yield* Effect.forEach(issues, (issue) => previewed(readable, tracker, input, issue))
    return { stories, isWhole: page?.next == null }
  }).pipe(Effect.mapError((failed) => refusal(input, failed)))
  const marked = new Set(input.mapping.columns.map(({ column }) => column))
  return {
    project: facts.project,
    url: facts.url,
    missing: facts.missing,
    boardProblem: facts.boardProblem ?? null,
    /** Statuses of the board. */
    statuses: facts.statuses,
    /** Rows of the mapping that can never match. */
    unknown: unknownMarks(input.mapping, facts).filter(({ kind }) => kind === "label" || facts.boardProblem == null),
    /** Columns that no label or status shows: their stories look like Backlog in the tracker. */
    unmarked: ColumnRole.literals.filter((role) => role !== "backlog" && role !== "done" && !marked.has(role)),
    stories,
    columns: byColumn(stories),
    /** False when only the first page was read. */
    isWhole
  }
})

/** Binds a team to a project; its issues become stories of the team. */
export const bind = Effect.fn("Bindings.bind")(function* (person: Person, input: BindingInput) {
  yield* permit(person, "tracker bind", DeniedTarget.ofTeam(person, input.team))
  yield* (yield* TeamStore).get(person.workspace, input.team)
  const { at, facts, tracker } = yield* inspected(person, input)
  if (facts.missing.length > 0)
    return yield* invalid(
      `The connection '${input.connection}'`,
      `lacks permissions: ${facts.missing.join(", ")}; grant them in the tracker, then try again`
    )
  const { board, only } = input.mapping
  if (board !== undefined && facts.boardProblem != null)
    return yield* invalid(`The board '${board.name}'`, `cannot be used: ${facts.boardProblem.replace(/\.$/, "")}`)
  const unknown = unknownMarks({ ...input.mapping, only }, facts).find(({ name }) => name === only)
  if (unknown !== undefined)
    return yield* invalid(`The label '${unknown.name}'`, `is not in ${facts.project}; create it there first`)
  const status = unknownMarks(input.mapping, facts).find(({ kind }) => kind === "status")
  if (status !== undefined)
    return yield* invalid(
      `The status '${status.name}'`,
      board === undefined
        ? `is not in ${facts.project}; name a status that it has, or the label as 'label:status:${status.name}'`
        : `is not an option of the field '${board.field}' of ${board.name}; its options are ${facts.statuses.map((name) => `'${name}'`).join(", ")}`
    )
  const id = (yield* Uuid.make) as BindingId
  const { connection, mapping } = input
  return yield* (yield* TrackerStore).change(
    person.workspace,
    input.team,
    ChangeBinding.bind(byOf(person), { id, connection, platform: tracker.platform, project: at.project, mapping })
  )
})

const removedConnection =
  "Its connection was removed, and nothing is mirrored. Bind the team over another one with 'gatehouse tracker bind', or unbind it."

/** The bindings of the workspace with the state of their mirrors. */
export const list = Effect.fn("Bindings.list")(function* (person: Person) {
  yield* permit(person, "tracker show")
  const connections = yield* (yield* ConnectionStore).list(person.workspace)
  const states = yield* (yield* TrackerStore).list(person.workspace)
  return states.map((state) =>
    connections.some(({ id }) => id === state.binding.connection)
      ? state
      : { ...state, sync: { ...state.sync, trouble: removedConnection } }
  )
})

export const show = Effect.fn("Bindings.show")(function* (person: Person, team: TeamSlug) {
  const found = (yield* list(person)).find(({ binding }) => binding.team === team)
  if (found !== undefined) return found
  yield* (yield* TeamStore).get(person.workspace, team)
  return yield* new TeamNotBound({ team })
})

/** Ends the mirror of a team. Returns the binding and the number of stories that were kept. */
export const unbind = Effect.fn("Bindings.unbind")(function* (person: Person, team: TeamSlug) {
  yield* permit(person, "tracker unbind", DeniedTarget.ofTeam(person, team))
  const store = yield* TrackerStore
  const kept = (yield* store.list(person.workspace)).find(({ binding }) => binding.team === team)?.mirrored ?? 0
  const binding = yield* store.change(person.workspace, team, ChangeBinding.unbind(byOf(person)))
  return { binding, kept }
})
