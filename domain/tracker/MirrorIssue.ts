import { type DateTime, Either, Struct } from "effect"
import type { Change } from "../Change.ts"
import { digest } from "../value/Digest.ts"
import { boundedDifference } from "../value/FieldChanges.ts"
import { skipValidation } from "../value/SkipValidation.ts"
import type { Decision } from "../work/Decision.ts"
import type { Run } from "../work/Run.ts"
import { type ColumnRole, columnOf, newStory, Story, type StoryId, type StoryKey } from "../work/Story.ts"
import { cancelled, stopped, storyMoved } from "../work/WorkContext.ts"
import type { By } from "../workspace/Actor.ts"
import * as Audit from "../workspace/Audit.ts"
import type { Binding } from "./Binding.ts"
import { fingerprintOf, sizingOf, textOf, titleOf, writtenText } from "./IssueStory.ts"
import { chosen, columnShown, isMirrored, kindShown, type Mark } from "./Mapping.ts"
import { MirroredIssue } from "./MirroredIssue.ts"
import type { GoneReason, IssueSnapshot, IssueTrail } from "./TrackerIssue.ts"
import { continued, isLeftByRun } from "./PendingMove.ts"
import { distrust, distrustText, isVouched } from "./Trust.ts"

/** An issue with its story, locked. */
export interface MirrorContext {
  readonly now: DateTime.Utc
  readonly binding: Binding
  readonly issue: MirroredIssue | null
  /** Its row under an earlier binding of the team over the same connection. */
  readonly former: MirroredIssue | null
  /** The story of the issue. Without a mirrored issue: the one it was written for, or that has its address. */
  readonly story: Story | null
  readonly unfinishedRuns: ReadonlyArray<Run>
  /** True when a run has worked on the story. */
  readonly hasRun: boolean
  readonly pending: ReadonlyArray<Decision>
  readonly fresh: { readonly id: StoryId; readonly key: StoryKey }
  /** True while the service writes to the issue: a snapshot may show half of it. */
  readonly isWriting: boolean
}

/** A snapshot with the acts on it, which are looked up for issues that show a chosen column or have another text. */
export interface SeenIssue {
  readonly issue: IssueSnapshot
  readonly trail: IssueTrail | null
  /** Time at which it was asked for. */
  readonly readAt: DateTime.Utc
}

export type MirrorOutcome = "created" | "written" | "updated" | "moved" | "held" | "removed" | "unchanged"

/** The row of an issue, and the change of its story, if there is one. */
export interface Mirrored {
  readonly issue: MirroredIssue
  readonly change: Change | null
  readonly outcome: MirrorOutcome
}

/** No row is written: `unchanged` for good, `stale` when the issue is to be read again. */
export type Skipped = "unchanged" | "stale"

const audited = (story: Story) => ({
  ...Struct.pick(story, "title", "description", "testPlan", "size", "classOfService", "demonstrate", "tracker"),
  acceptanceCriteria: story.acceptanceCriteria.map(({ text }) => text),
  readinessScore: story.readinessScore,
  note: story.returnNote
})

const changedFact = (by: By, before: Story, after: Story): ReadonlyArray<Audit.Fact> => {
  const details = boundedDifference(audited(before), audited(after))
  if (Object.keys(details.after).length === 0) return []
  return [Audit.fact(by, "story_changed", Audit.entityOf("story", after), { team: after.team, details })]
}

const movedFact = (by: By, before: Story, after: Story, reason: string | null): ReadonlyArray<Audit.Fact> => {
  if (before.column.role === after.column.role) return []
  const fact = storyMoved(by, before, after, null)
  return [reason === null ? fact : { ...fact, details: { ...fact.details, reason } }]
}

const addedFact = (by: By, story: Story): Audit.Fact =>
  Audit.fact(by, "story_changed", Audit.entityOf("story", story), {
    team: story.team,
    details: { before: null, after: { title: story.title, column: story.column.role, tracker: story.tracker } }
  })

const writtenFact = (by: By, story: Story): Audit.Fact =>
  Audit.fact(by, "story_written", Audit.entityOf("story", story), {
    team: story.team,
    details: { tracker: story.tracker }
  })

/** The reason for which a new text is not worked on. */
const textNote = (at: MirrorContext, { issue, trail }: SeenIssue, shown: ColumnRole) => {
  const { binding, issue: before, story, unfinishedRuns } = at
  if (trail === null || story === null || story.tracker === null || unfinishedRuns.length > 0) return null
  const isBack = before === null || before.goneAt !== null
  const column = isBack || before.shown !== shown ? shown : story.column.role
  if (!chosen.includes(column) || (!isBack && before.text === textOf(issue))) return null
  // A text that waited since the issue came back is judged by all edits.
  return distrustText(binding.project, trail, isBack || before.text === "" ? null : before.version)
}

