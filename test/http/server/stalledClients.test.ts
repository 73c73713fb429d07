import { assert, it } from "vitest"
import * as StalledClients from "../../../adapters/http/server/StalledClients.ts"

type Step = readonly [seconds: number, pending: number, taken: number, unacknowledged: number | null]

/** The time at which a connection with these steps counts as stalled; null when never. */
const stalledAt = (steps: ReadonlyArray<Step>) => {
  let step: Step = [0, 0, 0, null]
  const isStalled = StalledClients.make(15_000, () => ({
    pending: step[1],
    taken: step[2],
    unacknowledged: () => step[3]
  }))
  const connection = {}
  for (step of steps) if (isStalled(connection, step[0] * 1000)) return step[0]
  return null
}

const every = (seconds: number, count: number) => Array.from({ length: count }, (_, index) => index * seconds)

it.each<readonly [string, ReadonlyArray<Step>, number | null]>([
  ["nothing is pending", every(1, 100).map((at) => [at, 0, 0, 0]), null],
  ["bytes are pending and none is taken", every(1, 100).map((at) => [at, 9, 5, 70]), 15],
  ["the same where the system does not tell", every(1, 100).map((at) => [at, 9, 5, null]), 15],
  ["some bytes are taken now and then", every(1, 100).map((at) => [at, 9, Math.floor(at / 14), 70]), null],
  ["a slow peer takes what the system holds", every(1, 100).map((at) => [at, 9, 5, 99 - Math.floor(at / 10)]), null],
  ["it takes some, and then no more", every(1, 100).map((at) => [at, 9, Math.min(at, 20), 70]), 35],
  ["another answer is begun after all was taken", every(1, 100).map((at) => [at, at === 10 ? 0 : 9, 5, 70]), 26],
  ["more is written for a peer that takes nothing", every(1, 100).map((at) => [at, 9 + at, 5, 70]), 15]
])("when %s, a connection is stalled after 15 s of it or never", (_, steps, at) => {
  assert.strictEqual(stalledAt(steps), at)
})
