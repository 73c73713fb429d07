import type { ColumnRole, Story } from "../work/Story.ts"
import { textOf } from "./IssueStory.ts"
import type { MirroredIssue } from "./MirroredIssue.ts"
import type { IssueSnapshot } from "./TrackerIssue.ts"

/** The row of an earlier binding if it still says what the tracker shows: a move that was not written yet stays. */
export const continued = (
  { former, story }: { readonly former: MirroredIssue | null; readonly story: Pick<Story, "key"> },
  issue: IssueSnapshot,
  shown: ColumnRole
): MirroredIssue | null =>
  former !== null &&
  former.goneAt === null &&
  former.story === story.key &&
  former.shown === shown &&
  former.text === textOf(issue)
    ? former
    : null

/** True when a person closed an issue that shows a column of runs: its label is still to be taken away. */
export const isLeftByRun = (before: Pick<MirroredIssue, "shown">, shown: ColumnRole): boolean =>
  shown === "done" && (before.shown === "in_progress" || before.shown === "review")
