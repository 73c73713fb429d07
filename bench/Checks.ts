import type { Results } from "./report/Results.ts"
import { bounds, type Check, checksOf } from "./Targets.ts"

/** Every target with its measurement. */
export const checks = ({
  app,
  exports,
  figures,
  growth,
  memory,
  pages,
  starts,
  tools
}: Results): ReadonlyArray<Check> => [
  ...figures.flatMap(checksOf),
  {
    what: "export: memory it takes",
    value: exports.alone,
    bound: "at most",
    target: bounds.exportMegabytes,
    unit: "MB"
  },
  ...growth
    .filter(({ unit }) => unit === "ms")
    .map(({ large, ratio, small, what }): Check => ({
      what: `${what}: ${large.of} against ${small.of}`,
      value: ratio,
      bound: "at most",
      target: bounds.growth,
      unit: "×"
    })),
  ...app
    .filter(({ unit }) => unit === "ms")
    .map(({ large, what }): Check => ({
      what: `${what} of the app: time`,
      value: large.value,
      bound: "at most",
      target: bounds.pageMs,
      unit: "ms"
    })),
  ...pages.map(({ ms, page }): Check => ({
    what: `${page}: time`,
    value: ms,
    bound: "at most",
    target: bounds.everyPageMs,
    unit: "ms"
  })),
  ...tools
    .filter(({ unit }) => unit === "/s")
    .map(({ ratio, what }): Check => ({
      what: `${what} over MCP: speed against REST`,
      value: ratio,
      bound: "at least",
      target: bounds.toolSpeed,
      unit: "×"
    })),
  {
    what: "memory under mixed load: the end against the beginning",
    value: memory.late / memory.early,
    bound: "at most",
    target: bounds.memory,
    unit: "×"
  },
  { what: "cold start", value: starts.cold, bound: "at most", target: bounds.coldSeconds, unit: "s" },
  { what: "warm start", value: starts.warm, bound: "at most", target: bounds.warmSeconds, unit: "s" }
]
