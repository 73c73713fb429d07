import { end, nextAttempt, refuse, type Run, say, type State, watch } from "./Model.ts"

const day = 24 * 3_600_000

/** A lease by hand. */
export const hold = (state: State, run: Run) => {
  run.fence += 1
  run.leasedUntil = state.now + day
}

/** Hands the run off to the service. */
export const letGo = (run: Run) => {
  run.leasedUntil = null
  run.lapses = 0
}

/** Queued, or running in nobody's hands and not handed off. */
export const isFree = ({ current: { stage, status }, leasedUntil }: Run) =>
  status === "queued" || (status === "running" && leasedUntil === null && stage !== "handing_off" && stage !== "done")

/** Refuses a lease that is over; returns the taking of a run that nobody holds. */
export const held = (state: State, run: Run, fence: number | null): (() => void) => {
  const { current, leasedUntil } = run
  if (fence === null && leasedUntil === null) return () => (current.status === "running" ? hold(state, run) : undefined)
  if (leasedUntil === null || leasedUntil <= state.now || (fence ?? run.fence) !== run.fence) return refuse("LeaseLost")
  return () => {}
}

const reason = "it was not finished in time"

/** Ends lapsed leases: the attempt fails and the next is queued, but after three in a row. */
export const sweepLeases = (state: State) => {
  const lapsed = state.runs.filter(({ leasedUntil }) => leasedUntil !== null && leasedUntil <= state.now)
  for (const run of lapsed.toSorted((one, other) => (one.leasedUntil ?? 0) - (other.leasedUntil ?? 0))) {
    say(state, "system", "lease_lost", run.is, run)
    const record = watch(state, run)
    const isLast = run.lapses === 2
    const error = `The lease was lost: ${reason}`
    end(state, run, "failed", {
      failureClass: "transient",
      error: isLast ? `${error}; 3 leases in a row were lost, so no further attempt is queued` : error
    })
    if (!isLast) nextAttempt(run)
    run.lapses = isLast ? 0 : run.lapses + 1
    record("system")
  }
}
