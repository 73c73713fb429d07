import { DateTime } from "effect"
import type { Attempt, RunHistory } from "../../../../domain/work/Run.ts"
import { euros } from "../decisions/DecisionWords.ts"
import { Icon } from "../components/Icon.tsx"
import { Panel } from "../components/Parts.tsx"
import { Table } from "../components/Table.tsx"
import { format, lengthOf } from "../components/Times.ts"
import { useReader } from "../Reader.ts"
import { type Doing, type Lane, lanesOf, type Piece, spanOf } from "./Lanes.ts"
import { stages, states } from "./RunWords.ts"

const width = 1000
const height = 26
const gap = 3

const doings: Readonly<Record<Doing, readonly [shape: string, words: string]>> = {
  queued: ["st-wait-run", "Queued"],
  planning: ["st-plan", "Planning"],
  implementing: ["st-impl", "Implementing"],
  verifying: ["st-ver", "Verifying"],
  handing_off: ["st-hand", "Handing off"],
  waiting: ["st-wait", "Waits for a person"],
  worked: ["st-impl", "Working"]
}

const hasFailed = ({ status }: Attempt) => status === "failed" || status === "timed_out"

/** `Attempt 1: planning 08:31 to 08:45, implementing to 09:48, failed` */
const inWords = ({ attempt, pieces }: Lane, clock: (at: DateTime.Utc) => string) => {
  const parts = pieces.map(({ doing, from, to }, index) => {
    const words = doings[doing][1].toLowerCase()
    return index === 0 ? `${words} ${clock(from)} to ${clock(to)}` : `${words} to ${clock(to)}`
  })
  return `Attempt ${attempt.attempt}: ${[...parts, states[attempt.status][2].toLowerCase()].join(", ")}`
}

const Bar = ({ lane, span: [from, to] }: { readonly lane: Lane; readonly span: readonly [number, number] }) => {
  const reader = useReader()
  const x = (at: DateTime.Utc) => Math.round((width * (at.epochMillis - from)) / (to - from))
  const end = x(lane.attempt.completedAt ?? reader.now)
  const shape = ({ doing, from: begin, to: until }: Piece) => (
    <rect class={doings[doing][0]} x={x(begin)} width={Math.max(2, x(until) - x(begin) - gap)} height={height} />
  )
  return (
    <svg
      class="lane"
      viewBox={`0 0 ${width} ${height}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={inWords(lane, (at) => format("clock", at, reader))}
    >
      {lane.pieces.map(shape)}
      {hasFailed(lane.attempt) ? (
        <rect class="st-fail" x={Math.max(0, Math.min(end, width) - 5)} width="5" height={height} />
      ) : null}
    </svg>
  )
}

const Axis = ({ span: [from, to] }: { readonly span: readonly [number, number] }) => {
  const reader = useReader()
  const isLong = to - from > 20 * 3_600_000
  return (
    <div class="g-row" aria-hidden="true">
      <span class="who" />
      <p class="axis">
        {[0, 1, 2, 3, 4].map((step) => {
          const at = DateTime.unsafeMake(from + ((to - from) * step) / 4)
          return <span>{isLong ? format("date", at, reader) : format("clock", at, reader)}</span>
        })}
      </p>
    </div>
  )
}

const Legend = ({ lanes }: { readonly lanes: ReadonlyArray<Lane> }) => {
  const used = [...new Set(lanes.flatMap(({ pieces }) => pieces.map(({ doing }) => doing)))]
  const shapes = used.map((doing) => doings[doing])
  return (
    <p class="legend" aria-hidden="true">
      {[...shapes, ...(lanes.some(({ attempt }) => hasFailed(attempt)) ? [["st-fail", "Failed"] as const] : [])].map(
        ([shape, words]) => (
          <span>
            <svg>
              <rect class={shape} width="12" height="12" />
            </svg>
            {words}
          </span>
        )
      )}
    </p>
  )
}

const tones: Readonly<Record<string, string>> = {
  waiting: "s-wait",
  failed: "s-bad",
  timed_out: "s-warn",
  succeeded: "s-ok",
  running: "s-run"
}

const State = ({ of: { stage, status } }: { readonly of: Attempt }) => (
  <span class={`nowrap ${tones[status] ?? ""}`}>
    <Icon name={states[status][0]} /> {stages[stage]}
  </span>
)

const happened = ({ error, verification }: Attempt) => error ?? verification?.summary ?? ""

const Attempts = ({ attempts }: { readonly attempts: ReadonlyArray<Attempt> }) => {
  const { now } = useReader()
  return (
    <Table
      caption="Attempts"
      rows={attempts.toReversed()}
      idOf={({ attempt }) => `attempt-${attempt}`}
      columns={[
        {
          head: "Attempt",
          fold: "f-start",
          cell: ({ attempt, executor }) => (
            <>
              {attempt} <span class="muted">{executor}</span>
            </>
          )
        },
        { head: "Stage", label: "Stage", cell: (attempt) => <State of={attempt} /> },
        { head: "What happened", label: "Result", cell: (attempt) => <span>{happened(attempt)}</span> },
        {
          head: "Cost",
          label: "Cost",
          fold: "right",
          cell: ({ costCents }) => <span class="num nowrap">{euros(costCents)}</span>
        },
        {
          head: "Took",
          label: "Took",
          fold: "right",
          cell: ({ completedAt, startedAt }) => (
            <span class="num nowrap">
              {startedAt === null ? "–" : lengthOf((completedAt ?? now).epochMillis - startedAt.epochMillis)}
            </span>
          )
        }
      ]}
    />
  )
}

/** Attempts and their stages, drawn as lanes and said in a table. */
export const TimeLinePanel = ({
  attempts,
  history
}: {
  readonly attempts: ReadonlyArray<Attempt>
  readonly history: RunHistory
}) => {
  const reader = useReader()
  const lanes = lanesOf(attempts, history, reader.now)
  const span = spanOf(lanes, reader.now)
  return (
    <Panel id="time-line" title="Time line" end={`Times in ${reader.zone.id}`}>
      {lanes.length === 0 ? (
        <p class="body muted">Nothing yet. The first attempt waits for a runner.</p>
      ) : (
        <div class="body gantt">
          {lanes.map((lane) => (
            <div class="g-row">
              <p class="who">
                <b>Attempt {lane.attempt.attempt}</b>
                <span class={tones[lane.attempt.status] ?? ""}>
                  <Icon name={states[lane.attempt.status][0]} /> {states[lane.attempt.status][2]}
                </span>
              </p>
              <div>
                <Bar lane={lane} span={span} />
              </div>
            </div>
          ))}
          <Axis span={span} />
          <Legend lanes={lanes} />
        </div>
      )}
      <Attempts attempts={attempts} />
    </Panel>
  )
}
