import { DateTime } from "effect"
import {
  codeSigns,
  infrastructureSigns,
  reachSigns,
  serviceSigns,
  type Sign,
  symptomSigns,
  timeSign,
  wordSigns
} from "./CauseSigns.ts"
import { type Candidate, type Confidence, type Evidence, type Finding, hoursOfSuspicion } from "./Investigation.ts"
import { cut } from "../value/Text.ts"
import { format } from "../value/Timestamp.ts"

/** A tool may observe a problem this long before it sends an alert. */
const waitMinutes = 60

const firstAlertAt = ({ alerts, openedAt }: Evidence): DateTime.Utc => {
  const earliest = DateTime.subtract(openedAt, { minutes: waitMinutes })
  const starts = alerts.flatMap(({ startedAt }) => startedAt ?? [])
  return starts.filter((start) => DateTime.greaterThanOrEqualTo(start, earliest)).reduce(DateTime.min, openedAt)
}

interface Judged {
  readonly merge: Candidate
  readonly points: number
  readonly reasons: ReadonlyArray<string>
}

const judge = (evidence: Evidence, first: DateTime.Utc, merge: Candidate, shared: ReadonlyArray<Sign>): Judged => {
  const signs = [
    timeSign(first.epochMillis - merge.mergedAt.epochMillis),
    ...serviceSigns(evidence, merge),
    ...reachSigns(evidence, merge),
    ...wordSigns(evidence, merge),
    ...shared
  ]
  const points = signs.reduce((sum, sign) => sum + sign.points, 0)
  return { merge, points, reasons: signs.map(({ reason }) => cut(reason, 300)) }
}

const confidenceOf = (points: number): Confidence => (points >= 5 ? "high" : points >= 3 ? "medium" : "low")

const named = ({ mergedAt, pullRequest, runKey, story }: Candidate) =>
  [`${runKey} of ${story}`, ...(pullRequest === null ? [] : [pullRequest.url]), `merged at ${format(mergedAt)}`].join(
    ", "
  )

const verdicts: Record<Confidence, string> = {
  high: "is the likely cause",
  medium: "may be the cause",
  low: "is hardly the cause"
}

/** Keeps the earliest report of each run's merge. */
const once = (merges: ReadonlyArray<Candidate>): ReadonlyArray<Candidate> => [
  ...new Map(merges.map((merge) => [merge.runKey, merge])).values()
]

/**
 * Weighs each merge before the first alert by time, service, changed paths, the alert's words and its source. Only a
 * merge that is the cause with high confidence is a suspect.
 */
export const investigate = (evidence: Evidence): Finding => {
  const first = firstAlertAt(evidence)
  const [code, infrastructure] = [codeSigns(evidence), infrastructureSigns(evidence)]
  const shared = [...code, ...(code.length > 0 ? [] : symptomSigns(evidence)), ...infrastructure]
  const isInCode = code.length > 0 && infrastructure.length === 0
  const verdict = isInCode ? " The alert itself is about an error in the code." : ""
  const [best, second] = once(evidence.merges)
    .filter(({ mergedAt }) => DateTime.lessThan(mergedAt, first))
    .map((merge) => judge(evidence, first, merge, shared))
    .toSorted((a, b) => b.points - a.points)
  if (best === undefined) {
    const reasons = shared.map(({ reason }) => reason)
    const none = `No merge of the team is recorded in the ${hoursOfSuspicion} hours before the first alert`
    return {
      suspect: null,
      isCodeCaused: isInCode,
      confidence: null,
      reasons,
      summary: `${[none, ...reasons].join("; ")}.${verdict}`
    }
  }
  const isTied = second !== undefined && second.points === best.points && confidenceOf(best.points) === "high"
  const confidence = isTied ? "medium" : confidenceOf(best.points)
  const reasons = [...best.reasons, ...(isTied ? [`${second.merge.runKey} fits as well`] : [])]
  const said = `${named(best.merge)}, ${verdicts[confidence]} (confidence ${confidence}): ${reasons.join("; ")}.`
  const { mergedAt, pullRequest, runKey, story } = best.merge
  return confidence === "high"
    ? { suspect: { runKey, story, pullRequest, mergedAt }, isCodeCaused: true, confidence, reasons, summary: said }
    : { suspect: null, isCodeCaused: isInCode, confidence, reasons, summary: `${said}${verdict}` }
}
