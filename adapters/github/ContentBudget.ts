import { Duration, Effect } from "effect"
import type { CallLimit, TrackerStore } from "../../application/ports/tracker/TrackerStore.ts"
import { type Project, TrackerFailed } from "../../application/ports/tracker/Trackers.ts"

/** GitHub allows 80 calls a minute and 500 an hour that create content; some are left for pull requests. */
const limits: ReadonlyArray<CallLimit> = [
  { within: Duration.minutes(1), most: 70 },
  { within: Duration.hours(1), most: 450 }
]

/** Counts a call that creates content; all instances share the limits of a connection. */
export const make =
  (spend: TrackerStore["Type"]["spend"]) =>
  ({ connection, workspace }: Pick<Project, "connection" | "workspace">): Effect.Effect<void, TrackerFailed> =>
    Effect.flatMap(spend(workspace, connection.id, limits), (wait) =>
      Duration.greaterThan(wait, Duration.zero)
        ? new TrackerFailed({
            reason: "As many changes were written as GitHub allows; the next ones follow when it allows more.",
            isFinal: false,
            wait
          })
        : Effect.void
    )
