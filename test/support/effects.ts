import { it, makeMethods } from "@effect/vitest"
import { FastCheck } from "effect"
import { afterEach, inject } from "vitest"
import { isLong } from "./Long.ts"
import { reseed } from "./Random.ts"

// `it.layer` leaves its own `it.effect` behind, and the files of one worker share `it`.
makeMethods(it)

const [seed, day] = [inject("seed"), inject("day")]
reseed()
FastCheck.configureGlobal({ seed, numRuns: isLong ? 100 : 30 })

afterEach(({ task }) => {
  if (task.result?.state === "fail") process.stderr.write(`\n${task.name}: drawn with SEED=${seed} DAY=${day}\n`)
})
