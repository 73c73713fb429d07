import { Context, Effect } from "effect"

/** Kinds of work that instances look for every second; true where there may be some. */
export interface Due {
  readonly decisions: boolean
  readonly scheduling: boolean
  readonly uptimeChecks: boolean
  readonly deliveries: boolean
  readonly jobs: boolean
}

const everything: Due = { decisions: true, scheduling: true, uptimeChecks: true, deliveries: true, jobs: true }

/** One look for all kinds, so that an idle service asks its database one question a second in place of five. */
export class DueWork extends Context.Reference<DueWork>()("application/DueWork", {
  defaultValue: (): Effect.Effect<Due> => Effect.succeed(everything)
}) {}

/** Does the work unless the last look found none of its kind. */
export const whenDue = <A, E, R>(kind: keyof Due, work: Effect.Effect<A, E, R>) =>
  Effect.flatMap(Effect.flatten(DueWork), (due) => (due[kind] ? Effect.asVoid(work) : Effect.void))
