import { defineConfig } from "vitest/config"

export default defineConfig({
  test: {
    include: ["test/browser/**/*.browser.ts"],
    globalSetup: ["test/browser/required.ts", "test/support/postgres.ts"],
    setupFiles: ["test/support/effects.ts"],
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // One browser and one service at a time.
    fileParallelism: false,
    isolate: false
  }
})
