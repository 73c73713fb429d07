import { Cause, DateTime, Duration, Effect, Option } from "effect"
import { type Sweep, type Sync } from "../../../domain/tracker/Binding.ts"
import { fingerprintOf, textOf } from "../../../domain/tracker/IssueStory.ts"
import { chosen, columnMarks, columnShown, isMirrored, type IssueStatus } from "../../../domain/tracker/Mapping.ts"
import * as MirrorIssue from "../../../domain/tracker/MirrorIssue.ts"
import { markedStory, type MirroredIssue } from "../../../domain/tracker/MirroredIssue.ts"
import type { IssueRef, IssueSnapshot } from "../../../domain/tracker/TrackerIssue.ts"
import { byService } from "../../../domain/workspace/Actor.ts"
import { type DueBinding, type MirrorTarget, TrackerStore } from "../../ports/tracker/TrackerStore.ts"
import {
  type PageOfIssues,
  type Project,
  type Tracker,
  type TrackerFailed,
  Trackers
} from "../../ports/tracker/Trackers.ts"

/** Seconds between two looks through a project; a webhook makes the next one come at once. */
export const pauseSeconds = 60

/** Changes before the watermark that are read again: clocks differ, and several changes may have one time. */
const overlap = Duration.minutes(2)

/** Time between two looks through all issues, which find those that left. */
const sweepEvery = Duration.hours(24)

/** Time after which an issue that cannot be read is tried again. */
const again = Duration.minutes(10)

/** Time after which the tracker has recorded an act. */
const recorded = Duration.seconds(30)

const pagesARound = 20
/** Issues whose statuses are asked for at once, and how often in a round: moves on a board are no changes of issues. */
const statusesAtOnce = 100
const boardCallsARound = 10
const asksARound = 100

/** A due binding with its tracker. */
interface Work extends DueBinding, Project {
  readonly tracker: Tracker
  /** Issues of this round that cannot be read, with the reason. */
  readonly skipped: Array<string>
}

/** The story for which the service wrote an issue; a marker in an issue of somebody else says nothing. */
const writtenFor = (work: Work, snapshot: IssueSnapshot | null) =>
  Effect.gen(function* () {
    const marked = snapshot === null ? null : markedStory(snapshot.body)
    return marked !== null && snapshot?.author === (yield* work.tracker.own(work)) ? marked : null
  })

const targetOf = (work: Work, { id, key }: IssueRef, snapshot: IssueSnapshot | null) =>
  Effect.map(writtenFor(work, snapshot), (story): MirrorTarget => ({
    binding: work.binding.id,
    issue: { id, key },
    url: snapshot?.url ?? null,
    story
  }))

/** Commits the decision on one issue; an issue that changed meanwhile is read again. */
const decided = (work: Work, issue: IssueRef, snapshot: IssueSnapshot | null, decide: Decide) =>
  Effect.gen(function* () {
    const { binding, connection, workspace } = work
    const store = yield* TrackerStore
    const target = yield* targetOf(work, issue, snapshot)
    const result = yield* Effect.either(store.mirror(workspace, target, decide))
    if (result._tag === "Left" && result.left === "stale")
      yield* store.hint(workspace, connection.id, binding.project, { id: issue.id, key: issue.key })
  })

type Decide = ReturnType<typeof MirrorIssue.mirror>

/** True when the row was read so long after the last change that no later one has the same time. */
const isSettled = ({ statusSince, syncedAt, version }: MirroredIssue): boolean =>
  Math.max(version.epochMillis, statusSince?.epochMillis ?? 0) + Duration.toMillis(overlap) < syncedAt.epochMillis

const isKnown = ({ binding }: Work, issue: IssueSnapshot, row: MirroredIssue | undefined): boolean =>
  row !== undefined &&
  !row.isHeld &&
  isSettled(row) &&
  (row.goneAt === null) === isMirrored(binding.mapping, issue) &&
  row.version.epochMillis === issue.updatedAt.epochMillis &&
  row.fingerprint === fingerprintOf(binding.mapping, issue)

/** Mirrors one snapshot. The acts on an issue are asked for only where they matter. */
const mirrored = (work: Work, issue: IssueSnapshot, row: MirroredIssue | undefined, readAt: DateTime.Utc) =>
  Effect.gen(function* () {
    if (isKnown(work, issue, row)) return
    const { binding, tracker } = work
    const shown = columnShown(binding.mapping, issue)
    const isEdited = row !== undefined && row.text !== textOf(issue)
    const trail =
      chosen.includes(shown) || isEdited ? yield* tracker.trail(work, issue, columnMarks(binding.mapping, shown)) : null
    if (trail?.isEarly === true) {
      const { connection, project, workspace } = work
      const ref = { id: issue.id, key: issue.key }
      return yield* (yield* TrackerStore).hint(workspace, connection.id, project, ref, recorded)
    }
    yield* decided(work, issue, issue, MirrorIssue.mirror(byService, { issue, trail, readAt }))
  })

