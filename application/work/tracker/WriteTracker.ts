import { Array, Duration, Effect } from "effect"
import { runComment, runMarker } from "../../../domain/tracker/IssueTexts.ts"
import type { IssueChange } from "../../../domain/tracker/IssueChange.ts"
import { textOf } from "../../../domain/tracker/IssueStory.ts"
import { isSameStatus } from "../../../domain/tracker/Mapping.ts"
import type { IssueSnapshot } from "../../../domain/tracker/TrackerIssue.ts"
import { isEmpty, pendingChange, wroteColumn } from "../../../domain/tracker/WriteBack.ts"
import { RunView } from "../../../domain/work/Run.ts"
import { PublicUrl } from "../../oncall/PublicUrl.ts"
import * as Json from "../../ports/Json.ts"
import { RunStore } from "../../ports/RunStore.ts"
import { longestTurn, TrackerStore, type UnwrittenIssue, type UnwrittenRun } from "../../ports/tracker/TrackerStore.ts"
import { type Gone, type Project, type Tracker, TrackerFailed, Trackers } from "../../ports/tracker/Trackers.ts"
import type { WorkspaceId } from "../../../domain/workspace/Workspace.ts"

/** Issues of a connection that one turn takes, the time in which it writes them, and the turns of a round. */
const most = 3
const lease = Duration.minutes(1)
const turns = 40

/** Rest of an issue that cannot be written. */
const rest = { final: Duration.hours(1), other: Duration.minutes(2) }

const decodeRun = Json.decoder(RunView)

/** Waits for the next call that creates content; fails when the tracker asked for a longer pause. */
export const turn = Effect.fn("WriteTracker.turn")(function* (
  workspace: WorkspaceId,
  { connection }: Pick<Project, "connection">,
  tracker: Tracker
) {
  const wait = yield* (yield* TrackerStore).reserve(workspace, connection.id, tracker.pace)
  if (Duration.greaterThan(wait, longestTurn))
    return yield* new TrackerFailed({ reason: "The tracker asked to wait.", isFinal: false, wait })
  yield* Effect.sleep(wait)
})

/** Keeps the pause that a tracker asks for. */
export const obeying =
  (workspace: WorkspaceId, { connection }: Pick<Project, "connection">) =>
  <A, R>(effect: Effect.Effect<A, TrackerFailed, R>) =>
    Effect.tapError(effect, ({ wait }) =>
      wait === null ? Effect.void : Effect.flatMap(TrackerStore, (store) => store.delay(workspace, connection.id, wait))
    )

interface Write extends UnwrittenIssue, Project {
  readonly tracker: Tracker
}

/** Has the issue read again: it changed, or left its project. */
const reread = ({ binding, connection, issue, workspace }: Write) =>
  Effect.flatMap(TrackerStore, (store) =>
    store.hint(workspace, connection.id, binding.project, { id: issue.id, key: issue.key })
  )

/** The reason for which an issue is read before it is written: somebody changed it meanwhile. */
const changedMeanwhile = ({ issue, story }: Write, change: IssueChange, seen: IssueSnapshot | Gone): string | null => {
  if ("gone" in seen) return "It left the project."
  if (story.column.role === "ready" && textOf(seen) !== issue.text)
    return "Its text is another one, which is read first."
  if (change.status !== undefined && !isSameStatus(seen.status, issue.status))
    return "Its status is another one, which is read first."
  return null
}

/** Labels, status and state. A mark of Ready is not given to a text that nobody here has seen, and a status that somebody set meanwhile stays. */
const column = (work: Write) =>
  Effect.gen(function* () {
    const { binding, issue, story, tracker, workspace } = work
    const change = pendingChange(binding, issue, story)
    if (change === null) return
    const store = yield* TrackerStore
    if ((story.column.role === "ready" && !isEmpty(change)) || change.status !== undefined) {
      const reason = changedMeanwhile(work, change, yield* tracker.get(work, issue))
      if (reason !== null) {
        yield* reread(work)
        return yield* new TrackerFailed({ reason, isFinal: false })
      }
    }
    if (!isEmpty(change)) yield* turn(workspace, work, tracker)
    const after = isEmpty(change) ? null : yield* tracker.update(work, issue, change)
    if (after !== null && "gone" in after) return yield* reread(work)
    yield* store.wrote(workspace, wroteColumn(binding, issue, story.column.role, after, yield* store.now), issue)
  })

const comment = (work: Write, { comment: id, plan, run: key, state }: UnwrittenRun) =>
  Effect.gen(function* () {
    const { binding, issue, tracker, workspace, workspaceSlug } = work
    const found = yield* Effect.option((yield* RunStore).get(workspace, key))
    if (found._tag === "None") return
    const pages = `${yield* PublicUrl}/${workspaceSlug}`
    const body = runComment(decodeRun(found.value), { binding: binding.id, plan, pages })
    yield* turn(workspace, work, tracker)
    const written = yield* tracker.comment(work, issue, { marker: runMarker(binding.id, key), body, id })
    if (typeof written !== "string") return yield* reread(work)
    yield* (yield* TrackerStore).commented(workspace, issue, { run: key, plan, state, comment: written })
  })

const write = (unwritten: UnwrittenIssue) =>
  Effect.gen(function* () {
    const store = yield* TrackerStore
    const tracker = (yield* Trackers)(unwritten.connection)
    const { mapping, project } = unwritten.binding
    const work = tracker === null ? null : { ...unwritten, tracker, project, board: mapping.board }
    const { issue, workspace } = unwritten
    if (work === null) return yield* store.release(workspace, issue, rest.final)
    const all = Effect.gen(function* () {
      yield* column(work)
      for (const run of work.runs) yield* comment(work, run)
    })
    const wait = yield* all.pipe(
      obeying(workspace, work),
      Effect.as(Duration.zero),
      Effect.catchAll(({ isFinal, reason, wait }) =>
        wait === null
          ? Effect.as(
              Effect.logWarning("an issue cannot be written").pipe(Effect.annotateLogs({ issue: issue.key, reason })),
              isFinal ? rest.final : rest.other
            )
          : Effect.succeed(wait)
      )
    )
    yield* store.release(workspace, issue, wait)
  })

/** Writes the columns of stories and the comments on runs to their issues. No connection waits for the issues of another. */
export const round = Effect.fn("WriteTracker.round")(function* () {
  const store = yield* TrackerStore
  for (let count = 0; count < turns; count++) {
    const issues = yield* store.unwritten(lease, most)
    const groups = Object.values(Array.groupBy(issues, ({ connection }) => connection.id))
    yield* Effect.forEach(groups, (group) => Effect.forEach(group, write, { discard: true }), {
      concurrency: "unbounded",
      discard: true
    })
    if (issues.length < most) return
  }
})
