import { Context, Duration } from "effect"

/** Times and limits of the job worker; tests shorten them. */
export class JobPace extends Context.Reference<JobPace>()("application/JobPace", {
  defaultValue: () => ({
    /** Time between two looks for due jobs, besides the one after each notification. */
    poll: Duration.seconds(2),
    /** Wait after the first failed try of a job. */
    firstWait: Duration.seconds(1),
    /** Longest duration of a try. */
    patience: Duration.minutes(5),
    /** Tries that run at the same time in this process. */
    atOnce: 20,
    /** Tries of one kind among them, so that a system that hangs leaves room for the others. */
    eachKind: 10,
    /** Time after which other processes take over the jobs of a process that stopped renewing its lease. */
    lease: Duration.seconds(30),
    /** Time that a shutdown leaves to tries under way. */
    farewell: Duration.seconds(5)
  })
}) {}
