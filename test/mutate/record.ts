import { FastCheck } from "effect"
import { afterEach, beforeEach } from "vitest"
import { namespace, recorded } from "./Recorded.ts"

// A mutant is killed by the first counterexample; a smaller one is not looked for.
FastCheck.configureGlobal({ ...FastCheck.readConfigureGlobal(), endOnFailure: true })

beforeEach(({ task }) => {
  namespace.currentTestId = task.id
})

afterEach(({ task }) => {
  namespace.currentTestId = undefined
  const hits = Object.entries(namespace.mutantCoverage?.perTest[task.id] ?? {})
  recorded.push({ test: task, hits: new Map(hits) })
})
