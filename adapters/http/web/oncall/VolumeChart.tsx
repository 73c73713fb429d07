import { DateTime } from "effect"
import type { Volume } from "../../../../application/ports/SignalStore.ts"
import { format } from "../components/Times.ts"
import { counted } from "../incidents/IncidentWords.ts"
import { useReader } from "../Reader.ts"

const hour = 3_600_000
const height = 60

/** The alerts of the last 24 hours, one bar an hour; the words below say the same. */
export const VolumeChart = ({ volume }: { readonly volume: ReadonlyArray<Volume> }) => {
  const reader = useReader()
  const first = Math.floor(reader.now.epochMillis / hour) * hour - 23 * hour
  const counts = new Map(volume.map(({ alerts, hour: at }) => [at.epochMillis, alerts]))
  const bars = Array.from({ length: 24 }, (_, index) => counts.get(first + index * hour) ?? 0)
  const most = Math.max(1, ...bars)
  const sum = bars.reduce((all, one) => all + one, 0)
  const clock = (index: number) => format("clock", DateTime.unsafeMake(first + index * hour), reader)
  const busiest = bars.indexOf(most)
  const words =
    sum === 0
      ? "No alerts in 24 hours."
      : `${counted(sum, "alert")} in 24 hours. Busiest: ${clock(busiest)} with ${counted(bars[busiest] ?? 0, "alert")}.`
  return (
    <div class="stack">
      <svg
        class="chart"
        viewBox="0 0 240 64"
        preserveAspectRatio="none"
        role="img"
        aria-label={`Alerts per hour: ${words}`}
      >
        {bars.map((count, index) => {
          const size = count === 0 ? 0.6 : Math.max(3, (height * count) / most)
          return <rect class="wk-on" x={index * 10 + 1} y={62 - size} width="8" height={size} />
        })}
      </svg>
      <div>
        <p class="axis" aria-hidden="true">
          <span>{clock(0)} yesterday</span>
          <span>now</span>
        </p>
        <p class="small">{words}</p>
      </div>
    </div>
  )
}
