import { digest } from "../value/Digest.ts"
import { nameFrom, printable } from "../value/Text.ts"
import type { Story } from "../work/Story.ts"
import { readiness } from "../work/Story.ts"
import type { Mapping } from "./Mapping.ts"
import { type MirroredIssue, withoutMarker } from "./MirroredIssue.ts"
import { readIssue } from "./ReadIssue.ts"
import { readLabels } from "./ReadLabels.ts"
import type { IssueSnapshot } from "./TrackerIssue.ts"

/** Name of everything in a snapshot that a story depends on. */
export const fingerprintOf = (mapping: Mapping, issue: IssueSnapshot): string => {
  const { body, closed, key, labels, status, statusSince, title, url } = issue
  const since = statusSince === null ? [] : [statusSince.epochMillis]
  return digest(JSON.stringify([mapping, key, url, title, body, closed, labels.toSorted(), status, ...since]))
}

export const textOf = ({ body, title }: Pick<IssueSnapshot, "body" | "title">): string =>
  digest(JSON.stringify([title, body]))

/** Size and class of service that labels mean. */
export const sizingOf = (mapping: Mapping, { labels }: IssueSnapshot) => readLabels(labels, mapping)

type Stated = MirroredIssue["stated"]

/** The title of a story by its issue. */
export const titleOf = ({ key, title }: Pick<IssueSnapshot, "key" | "title">): string => nameFrom(title, 500, key)

/** Criteria keep their state as long as their text stays. */
const criteriaOf = (known: Story["acceptanceCriteria"], texts: ReadonlyArray<string>): Story["acceptanceCriteria"] =>
  texts.map((text, index) => ({
    id: `ac-${index + 1}`,
    text,
    status: known.find((criterion) => criterion.text === text)?.status ?? "pending"
  }))

/**
 * The text of a story by its issue. A part that the issue stated before and states no more is empty; a part that it
 * never stated stays as people wrote it.
 */
export const writtenText = (
  issue: IssueSnapshot,
  known: Pick<Story, "acceptanceCriteria" | "demonstrate" | "testPlan">,
  before: Stated
) => {
  const read = readIssue(printable(withoutMarker(issue.body)))
  const has = { acceptanceCriteria: read.acceptanceCriteria.length > 0, demonstrate: read.demonstrate.length > 0 }
  const isWritten = (part: Stated[number], isStated: boolean) => isStated || before.includes(part)
  const text = {
    title: titleOf(issue),
    description: read.description,
    acceptanceCriteria: isWritten("acceptanceCriteria", has.acceptanceCriteria)
      ? criteriaOf(known.acceptanceCriteria, read.acceptanceCriteria)
      : known.acceptanceCriteria,
    demonstrate: isWritten("demonstrate", has.demonstrate) ? read.demonstrate : known.demonstrate,
    testPlan: isWritten("testPlan", read.testPlan !== null) ? read.testPlan : known.testPlan
  }
  const stated: Stated = [
    ...(has.acceptanceCriteria ? (["acceptanceCriteria"] as const) : []),
    ...(has.demonstrate ? (["demonstrate"] as const) : []),
    ...(read.testPlan === null ? [] : (["testPlan"] as const))
  ]
  return { text: { ...text, readinessScore: readiness(text) }, stated }
}
