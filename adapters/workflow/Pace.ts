import { Context, Duration } from "effect"

/** How fast the engine goes about its work. */
export class Pace extends Context.Reference<Pace>()("adapters/workflow/Pace", {
  defaultValue: () => ({
    /** Between two looks at what waits. */
    poll: Duration.millis(500),
    /** Between the first failed try of a job and the second. */
    firstWait: Duration.seconds(1),
    /** What a try may take. */
    patience: Duration.minutes(5),
    /** Tries that run at the same time in this process. */
    atOnce: 20,
    /** After so long without a sign of life others take over a process's work. */
    silence: Duration.seconds(30)
  })
}) {}
