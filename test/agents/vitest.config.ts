import { defineConfig } from "vitest/config"

export default defineConfig({
  test: {
    include: ["test/agents/**/*.agents.ts"],
    globalSetup: ["test/agents/required.ts", "test/support/postgres.ts"],
    setupFiles: ["test/support/effects.ts"],
    testTimeout: 300_000,
    hookTimeout: 300_000,
    fileParallelism: false,
    isolate: false
  }
})
