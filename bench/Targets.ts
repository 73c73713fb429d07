import type { Figure } from "./report/Figures.ts"
import type { Work } from "./Load.ts"

type Ratio = "ratioFastify" | "ratioNamed" | "ratioLimit" | "p99Ratio"

const reads = { ratioFastify: 2.4, ratioNamed: 1.2, ratioLimit: 0.8, p99Ratio: 0.6 }

/** For p99 the largest ratio to the ordinary service, for the others the smallest. */
export const targets: Readonly<Record<Work, Partial<Readonly<Record<Ratio, number>>>>> = {
  page: reads,
  one: reads,
  teams: reads,
  resolve: { ratioFastify: 1 },
  intake: { ratioFastify: 1.7, ratioNamed: 1.1, ratioLimit: 0.6, p99Ratio: 0.8 },
  "intake-batch": { ratioFastify: 4 },
  audit: {},
  export: { ratioFastify: 1 }
}

export const bounds = {
  exportMegabytes: 64,
  growth: 1.2,
  memory: 1.1,
  coldSeconds: 3,
  warmSeconds: 1.5,
  pageMs: 30,
  everyPageMs: 50,
  toolSpeed: 0.5
}

export interface Check {
  readonly what: string
  readonly value: number
  readonly bound: "at least" | "at most"
  readonly target: number
  readonly unit: "×" | "MB" | "s" | "ms"
}

export const isMet = ({ bound, target, value }: Check) => (bound === "at least" ? value >= target : value <= target)

const words: ReadonlyArray<readonly [Ratio, string, Check["bound"]]> = [
  ["ratioFastify", "speed against ordinary", "at least"],
  ["p99Ratio", "p99 against ordinary", "at most"],
  ["ratioNamed", "speed against named", "at least"],
  ["ratioLimit", "speed against limit", "at least"]
]

export const checksOf = (figure: Figure): ReadonlyArray<Check> =>
  words.flatMap(([ratio, what, bound]) => {
    const target = targets[figure.work][ratio]
    return target === undefined
      ? []
      : [{ what: `${figure.work}: ${what}`, value: figure[ratio], bound, target, unit: "×" as const }]
  })
