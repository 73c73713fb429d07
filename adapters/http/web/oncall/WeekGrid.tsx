import { type Day, localTime, outlook, weekOf } from "../../../../domain/oncall/OnCallHours.ts"
import type { Hours } from "../../../../domain/oncall/Service.ts"
import { Notice } from "../components/Parts.tsx"
import { useReader } from "../Reader.ts"

const clock = (minute: number) =>
  `${String(Math.floor(minute / 60)).padStart(2, "0")}:${String(minute % 60).padStart(2, "0")}`

/** `until 06:00 and from 22:00` */
const inWords = ({ parts }: Day): string => {
  const words = parts.map(({ from, to }) =>
    from === 0 && to === 1440
      ? "all day"
      : from === 0
        ? `until ${clock(to)}`
        : to === 1440
          ? `from ${clock(from)}`
          : `from ${clock(from)} to ${clock(to)}`
  )
  return words.length === 0 ? "none" : words.join(" and ")
}

const Row = ({ day, now }: { readonly day: Day; readonly now: number | null }) => (
  <>
    <span class={now === null ? "d" : "d today"}>{day.name}</span>
    <svg viewBox="0 0 1440 20" preserveAspectRatio="none" role="img" aria-label={`${day.name}: ${inWords(day)}`}>
      {day.parts.map(({ from, to }) => (
        <rect class="wk-on" x={from} width={to - from} height="20" />
      ))}
      {[360, 720, 1080].map((minute) => (
        <path class="wk-tick" d={`M${minute} 0v20`} />
      ))}
      {now === null ? null : <path class="wk-now" d={`M${now} 0v20`} />}
    </svg>
    <span class="w num" aria-hidden="true">
      {day.window ?? "none starts"}
    </span>
  </>
)

/** A week in the zone of the hours, and the next change in words. */
export const WeekGrid = ({ hours }: { readonly hours: typeof Hours.Type }) => {
  const { now } = useReader()
  const [today = "", time = ""] = localTime(hours, now).split(" ")
  const { next, now: here, state } = outlook(hours, now)
  const minute = Number(time.slice(0, 2)) * 60 + Number(time.slice(3))
  return (
    <div class="stack">
      <figure aria-labelledby="week-caption">
        <div class="week">
          <span />
          <p class="hours" aria-hidden="true">
            {["00", "06", "12", "18", "24"].map((hour) => (
              <span>{hour}</span>
            ))}
          </p>
          <span class="w" />
          {weekOf(hours).map((day) => (
            <Row day={day} now={day.name === today ? minute : null} />
          ))}
        </div>
        <figcaption class="legend" id="week-caption">
          <span>
            <svg aria-hidden="true">
              <rect class="wk-on" width="12" height="12" />
            </svg>
            On: alerts open incidents
          </span>
          <span>
            <svg viewBox="0 0 12 12" aria-hidden="true">
              <path class="wk-now" d="M6 0v12" />
            </svg>
            Now, {today} {time}
          </span>
          <span>Times in {hours === "always" ? "UTC" : hours.timeZone}</span>
        </figcaption>
      </figure>
      <Notice tone="info" icon="clock">
        <p>
          <strong>{state}</strong> {here}
        </p>
        {next === null ? null : <p>{next}</p>}
      </Notice>
    </div>
  )
}

/** Takes the place of the grid while the hours cannot be read. */
export const NoWeek = ({ problem }: { readonly problem: string }) => (
  <div class="stack">
    <Notice tone="warn">
      <p>{problem}</p>
    </Notice>
  </div>
)

/** Names of all zones of the runtime, and one that is in use. */
export const zones = (used: string): ReadonlyArray<string> => [
  ...new Set(["UTC", ...Intl.supportedValuesOf("timeZone"), used])
]