/** Trackers forget who set a status: one that was trusted, or that the service set itself, is until it changes. */
const isStanding = (
  { issue: before }: MirrorContext,
  shown: ColumnRole,
  { readied }: Pick<IssueTrail, "readied">,
  kind: Mark["kind"]
): boolean =>
  kind === "status" &&
  readied === null &&
  before !== null &&
  before.goneAt === null &&
  before.shown === shown &&
  !before.isUntrusted

/** Column, note and sizes that the tracker gives an issue. */
const reading = (at: MirrorContext, seen: SeenIssue) => {
  const { mapping, project } = at.binding
  const { issue, trail } = seen
  const shown = columnShown(mapping, issue)
  const acts = trail ?? { readied: null, foreignEdit: null }
  const kind = kindShown(mapping, issue)
  const isStill = at.issue?.isUntrusted === true && at.issue.shown === shown && !isVouched(acts)
  const note =
    (chosen.includes(shown) && !isStanding(at, shown, acts, kind) ? distrust(project, acts, kind) : null) ??
    textNote(at, seen, shown) ??
    (isStill ? at.issue.note : null)
  const granted: ColumnRole = note === null ? shown : "refining"
  const sizing = sizingOf(mapping, issue)
  return { shown, note, granted, sizing, sizingDigest: digest(JSON.stringify(sizing)) }
}

type Reading = ReturnType<typeof reading>

const rowOf = (at: MirrorContext, { issue }: SeenIssue, read: Reading, more: Partial<MirroredIssue>) =>
  new MirroredIssue(
    {
      binding: at.binding.id,
      id: issue.id,
      key: issue.key,
      url: issue.url,
      story: at.story?.key ?? at.fresh.key,
      version: issue.updatedAt,
      fingerprint: fingerprintOf(at.binding.mapping, issue),
      text: textOf(issue),
      sizing: read.sizingDigest,
      labels: issue.labels,
      status: issue.status,
      statusSince: issue.statusSince,
      isClosed: issue.closed !== null,
      shown: read.shown,
      isUntrusted: read.note !== null,
      settled: read.shown,
      note: read.note,
      stated: [],
      isHeld: false,
      goneAt: null,
      syncedAt: at.now,
      ...more
    },
    skipValidation
  )

const created = (by: By, at: MirrorContext, seen: SeenIssue, read: Reading): Mirrored => {
  const { binding, fresh, now } = at
  const { key, url } = seen.issue
  const begun = newStory({
    ...fresh,
    title: titleOf(seen.issue),
    team: binding.team,
    role: read.granted,
    description: "",
    draft: false,
    classOfService: read.sizing.classOfService,
    returnNote: read.note,
    now
  })
  const { stated, text } = writtenText(seen.issue, begun, [])
  const tracker = { platform: binding.platform, key, url }
  const story = new Story({ ...begun, ...text, size: read.sizing.size, tracker }, skipValidation)
  return {
    issue: rowOf(at, seen, read, { stated }),
    change: { added: { stories: [story] }, audit: [addedFact(by, story)] },
    outcome: "created"
  }
}