/** An issue that cannot be read stops no other: it is read again later, unless that is in vain. */
const skipping = <R>(work: Work, { id, key }: IssueRef, reading: Effect.Effect<void, TrackerFailed, R>) =>
  Effect.catchIf(
    reading,
    ({ wait }) => wait === null,
    ({ isFinal, reason }) =>
      Effect.gen(function* () {
        work.skipped.push(`${key} cannot be read: ${reason}`)
        yield* Effect.logWarning("an issue cannot be read").pipe(Effect.annotateLogs({ issue: key, reason }))
        if (isFinal) return
        const { binding, connection, workspace } = work
        yield* (yield* TrackerStore).hint(workspace, connection.id, binding.project, { id, key }, again)
      })
  )

const mirroredAll = (work: Work, issues: ReadonlyArray<IssueSnapshot>, readAt: DateTime.Utc) =>
  Effect.gen(function* () {
    const { binding, workspace } = work
    const ids = issues.map(({ id }) => id)
    const known = yield* (yield* TrackerStore).issues(workspace, binding.id, ids)
    const rows = new Map(known.map((row) => [row.id, row]))
    for (const issue of issues) yield* skipping(work, issue, mirrored(work, issue, rows.get(issue.id), readAt))
  })

/** Reads one issue again; one that left the project loses its story. */
const asked = (work: Work, ref: IssueRef) =>
  Effect.gen(function* () {
    const store = yield* TrackerStore
    const readAt = yield* store.now
    const found = yield* work.tracker.get(work, ref)
    if (!("gone" in found)) return yield* mirroredAll(work, [found], readAt)
    yield* decided(work, ref, null, MirrorIssue.remove(byService, found.gone, readAt))
  })

const latest = (watermark: DateTime.Utc | null, { until }: PageOfIssues): DateTime.Utc | null =>
  watermark === null || (until !== null && until.epochMillis > watermark.epochMillis) ? until : watermark

/** Mirrors the changes since the watermark, which moves only when all of them are mirrored. */
const changes = (work: Work, sync: Sync) =>
  Effect.gen(function* () {
    const store = yield* TrackerStore
    const { watermark } = sync
    const since = watermark && DateTime.subtractDuration(watermark, overlap)
    const readAt = yield* store.now
    const first = yield* work.tracker.page(work, { since, cursor: null, unless: sync.etag })
    if (first === null) return sync
    let [page, read, mark] = [first, readAt, watermark]
    for (;;) {
      yield* mirroredAll(work, page.issues, read)
      mark = latest(mark, page)
      if (page.next === null) break
      read = yield* store.now
      const next = yield* work.tracker.page(work, { since, cursor: page.next })
      if (next === null) break
      page = next
    }
    const isStill = mark?.epochMillis === watermark?.epochMillis && first.next === null
    return { ...sync, watermark: mark, etag: isStill ? first.etag : null }
  })

const isMoved = (before: IssueStatus, seen: IssueStatus) =>
  before.status !== seen.status || before.statusSince?.epochMillis !== seen.statusSince?.epochMillis

/** Reads issues again that were moved on the board; the next round goes on where this one ends. */
const moves = (work: Work, sync: Sync) =>
  Effect.gen(function* () {
    if (work.board === undefined) return sync
    const store = yield* TrackerStore
    const { binding, tracker, workspace } = work
    let after = sync.boardCursor
    for (let count = 0; count < boardCallsARound; count++) {
      const issues = yield* store.open(workspace, binding.id, after, statusesAtOnce)
      const statuses = issues.length === 0 ? new Map<string, never>() : yield* tracker.statuses(work, issues)
      for (const issue of issues) {
        const seen = statuses.get(issue.id)
        const ref = { id: issue.id, key: issue.key }
        if (seen !== undefined && isMoved(issue, seen)) yield* skipping(work, ref, asked(work, ref))
      }
      after = issues.length < statusesAtOnce ? null : (issues.at(-1)?.id ?? null)
      if (after === null) break
    }
    return { ...sync, boardCursor: after }
  })

const begun = (sync: Sync, now: DateTime.Utc): Sweep | null => {
  if (sync.sweep !== null) return sync.sweep
  if (sync.sweptAt !== null && now.epochMillis - sync.sweptAt.epochMillis < Duration.toMillis(sweepEvery)) return null
  return { number: sync.swept + 1, cursor: null, read: 0, total: null, isRead: false, startedAt: now }
}

