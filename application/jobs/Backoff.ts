import { Duration } from "effect"

/** How often and how long a job is tried; what somebody waits for in the night is tried often. */
export const plan = (isUrgent: boolean) =>
  isUrgent ? { tries: 300, longest: Duration.minutes(2) } : { tries: 20, longest: Duration.hours(1) }

/** How long to wait after so many failed tries: `first`, then twice as long each time, up to the longest. */
export const waitAfter = (failed: number, first: Duration.Duration, longest: Duration.Duration): Duration.Duration =>
  Duration.min(Duration.times(first, 2 ** Math.min(failed - 1, 30)), longest)
