import { type Clock, Duration, Effect } from "effect"

/** Milliseconds without a delivery that count as a lull, and the longest wait for one. */
const breath = 20
const longest = 3000

/** Lets triage wait for a lull in the deliveries, so that receiving them comes first. */
export const makeLull = (clock: Clock.Clock) => {
  const now = () => clock.unsafeCurrentTimeMillis()
  let lastDelivery = -Infinity
  return {
    interrupt: () => {
      lastDelivery = now()
    },
    wait: Effect.gen(function* () {
      const began = now()
      while (now() - lastDelivery < breath && now() - began < longest)
        yield* clock.sleep(Duration.millis(lastDelivery + breath - now()))
    })
  }
}
