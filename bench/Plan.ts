import type { Size } from "./Dataset.ts"
import type { Work } from "./Load.ts"

/** Amounts of the measurements. */
export interface Plan {
  readonly mode: "full" | "quick"
  readonly size: Size
  /** The dataset to compare the large one with, and the additional callers of the crowded one. */
  readonly small: Size
  readonly crowd: number
  /** Callers take turns, so many that none comes near the limit of 120 requests a minute. */
  readonly callers: number
  readonly connections: number
  readonly rounds: number
  readonly requests: Readonly<Record<Work, number>>
  /** Requests of each turn until a service reaches full speed: new code in a process runs slowly for long. */
  readonly warmUp: Readonly<Record<Work, number>>
  readonly growth: { readonly rounds: number; readonly requests: number; readonly warmUp: number }
  readonly app: { readonly rounds: number; readonly requests: number; readonly warmUp: number }
  readonly statements: number
  readonly exports: number
  readonly mixedSeconds: number
  readonly starts: number
}

export const full: Plan = {
  mode: "full",
  size: { entries: 1_000_000, rows: 100_000, tokens: 100_000 },
  small: { entries: 10_000, rows: 1000, tokens: 1000 },
  crowd: 100,
  callers: 10_000,
  connections: 32,
  rounds: 5,
  requests: {
    page: 2100,
    one: 2100,
    teams: 2100,
    resolve: 1000,
    intake: 2100,
    "intake-batch": 20,
    audit: 600,
    export: 24
  },
  warmUp: {
    page: 2500,
    one: 2500,
    teams: 2500,
    resolve: 500,
    intake: 1700,
    "intake-batch": 2,
    audit: 500,
    export: 6
  },
  growth: { rounds: 7, requests: 800, warmUp: 4000 },
  app: { rounds: 5, requests: 600, warmUp: 2000 },
  statements: 200,
  exports: 200,
  mixedSeconds: 600,
  starts: 3
}

export const quick: Plan = {
  ...full,
  mode: "quick",
  size: { entries: 20_000, rows: 5000, tokens: 10_000 },
  rounds: 3,
  requests: {
    page: 500,
    one: 500,
    teams: 500,
    resolve: 200,
    intake: 500,
    "intake-batch": 4,
    audit: 200,
    export: 12
  },
  warmUp: { page: 70, one: 70, teams: 70, resolve: 40, intake: 70, "intake-batch": 1, audit: 40, export: 4 },
  growth: { rounds: 5, requests: 200, warmUp: 600 },
  app: { rounds: 3, requests: 60, warmUp: 60 },
  statements: 50,
  exports: 40,
  mixedSeconds: 30
}
