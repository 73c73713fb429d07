import { type Context, Duration, Effect, Redacted } from "effect"
import { JobFailed } from "../../application/ports/JobHandlers.ts"
import type { Outgoing } from "../../application/ports/Outgoing.ts"

const isPassing = (status: number): boolean => [408, 425, 429].includes(status) || status >= 500

/** Posts to the address of a place. A status that will not pass is final, as is an address that is not allowed. */
export const poster =
  (outgoing: Context.Tag.Service<typeof Outgoing>, within: Duration.Duration = Duration.seconds(10)) =>
  (to: Redacted.Redacted, headers: Readonly<Record<string, string>>, body: string): Effect.Effect<void, JobFailed> =>
    Effect.gen(function* () {
      const url = Redacted.value(to)
      const { status } = yield* outgoing
        .send({ method: "POST", url, headers: { ...headers, "User-Agent": "Gatehouse" }, body, within })
        .pipe(Effect.mapError(({ isForbidden, message: reason }) => new JobFailed({ reason, isFinal: isForbidden })))
      if (status >= 200 && status < 300) return
      return yield* new JobFailed({
        reason: `${new URL(url).host}: it answered ${status}`,
        isFinal: !isPassing(status)
      })
    })
