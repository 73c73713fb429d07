import { DateTime } from "effect"
import { useReader } from "../Reader.ts"
import { Icon } from "./Icon.tsx"
import { Meter } from "./Facts.tsx"
import * as Times from "./Times.ts"

interface Instant {
  readonly at: DateTime.Utc
}

/** An instant in the reader's zone, with the exact one in its title. */
export const Time = ({ as = "moment", at }: Instant & { readonly as?: "moment" | "age" | "clock" | "second" }) => {
  const reader = useReader()
  const words =
    as === "moment" ? Times.moment(at, reader) : as === "age" ? Times.age(at, reader) : Times.format(as, at, reader)
  return (
    <time datetime={DateTime.formatIso(at)} title={Times.exact(at, reader)}>
      {words}
    </time>
  )
}

/** A text whose timestamps are shown as the reader's time. */
export const WithTimes = ({ text }: { readonly text: string }) => (
  <>{Times.partsOf(text).map((part) => (typeof part === "string" ? part : <Time at={part} />))}</>
)

export const Age = ({ at }: Instant) => <Time at={at} as="age" />

/** Time left until a deadline, with a bar for the part that is left. */
export const TimeLeft = ({
  from,
  until,
  withMeter = false
}: {
  readonly from: DateTime.Utc
  readonly until: DateTime.Utc | null
  readonly withMeter?: boolean
}) => {
  const reader = useReader()
  if (until === null) return <span class="left">No time limit</span>
  const { part, tone, words } = Times.left(from, until, reader)
  return (
    <>
      <time
        class={`left ${tone}`}
        datetime={DateTime.formatIso(until)}
        title={`Until ${Times.exact(until, reader)}`}
        data-left
      >
        {tone === "bad" ? <Icon name="warn" /> : tone === "warn" ? <Icon name="clock" /> : null}
        <span>{words}</span>
      </time>
      {withMeter ? <Meter part={part} tone={tone === "" ? "calm" : tone} /> : null}
    </>
  )
}
