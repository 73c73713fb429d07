import { Array, DateTime, Either } from "effect"
import { defaultExecutor } from "../../../domain/workspace/Policy.ts"
import { type Attempt, defaultBudgetCents, progress, Run } from "../../../domain/work/Run.ts"
import type { RunKey } from "../../../domain/value/RunKey.ts"
import type { StoryKey } from "../../../domain/work/Story.ts"
import type { TeamSlug } from "../../../domain/workspace/Team.ts"
import type { Catalog } from "../../ports/ImportStore.ts"
import type { Document } from "./ImportDocument.ts"
import type { finder } from "./PlanTeams.ts"
import { build, isStated, type Path, type Planned, refuse, unique } from "./ImportErrors.ts"

type ImportedRun = Document["runs"][number]
type ImportedAttempt = NonNullable<ImportedRun["attemptList"]>[number]

const attempt =
  (executor: string) =>
  (given: ImportedAttempt, index: number): Attempt => ({
    attempt: index + 1,
    status: given.status ?? "queued",
    stage: given.stage ?? (given.status === "succeeded" ? "done" : "planning"),
    executor: given.executor ?? executor,
    costCents: given.costCents ?? 0,
    failureClass: given.failureClass ?? null,
    error: given.error ?? null,
    verification: given.verification
      ? {
          status: given.verification.status,
          summary: given.verification.summary ?? "",
          completedAt: given.verification.completedAt ?? null
        }
      : null,
    startedAt: given.startedAt ?? null,
    completedAt: given.completedAt ?? null
  })

/** A run without a list of attempts is its own single attempt. */
const attemptsOf = (given: ImportedRun): Array.NonEmptyReadonlyArray<ImportedAttempt> =>
  Array.isNonEmptyReadonlyArray(given.attemptList ?? [])
    ? (given.attemptList as Array.NonEmptyReadonlyArray<ImportedAttempt>)
    : [{ ...given, attempt: 1, error: null, verification: null }]

/** Checks that a run's own fields agree with the sum of its attempts. */
const agrees = (given: ImportedRun, run: Run, path: Path): Planned<void> => {
  for (const [field, shown] of Object.entries(progress(run))) {
    const stated = given[field as keyof ReturnType<typeof progress>]
    const same =
      DateTime.isDateTime(stated) && DateTime.isDateTime(shown) ? DateTime.Equivalence(stated, shown) : stated === shown
    if (isStated(stated) && !same)
      return refuse(
        [...path, field],
        (given.attemptList ?? []).length === 0
          ? "says there were more, but there is no attemptList that shows them"
          : "disagrees with attemptList; leave it out or make them agree"
      )
  }
  return Either.void
}

export const storyOf = (given: ImportedRun): StoryKey =>
  typeof given.story === "string" ? given.story : given.story.key

export const planRuns = (
  given: Document["runs"],
  catalog: Catalog,
  teamOf: ReturnType<typeof finder>,
  teamOfStory: (story: StoryKey, path: Path) => Planned<TeamSlug>,
  freshKey: (path: Path) => Planned<RunKey>
): Planned<Array<Run>> =>
  Either.gen(function* () {
    yield* unique("runs", given, "key", (run) => run.key)
    const runs: Array<Run> = []
    for (const [index, stated] of given.entries()) {
      const path = ["runs", index]
      const story = storyOf(stated)
      const slug = yield* teamOfStory(story, [...path, "story"])
      const { policy } = yield* teamOf(slug, [...path, "story"])
      const list = attemptsOf(stated)
      const misnumbered = list.findIndex(({ attempt }, position) => isStated(attempt) && attempt !== position + 1)
      if (isStated(stated.team) && stated.team !== slug)
        return yield* refuse([...path, "team"], `is '${stated.team}', but ${story} belongs to '${slug}'`)
      if (isStated(stated.key) && catalog.runs.some((run) => run.key === stated.key))
        return yield* refuse([...path, "key"], `'${stated.key}' is taken in this workspace`)
      if (misnumbered >= 0)
        return yield* refuse(
          [...path, "attemptList", misnumbered, "attempt"],
          `must be ${misnumbered + 1}, its place in the list`
        )
      const key = stated.key ?? (yield* freshKey([...path, "key"]))
      const run = yield* build(
        path,
        () =>
          new Run({
            key,
            team: slug,
            story,
            budgetCents: stated.budgetCents ?? policy?.budgets.runCents ?? defaultBudgetCents,
            pullRequest: stated.pullRequest ?? null,
            createdAt: stated.createdAt ?? catalog.now,
            attemptList: Array.map(list, attempt(stated.executor ?? policy?.executor ?? defaultExecutor)),
            evidence: stated.evidence ?? null,
            inputs: [],
            exceptions: [],
            gateFailures: {}
          })
      )
      yield* agrees(stated, run, path)
      runs.push(run)
    }
    return runs
  })
