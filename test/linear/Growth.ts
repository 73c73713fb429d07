/** The large input is eight times the small one, and so is linear work; the rest is for caches and garbage. */
export const mostGrowth = 12

/** CPU time of this process in microseconds: a busy machine makes it wait, but not compute. */
const spent = async (work: () => unknown): Promise<number> => {
  const before = process.cpuUsage()
  await work()
  const { system, user } = process.cpuUsage(before)
  return user + system
}

/** Below this many microseconds the clock measures itself. */
const floor = 5000

export interface Growth {
  readonly of: string
  readonly ratio: number
}

const times = 8
const mostPairs = 12

/** Ratio of the time over `large` input to the time over an eighth of it; 0 where it is too quick to measure. */
export const growth = async <A>(
  of: string,
  large: number,
  make: (size: number) => A,
  work: (input: A) => unknown
): Promise<Growth> => {
  const [short, long] = [make(large / times), make(large)]
  await work(short)
  if ((await spent(() => work(long))) < floor) return { of, ratio: 0 }
  // Eight short inputs leave as much garbage as the long one; measured in turns, both meet the same machine.
  const eight = async () => {
    for (let time = 0; time < times; time++) await work(short)
  }
  let ratio = Infinity
  for (let pair = 0; pair < mostPairs && ratio > mostGrowth; pair++) {
    const quick = Math.max((await spent(eight)) / times, floor / mostGrowth)
    ratio = Math.min(ratio, (await spent(() => work(long))) / quick)
  }
  return { of, ratio }
}

export const worst = (found: ReadonlyArray<Growth>): Growth =>
  found.reduce((a, b) => (b.ratio > a.ratio ? b : a), { of: "nothing", ratio: 0 })
