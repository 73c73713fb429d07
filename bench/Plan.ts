import type { Size } from "./Dataset.ts"
import type { Work } from "./Load.ts"

/** How much is measured. */
export interface Plan {
  readonly mode: "full" | "quick"
  readonly size: Size
  /** What the large one is compared with, and how many more callers the crowded one has. */
  readonly small: Size
  readonly crowd: number
  /** Callers in turns, so many that none comes near the limit of 120 requests a minute. */
  readonly callers: number
  readonly connections: number
  readonly rounds: number
  readonly requests: Readonly<Record<Work, number>>
  readonly warmUp: Readonly<Record<Work, number>>
  readonly growth: { readonly rounds: number; readonly requests: number; readonly warmUp: number }
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
  rounds: 3,
  requests: {
    page: 3400,
    one: 3400,
    teams: 3400,
    resolve: 1000,
    intake: 3400,
    "intake-batch": 20,
    audit: 1000,
    export: 40
  },
  warmUp: { page: 1000, one: 1000, teams: 1000, resolve: 300, intake: 600, "intake-batch": 3, audit: 300, export: 8 },
  growth: { rounds: 7, requests: 800, warmUp: 2000 },
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
  warmUp: { page: 200, one: 200, teams: 200, resolve: 100, intake: 200, "intake-batch": 1, audit: 100, export: 4 },
  growth: { rounds: 5, requests: 200, warmUp: 600 },
  statements: 50,
  exports: 40,
  mixedSeconds: 30
}