const kept = ({ binding, workspace }: Work, sync: Sync, wait: Duration.DurationInput) =>
  Effect.flatMap(TrackerStore, (store) =>
    Effect.as(store.progress(workspace, binding, sync, Duration.decode(wait)), sync)
  )

/** The next page of a sweep, kept with its place, so that another process goes on from there. */
const swept = (work: Work, sync: Sync, sweep: Sweep) =>
  Effect.gen(function* () {
    const store = yield* TrackerStore
    const readAt = yield* store.now
    const isCounted = sync.sweptAt === null && sweep.cursor === null
    const page = yield* work.tracker.page(work, { since: null, cursor: sweep.cursor, isCounted })
    if (page === null) return sync
    yield* mirroredAll(work, page.issues, readAt)
    const ids = page.issues.map(({ id }) => id)
    yield* store.seen(work.workspace, work.binding.id, sweep.number, ids)
    const read = sweep.read + ids.length
    // Issues that are opened or change meanwhile are read besides.
    const total = sweep.total ?? page.total ?? null
    const next = {
      ...sync,
      watermark: latest(sync.watermark, page),
      sweep: { ...sweep, cursor: page.next, read, total: total && Math.max(total, read), isRead: page.next === null }
    }
    return yield* kept(work, next, Duration.seconds(pauseSeconds))
  })

const pages = (work: Work, begin: Sync) =>
  Effect.gen(function* () {
    let sync = begin
    for (let count = 0; count < pagesARound && sync.sweep !== null && !sync.sweep.isRead; count++)
      sync = yield* swept(work, sync, sync.sweep)
    return sync
  })

/** Asks for mirrored issues that the pages of a sweep did not show. */
const absences = (work: Work, sync: Sync) =>
  Effect.gen(function* () {
    const store = yield* TrackerStore
    const { sweep } = sync
    if (sweep === null || !sweep.isRead) return sync
    const { binding, workspace } = work
    const absent = yield* store.unseen(workspace, binding.id, sweep.number, asksARound)
    for (const ref of absent) {
      yield* skipping(work, ref, asked(work, ref))
      yield* store.seen(workspace, binding.id, sweep.number, [ref.id])
    }
    if (absent.length === asksARound) return sync
    return { ...sync, sweep: null, swept: sweep.number, sweptAt: yield* store.now }
  })

const hints = (work: Work) =>
  Effect.gen(function* () {
    const store = yield* TrackerStore
    for (const hint of work.hints) {
      yield* skipping(work, hint.issue, asked(work, hint.issue))
      // A hint that came while the issue was read stays.
      yield* store.followed(work.workspace, work.binding.id, hint)
    }
  })

/** Keeps the reason for which a round ended early; projects of others go on. */
const troubled = (work: Work, sync: Sync, cause: Cause.Cause<TrackerFailed>) =>
  Effect.gen(function* () {
    if (Cause.isInterrupted(cause)) return yield* Effect.interrupt
    const failure = Option.getOrNull(Cause.failureOption(cause))
    if (failure === null) yield* Effect.logError("a project cannot be mirrored", cause)
    const all = yield* (yield* TrackerStore).list(work.workspace)
    const last = all.find(({ binding }) => binding.id === work.binding.id)?.sync ?? sync
    const trouble = failure?.reason ?? "An error of the service, which its log shows."
    yield* kept(work, { ...last, trouble }, failure?.wait ?? Duration.seconds(pauseSeconds))
  })

/** One round for a project: issues that were named, changes, and a part of the sweep. */
const look = (due: DueBinding) =>
  Effect.gen(function* () {
    const tracker = (yield* Trackers)(due.connection)
    if (tracker === null) return
    const { mapping, project } = due.binding
    const work: Work = { ...due, tracker, project, board: mapping.board, skipped: [] }
    let sync: Sync = due.sync
    const now = yield* (yield* TrackerStore).now
    const round = Effect.gen(function* () {
      yield* hints(work)
      if (sync.sweptAt !== null) sync = yield* moves(work, yield* changes(work, sync))
      sync = { ...sync, sweep: begun(sync, now), trouble: null }
      sync = yield* pages(work, sync)
      sync = yield* absences(work, sync)
      sync = { ...sync, trouble: work.skipped[0] ?? null, readAt: now }
      yield* kept(work, sync, sync.sweep === null ? Duration.seconds(pauseSeconds) : Duration.zero)
    })
    yield* Effect.catchAllCause(round, (cause) => troubled(work, sync, cause))
  })

/** Looks through the projects that are due. */
export const round = Effect.fn("MirrorTracker.round")(function* () {
  const due = yield* (yield* TrackerStore).due(pauseSeconds)
  yield* Effect.forEach(due, look, { concurrency: 4, discard: true })
})
