import { layer } from "@effect/vitest"
import type * as SqlClient from "@effect/sql/SqlClient"
import { Effect, FastCheck, Runtime } from "effect"
import { inject } from "vitest"
import type { WorkspaceSlug } from "../../domain/workspace/Workspace.ts"
import type { Stores } from "../support/World.ts"
import { agree } from "./Agree.ts"
import * as Clocked from "./Clocked.ts"
import { sequence } from "./Steps.ts"
import { isLong } from "../support/Long.ts"

const full = inject("full")

layer(Clocked.postgres, { timeout: "60 seconds" })("model", (it) => {
  it.effect(
    "memory, Postgres and a model of the contract agree about every answer and the end of random stories",
    ({ task }) =>
      Effect.gen(function* () {
        const run = Runtime.runPromise(yield* Effect.runtime<Stores | SqlClient.SqlClient>())
        const met = new Map<string, number>()
        let sequences = 0
        let taken = 0
        const property = FastCheck.asyncProperty(sequence, (steps) => {
          taken += steps.length
          return run(
            agree(`model-${++sequences}` as WorkspaceSlug, steps, (outcome) =>
              met.set(outcome, (met.get(outcome) ?? 0) + 1)
            )
          )
        })
        yield* Effect.promise(() =>
          FastCheck.assert(property, full ? { numRuns: 200 } : { numRuns: isLong ? 40 : 2, seed: 7 })
        )
        task.meta.figures = `${sequences} sequences, ${taken} steps, ${met.size} different outcomes`
      }),
    full ? 900_000 : 300_000
  )
})
