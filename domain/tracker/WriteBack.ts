import { skipValidation } from "../value/SkipValidation.ts"
import type { DateTime } from "effect"
import type { Story } from "../work/Story.ts"
import type { Binding } from "./Binding.ts"
import { fingerprintOf, textOf } from "./IssueStory.ts"
import type { IssueChange } from "./IssueChange.ts"
import { changeTo, columnShown } from "./Mapping.ts"
import { MirroredIssue } from "./MirroredIssue.ts"
import type { IssueSnapshot } from "./TrackerIssue.ts"

/** The change by which an issue follows its story; null when it does. A person who closed it meanwhile is not overruled. */
export const pendingChange = (
  { mapping }: Binding,
  issue: MirroredIssue,
  story: Pick<Story, "column" | "rejectedAt">
): IssueChange | null => {
  if (issue.goneAt !== null || story.rejectedAt !== null || (issue.isHeld && issue.isClosed)) return null
  return story.column.role === issue.settled ? null : changeTo(mapping, story.column.role, issue)
}

/** True when the tracker need not be called. */
export const isEmpty = ({ addLabels, closed, removeLabels, status }: IssueChange): boolean =>
  addLabels.length === 0 && removeLabels.length === 0 && closed === undefined && status === undefined

/**
 * The row after the service wrote a column. The text is left to the next reading: somebody may have edited it since,
 * so an equal fingerprint must not hide that.
 */
export const wroteColumn = (
  { mapping }: Binding,
  before: MirroredIssue,
  column: Story["column"]["role"],
  after: IssueSnapshot | null,
  now: DateTime.Utc
): MirroredIssue => {
  if (after === null) return new MirroredIssue({ ...before, settled: column }, skipValidation)
  const isNewer = after.updatedAt.epochMillis >= before.version.epochMillis && textOf(after) === before.text
  return new MirroredIssue(
    {
      ...before,
      version: isNewer ? after.updatedAt : before.version,
      fingerprint: fingerprintOf(mapping, after) === before.fingerprint ? before.fingerprint : "written",
      labels: after.labels,
      status: after.status,
      statusSince: after.statusSince,
      isClosed: after.closed !== null,
      shown: columnShown(mapping, after),
      isUntrusted: false,
      settled: column,
      syncedAt: now
    },
    skipValidation
  )
}
