/** The large input is eight times the small one, and so is linear work; the rest is for caches and garbage. */
export const mostGrowth = 12

/** CPU time of this process in microseconds: a busy machine makes it wait, but not compute. */
const spent = async (work: () => unknown): Promise<number> => {
  const before = process.cpuUsage()
  await work()
  const { system, user } = process.cpuUsage(before)
  return user + system
}

const least = async (times: number, work: () => unknown): Promise<number> => {
  let found = Infinity
  for (let time = 0; time < times; time++) found = Math.min(found, await spent(work))
  return found
}

/** Below this many microseconds the clock measures itself. */
const floor = 5000

export interface Growth {
  readonly of: string
  readonly ratio: number
}

/** Ratio of the time over `large` input to the time over `small`; 0 where it is too quick to measure. */
export const growth = async <A>(
  of: string,
  large: number,
  make: (size: number) => A,
  work: (input: A) => unknown
): Promise<Growth> => {
  const [short, long] = [make(large / 8), make(large)]
  await work(short)
  const took = await spent(() => work(long))
  if (took < floor) return { of, ratio: 0 }
  const quick = Math.max(await least(9, () => work(short)), floor / mostGrowth)
  const ratio = took / quick
  return { of, ratio: ratio <= mostGrowth ? ratio : Math.min(took, await least(3, () => work(long))) / quick }
}

export const worst = (found: ReadonlyArray<Growth>): Growth =>
  found.reduce((a, b) => (b.ratio > a.ratio ? b : a), { of: "nothing", ratio: 0 })
