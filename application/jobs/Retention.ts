import { Context } from "effect"

/** How many days are kept of what is only of use for a while. */
export class Retention extends Context.Reference<Retention>()("application/Retention", {
  defaultValue: () => ({ deliveryBodies: 30, finishedJobs: 7, readNotifications: 90 })
}) {}
