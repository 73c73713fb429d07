import { median } from "./report/Figures.ts"

/** One work, small and large; `ms` is the median time of a request. */
export interface Grown {
  readonly what: string
  readonly unit: "ms" | "/s"
  readonly small: { readonly of: string; readonly value: number }
  readonly large: { readonly of: string; readonly value: number }
  /** Large to small, median over the rounds. */
  readonly ratio: number
}

export interface Side {
  readonly of: string
  readonly run: () => Promise<number>
}

export interface Comparison extends Pick<Grown, "what" | "unit"> {
  readonly small: Side
  readonly large: Side
}

/** Alternates the two, each first in every other round. */
export const compare = async (rounds: number, { large, small, unit, what }: Comparison): Promise<Grown> => {
  const pairs: Array<readonly [small: number, large: number]> = []
  for (let round = 0; round < rounds; round++)
    if (round % 2 === 0) pairs.push([await small.run(), await large.run()])
    else {
      const value = await large.run()
      pairs.push([await small.run(), value])
    }
  return {
    what,
    unit,
    small: { of: small.of, value: median(pairs.map(([value]) => value)) },
    large: { of: large.of, value: median(pairs.map(([, value]) => value)) },
    ratio: median(pairs.map(([a, b]) => b / a))
  }
}
