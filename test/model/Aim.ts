import type { Run, State } from "./Model.ts"
import type { Step } from "./Steps.ts"

/** Orders the likeliest ones first, newest first; a number past the end wraps around. */
const pick = <A>(all: ReadonlyArray<A>, number: number, isLikely: (one: A) => boolean): number => {
  const newest = all.toReversed()
  const ordered = [...newest.filter(isLikely), ...newest.filter((one) => !isLikely(one))]
  const chosen = ordered[number % Math.max(1, ordered.length)]
  return chosen === undefined ? -1 : all.indexOf(chosen)
}

const among =
  (...statuses: ReadonlyArray<string>) =>
  (run: Run) =>
    statuses.includes(run.current.status)

/** Turns a step's numbers into indexes in order of creation, so that most steps find a valid target. */
export const aim = (state: State, step: Step): Step => {
  const run = (number: number, isLikely: (one: Run) => boolean) => pick(state.runs, number, isLikely)
  switch (step.do) {
    case "edit":
    case "start":
      return { ...step, story: pick(state.stories, step.story, ({ draft }) => draft === (step.do === "edit")) }
    case "approve":
    case "reject":
      return { ...step, story: pick(state.stories, step.story, ({ draft, isRejected }) => draft && !isRejected) }
    case "lease":
      return { ...step, run: step.run === null ? null : run(step.run, among("queued")) }
    case "report":
      return { ...step, run: run(step.run, among("running")) }
    case "finish":
    case "stop":
      return { ...step, run: run(step.run, among("running", "waiting")) }
    case "retry":
      return { ...step, run: run(step.run, among("failed", "timed_out", "stopped")) }
    case "answer":
      return { ...step, decision: pick(state.decisions, step.decision, ({ status }) => status === "pending") }
    case "raise": {
      const { place } = step
      if ("run" in place) return { ...step, place: { run: run(place.run, among("running", "waiting")) } }
      return "story" in place ? { ...step, place: { story: pick(state.stories, place.story, () => true) } } : step
    }
    default:
      return step
  }
}
