import type { IssueTrail } from "./TrackerIssue.ts"

/** The reason for which a Ready issue is not worked on; null when a person with write access stands for its text. */
export const distrust = (project: string, { foreignEdit, readied }: IssueTrail): string | null => {
  const wayOut = "Read its text, and make it ready again in the tracker."
  if (readied === null) return `${project} does not say who made the issue ready. ${wayOut}`
  if (!readied.by.mayWrite) return `${readied.by.name} made the issue ready, and may not write to ${project}. ${wayOut}`
  if (foreignEdit === null || foreignEdit.at.epochMillis < readied.at.epochMillis) return null
  return `${foreignEdit.by.name}, who may not write to ${project}, edited the issue after ${readied.by.name} made it ready. ${wayOut}`
}
