import { mirrorNoteEnds } from "../work/Story.ts"
import type { Mark } from "./Mapping.ts"
import type { IssueTrail } from "./TrackerIssue.ts"

type Acts = Pick<IssueTrail, "foreignEdit" | "readied">

const [wayOut, ownWayOut] = mirrorNoteEnds

/** The tracker may not name the person who sets the next status either. */
const unnamed: Readonly<Record<Mark["kind"], string>> = { label: wayOut, status: ownWayOut }

/** The reason for which an issue that shows Ready or a later column is not worked on; null when a person with write access stands for its text. */
export const distrust = (
  project: string,
  { foreignEdit, readied }: Acts,
  kind: Mark["kind"] = "label"
): string | null => {
  if (readied === null) return `${project} does not say who gave the issue its ${kind}. ${unnamed[kind]}`
  if (!readied.by.mayWrite)
    return `${readied.by.name} gave the issue its ${kind}, and may not write to ${project}. ${wayOut}`
  if (foreignEdit === null || foreignEdit.at.epochMillis < readied.at.epochMillis) return null
  return `${foreignEdit.by.name}, who may not write to ${project}, edited the issue after ${readied.by.name} gave it its ${kind}. ${wayOut}`
}

/** True when a person with write access gave the issue its label after the last edit by an account without it. */
export const isVouched = ({ foreignEdit, readied }: Acts): boolean =>
  readied !== null &&
  readied.by.mayWrite &&
  readied.by.isOwn !== true &&
  (foreignEdit === null || foreignEdit.at.epochMillis < readied.at.epochMillis)

/**
 * The reason for which a new text makes a story that people chose to work on go back to Refining; null when only
 * accounts with write access edited the issue since the time of the text that the story has.
 */
export const distrustText = (
  project: string,
  trail: Acts,
  since: { readonly epochMillis: number } | null
): string | null => {
  const { foreignEdit } = trail
  if (foreignEdit === null || isVouched(trail)) return null
  if (since !== null && foreignEdit.at.epochMillis < since.epochMillis) return null
  return `${foreignEdit.by.name}, who may not write to ${project}, edited the issue. ${wayOut}`
}
