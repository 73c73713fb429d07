// @effect-diagnostics processEnv:off
import { availableParallelism } from "node:os"
import { defineConfig } from "vitest/config"
import { Sequencer } from "./test/support/Sequencer.ts"

/** CI and the long form also run the tests of rules of which `npm test` has a shorter one. */
const isLong = process.env["PROVE"] === "full" || process.env["OPTIONAL_TESTS"] === "required"

/** The long form waits more than it works; a worker more loads every module once more. */
const workers = isLong ? 3 : Math.min(4, Math.max(2, availableParallelism()))

export default defineConfig({
  test: {
    include: ["test/**/*.test.{ts,tsx}", ...(isLong ? ["test/**/*.long.ts"] : [])],
    globalSetup: ["test/support/postgres.ts"],
    setupFiles: ["test/support/effects.ts"],
    runner: "test/support/TestRunner.ts",
    // Ends every wait of the short form, whose longest test takes three seconds on idle cores.
    testTimeout: isLong ? 300_000 : 60_000,
    hookTimeout: 300_000,
    // With fewer at the least than at most, vitest ends when a worker is idle before the others.
    minWorkers: workers,
    maxWorkers: workers,
    isolate: false,
    sequence: { sequencer: Sequencer },
    // A larger young generation is collected less often.
    poolOptions: { forks: { execArgv: ["--min-semi-space-size=16", "--max-semi-space-size=64"] } }
  }
})
