import type { RunKey } from "../value/RunKey.ts"
import type { KeyPrefix } from "../workspace/Team.ts"
import type { JobId } from "./Job.ts"
import { type StoryId, StoryKey } from "./Story.ts"

/** Unused ids and keys for the job, story and run that a decision may add. */
export interface Fresh {
  readonly job: JobId
  readonly story: StoryId
  readonly storyKey: StoryKey
  readonly run: RunKey
}

export const freshId = <Id extends string>(): Id => crypto.randomUUID() as string as Id

/** Takes the next of the ids that were drawn before; too few are a defect. */
export const take = <A>(drawn: IterableIterator<A>): A => {
  const next = drawn.next()
  if (next.done === true) throw new Error("fewer fresh ids were drawn than rows are added")
  return next.value
}

/** Draws the ids; the number and the run's key come from the store, which knows the taken ones. */
export const fresh = (team: { readonly keyPrefix: KeyPrefix }, storyNumber: number, run: RunKey): Fresh => ({
  job: freshId(),
  story: freshId(),
  storyKey: StoryKey.make(`${team.keyPrefix}-${storyNumber}`),
  run
})
