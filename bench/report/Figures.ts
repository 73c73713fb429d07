import type { Work } from "../Load.ts"

export const rivals = ["ordinary", "named", "limit"] as const
export type Rival = (typeof rivals)[number]
export const names = ["ours", ...rivals] as const
export type Name = (typeof names)[number]

/** Result of one service in one round; for a batch, alerts per second that joined an incident. */
export interface Sample {
  readonly perSecond: number
  /** Milliseconds. */
  readonly p50: number
  readonly p99: number
}

export type Round = Readonly<Record<Name, Sample>>

export interface Figure {
  readonly work: Work
  /** Of each service, over all rounds. */
  readonly requests: number
  readonly ratioFastify: number
  readonly ratioNamed: number
  readonly ratioLimit: number
  readonly p99Ratio: number
  readonly services: Round
}

export const median = (values: ReadonlyArray<number>): number => {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length / 2
  if (sorted.length === 0) throw new Error("nothing was measured")
  return ((sorted[Math.ceil(middle) - 1] as number) + (sorted[Math.floor(middle)] as number)) / 2
}

export const mean = (values: ReadonlyArray<number>): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length

/** Takes ratios within a round, in which all services met the same machine, and then their median. */
export const figureOf = (work: Work, requests: number, rounds: ReadonlyArray<Round>): Figure => {
  const ratio = (of: keyof Sample, to: Rival) => median(rounds.map((round) => round.ours[of] / round[to][of]))
  const typical = (name: Name): Sample => ({
    perSecond: median(rounds.map((round) => round[name].perSecond)),
    p50: median(rounds.map((round) => round[name].p50)),
    p99: median(rounds.map((round) => round[name].p99))
  })
  return {
    work,
    requests,
    ratioFastify: ratio("perSecond", "ordinary"),
    ratioNamed: ratio("perSecond", "named"),
    ratioLimit: ratio("perSecond", "limit"),
    p99Ratio: ratio("p99", "ordinary"),
    services: {
      ours: typical("ours"),
      ordinary: typical("ordinary"),
      named: typical("named"),
      limit: typical("limit")
    }
  }
}
