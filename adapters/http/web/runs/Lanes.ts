import { DateTime } from "effect"
import type { Attempt, RunHistory, RunStatus, Stage } from "../../../../domain/work/Run.ts"

/** Work of an attempt in a time; `worked` where no stage was recorded. */
export type Doing = "queued" | "planning" | "implementing" | "verifying" | "handing_off" | "waiting" | "worked"

export interface Piece {
  readonly doing: Doing
  readonly from: DateTime.Utc
  readonly to: DateTime.Utc
}

/** One attempt on the time line. */
export interface Lane {
  readonly attempt: Attempt
  readonly pieces: ReadonlyArray<Piece>
}

interface State {
  readonly at: DateTime.Utc
  readonly attempt: number
  readonly doing: Doing | null
}

const doingOf = (status: RunStatus, stage: Stage | null): Doing | null => {
  if (status === "waiting" || status === "queued") return status
  if (status !== "running" || stage === "done") return null
  return stage ?? "worked"
}

/** The states of a run one after the other; each entry has only the fields that changed. */
const statesOf = (history: RunHistory): ReadonlyArray<State> => {
  let [attempt, stage, status]: [number, Stage | null, RunStatus] = [1, null, "queued"]
  return history.map((entry) => {
    if (entry.attempt !== null && entry.attempt !== attempt) stage = "planning"
    attempt = entry.attempt ?? attempt
    stage = entry.stage ?? stage
    status = entry.status ?? status
    return { at: entry.at, attempt, doing: doingOf(status, stage) }
  })
}

/** Neighbours that did the same are one. */
const joined = (pieces: ReadonlyArray<Piece>): ReadonlyArray<Piece> =>
  pieces.flatMap((piece, index) => {
    if (pieces[index - 1]?.doing === piece.doing) return []
    const after = pieces.findIndex((other, at) => at > index && other.doing !== piece.doing)
    return [{ ...piece, to: pieces.at(after === -1 ? -1 : after - 1)?.to ?? piece.to }]
  })

/** The history with the time since which a run waits; an imported run has no entry of it. */
export const withQuestion = (
  history: RunHistory,
  attempt: number,
  question: { readonly createdAt: DateTime.Utc } | undefined
): RunHistory => {
  if (question === undefined) return history
  const waits = { at: question.createdAt, status: "waiting", stage: null, attempt } as const
  return [...history, waits].toSorted((one, other) => DateTime.Order(one.at, other.at))
}

/** The attempts that have begun, each with what it did from its start to its end or until now. */
export const lanesOf = (
  attempts: ReadonlyArray<Attempt>,
  history: RunHistory,
  now: DateTime.Utc
): ReadonlyArray<Lane> => {
  const states = statesOf(history)
  return attempts.flatMap((attempt) => {
    const { completedAt, startedAt } = attempt
    if (startedAt === null) return []
    const end = DateTime.max(completedAt ?? now, startedAt)
    const own = states.filter((state) => state.attempt === attempt.attempt && DateTime.lessThan(state.at, end))
    const points: ReadonlyArray<State> = [{ at: startedAt, attempt: attempt.attempt, doing: "worked" }, ...own]
    const pieces = points.flatMap(({ at, doing }, index): ReadonlyArray<Piece> => {
      const from = DateTime.max(at, startedAt)
      const to = points[index + 1]?.at ?? end
      return doing === null || DateTime.lessThanOrEqualTo(to, from) ? [] : [{ doing, from, to }]
    })
    return [{ attempt, pieces: joined(pieces) }]
  })
}

/** The time from the first start to the last end. */
export const spanOf = (lanes: ReadonlyArray<Lane>, now: DateTime.Utc): readonly [from: number, to: number] => {
  const starts = lanes.map(({ attempt }) => (attempt.startedAt ?? now).epochMillis)
  const ends = lanes.map(({ attempt }) => (attempt.completedAt ?? now).epochMillis)
  const from = Math.min(...starts)
  return [from, Math.max(from + 1000, ...ends)]
}
