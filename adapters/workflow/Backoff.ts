import { Duration } from "effect"

export const tries = 20

const longest = Duration.hours(1)

/** How long to wait after so many failed tries: `first`, then twice as long each time, up to an hour. */
export const waitAfter = (failed: number, first: Duration.Duration): Duration.Duration =>
  Duration.min(Duration.times(first, 2 ** (failed - 1)), longest)
