import { Schema } from "effect"
import { describe, MergeHold } from "../../domain/work/MergeHold.ts"
import type { RunSummary, RunView } from "../../domain/work/Run.ts"
import { cents, columns, section, time } from "./Columns.ts"

const decodeHold = Schema.decodeSync(MergeHold)

/** The decision that holds a merge back, and since when. */
export const heldBy = (hold: typeof MergeHold.Encoded): string => describe(decodeHold(hold))

/** The cells of a run in a list. */
export const runCells = (run: typeof RunSummary.Encoded): ReadonlyArray<string> => [
  run.key,
  run.status,
  run.stage,
  run.team,
  run.story.key,
  `${cents(run.costCents)} of ${cents(run.budgetCents)}`,
  time(run.createdAt),
  run.story.title
]

type Evidence = NonNullable<(typeof RunView.Encoded)["evidence"]>

const evidenceLines = ({ acceptance, demonstrate, diff, gates }: Evidence): ReadonlyArray<string> => [
  ...section(
    "Gates",
    columns(gates.map(({ name, status, summary, url }) => [name, status, [summary, url].filter(Boolean).join("  ")]))
  ),
  ...section("Acceptance", columns(acceptance.map(({ criterionId, status }) => [criterionId, status]))),
  ...section(
    "Demonstrate",
    columns(demonstrate.map(({ status, text, url }) => [status, [text, url].filter(Boolean).join("  ")]))
  ),
  ...section(
    "Diff",
    diff === null
      ? []
      : [`${diff.files} files, +${diff.additions} -${diff.deletions}${diff.commit === null ? "" : `, ${diff.commit}`}`]
  )
]

/** All of a run below its headline, for people. */
export const runLines = (run: typeof RunView.Encoded): ReadonlyArray<string> => [
  ...columns([
    ["  Team", run.team],
    ["  Coding agent", run.executor],
    ["  Cost", `${cents(run.costCents)} of ${cents(run.budgetCents)}`],
    ["  Pull request", run.pullRequest?.url ?? "none"],
    ["  Created", time(run.createdAt)],
    ["  Ended", time(run.completedAt)]
  ]),
  ...section(
    "Attempts",
    columns(
      run.attemptList.map(({ attempt, costCents, error, failureClass, stage, startedAt, status, verification }) => [
        `${attempt}`,
        status,
        stage,
        cents(costCents),
        time(startedAt),
        [failureClass, error, verification && `verification ${verification.status}: ${verification.summary}`]
          .filter(Boolean)
          .join("  ")
      ])
    )
  ),
  ...(run.evidence === null ? [] : evidenceLines(run.evidence)),
  ...section("Decisions", columns(run.decisions.map(({ key, kind, status }) => [key, status, kind])))
]
