import { Array, type DateTime, Either, Option } from "effect"
import type { By } from "../workspace/Actor.ts"
import { answered, type Decided } from "../Change.ts"
import { settingsOf } from "./DecisionTriggers.ts"
import type { RunKey } from "../value/RunKey.ts"
import type { Story } from "./Story.ts"
import type { Team } from "../workspace/Team.ts"
import { queue } from "./QueueRun.ts"

/** A team's unfinished runs, spending and ready stories. */
export interface Workload {
  readonly now: DateTime.Utc
  readonly team: Team
  /** Runs that are queued, running or waiting. */
  readonly unfinished: number
  /** Cost of the attempts that began in this UTC day and month. */
  readonly spentToday: number
  readonly spentThisMonth: number
  /** Ready stories that are no drafts and have no unfinished run: expedite first, then the oldest. */
  readonly ready: ReadonlyArray<Story>
  readonly freshRuns: ReadonlyArray<RunKey>
}

const isWithin = (spent: number, cap: number | null) => cap === null || spent < cap

/** The stories the team starts now: none while it is paused or a budget is used up. */
export const takes = ({ ready, spentThisMonth, spentToday, team, unfinished }: Workload): ReadonlyArray<Story> => {
  const { budgets, maxConcurrency } = settingsOf(team.policy)
  const mayStart =
    team.pausedAt === null && isWithin(spentToday, budgets.dayCents) && isWithin(spentThisMonth, budgets.monthCents)
  return mayStart ? ready.slice(0, Math.max(0, maxConcurrency - unfinished)) : []
}

/** Queues a run for each story that the team starts; writes nothing when there is none. */
export const schedule =
  (by: By) =>
  (at: Workload): Either.Either<Decided<ReadonlyArray<RunKey>>, "nothing to take"> => {
    const queued = Array.filterMap(takes(at), (story, index) =>
      Option.map(Option.fromNullable(at.freshRuns[index]), (key) => queue(by, { ...at, key, story }))
    )
    const [first, ...rest] = queued
    if (first === undefined) return Either.left("nothing to take")
    return answered(
      {
        added: { runs: queued.map(({ run }) => run) },
        changed: { stories: queued.map(({ story }) => story) },
        audit: [first.audit[0], ...first.audit.slice(1), ...rest.flatMap(({ audit }) => audit)]
      },
      queued.map(({ run }) => run.key)
    )
  }