/** The story as the tracker has it; a text waits while a run works on it. */
const updated = (by: By, at: MirrorContext & { readonly story: Story }, seen: SeenIssue, read: Reading): Mirrored => {
  const { issue: before, now, pending, story, unfinishedRuns } = at
  const { issue } = seen
  const isAbandoned = issue.closed === "not_planned" || issue.closed === "duplicate"
  const stops = stopped(by, isAbandoned ? unfinishedRuns : [], now)
  const isBusy = unfinishedRuns.length > 0 && !isAbandoned
  const isBack = before === null || before.goneAt !== null
  const former = before === null && read.note === null ? continued(at, issue, read.shown) : null
  const isColumnNew =
    former === null && (isBack || before.shown !== read.shown || before.isUntrusted !== (read.note !== null))
  const isTextNew = isBack || before.text !== textOf(issue)
  const isClosedMeanwhile = isBusy && isColumnNew && read.shown === "done"
  const { stated, text } = writtenText(issue, story, before?.stated ?? [])
  const isNoteOurs = story.returnNote === (before?.note ?? null)
  const isMoved = isColumnNew && !isBusy
  const isLeft = isMoved && !isBack && at.hasRun && isLeftByRun(before, read.shown)
  // The story that was written as an issue keeps its column: the issue was given its labels.
  const isOwn = before === null && story.tracker === null
  const role = isMoved && !isOwn ? read.granted : story.column.role
  const tracker = { platform: at.binding.platform, key: issue.key, url: issue.url }
  const isSame = JSON.stringify(story.tracker) === JSON.stringify(tracker)
  const after = new Story(
    {
      ...story,
      ...(isTextNew && !isBusy && text),
      ...((isBack || before.sizing !== read.sizingDigest) && !isOwn && read.sizing),
      tracker: isSame ? story.tracker : tracker,
      column: role === story.column.role ? story.column : columnOf(role),
      returnNote: read.note !== null && !isBusy ? read.note : isMoved && isNoteOurs && !isOwn ? null : story.returnNote,
      rejectedAt: null
    },
    skipValidation
  )
  const moot = cancelled(by, isMoved && read.granted === "done" ? pending : isAbandoned ? pending : [])
  const facts = [
    ...(isOwn ? [writtenFact(by, after)] : changedFact(by, story, after)),
    ...(story.rejectedAt === null ? [] : [addedFact(by, after)]),
    ...movedFact(by, story, after, read.note),
    ...stops.audit,
    ...moot.audit
  ]
  const [first, ...others] = facts
  const dated = new Story({ ...after, updatedAt: now }, skipValidation)
  return {
    issue: rowOf(at, seen, read, {
      ...(isBusy ? { text: isBack ? "" : before.text, stated: before?.stated ?? [] } : { stated }),
      ...(isBusy && !isBack && { isUntrusted: before.isUntrusted }),
      ...(isBusy && !isBack && isTextNew && { version: before.version }),
      ...(isClosedMeanwhile && before !== null && { shown: before.shown, isUntrusted: before.isUntrusted }),
      settled: isColumnNew ? (isLeft ? before.shown : read.shown) : ((before ?? former)?.settled ?? read.shown),
      note: isBusy ? (before?.note ?? null) : (read.note ?? (isMoved ? null : (before?.note ?? null))),
      isHeld: isBusy && (isTextNew || isClosedMeanwhile)
    }),
    change:
      first === undefined
        ? null
        : {
            changed: { stories: [dated], runs: stops.runs, decisions: moot.decisions },
            audit: [first, ...others]
          },
    outcome: isOwn
      ? "written"
      : isBusy && (isTextNew || isClosedMeanwhile)
        ? "held"
        : movedFact(by, story, after, null).length > 0
          ? "moved"
          : first === undefined
            ? "unchanged"
            : "updated"
  }
}

/** Hides the story of an issue that left the project, and ends the work on it. */
export const remove =
  (by: By, reason: GoneReason | "unlabelled", readAt: DateTime.Utc) =>
  ({ issue, now, pending, story, unfinishedRuns }: MirrorContext): Either.Either<Mirrored, Skipped> => {
    if (issue === null || story === null || issue.goneAt !== null) return Either.left("unchanged")
    if (readAt.epochMillis < issue.syncedAt.epochMillis) return Either.left("stale")
    const hidden = new Story({ ...story, rejectedAt: now, updatedAt: now }, skipValidation)
    const stops = stopped(by, unfinishedRuns, now)
    const moot = cancelled(by, pending)
    const details = { before: { removed: null }, after: { removed: reason }, tracker: story.tracker }
    return Either.right({
      issue: new MirroredIssue({ ...issue, goneAt: now, isHeld: false, syncedAt: now }, skipValidation),
      change: {
        changed: { stories: [hidden], runs: stops.runs, decisions: moot.decisions },
        audit: [
          Audit.fact(by, "story_changed", Audit.entityOf("story", story), { team: story.team, details }),
          ...stops.audit,
          ...moot.audit
        ]
      },
      outcome: "removed"
    })
  }

/** Brings a story in line with its issue. Older snapshots change nothing, so that their order does not matter. */
export const mirror =
  (by: By, seen: SeenIssue) =>
  (at: MirrorContext): Either.Either<Mirrored, Skipped> => {
    const { binding, issue: before, story } = at
    if (binding.removedAt !== null) return Either.left("unchanged")
    const { issue, readAt, trail } = seen
    if (at.isWriting || (trail !== null && textOf(trail.text) !== textOf(issue))) return Either.left("stale")
    const isSame = before !== null && before.fingerprint === fingerprintOf(binding.mapping, issue)
    if (before !== null && issue.updatedAt.epochMillis < before.version.epochMillis) return Either.left("unchanged")
    const isNew = !isSame || before.goneAt !== null
    if (before !== null && isNew && readAt.epochMillis < before.syncedAt.epochMillis) return Either.left("stale")
    if (!isMirrored(binding.mapping, issue)) return remove(by, "unlabelled", readAt)(at)
    const read = reading(at, seen)
    return Either.right(story === null ? created(by, at, seen, read) : updated(by, { ...at, story }, seen, read))
  }
